import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { errorResponses, jsonContent, listQuery, page } from "../../../platform/http/index.ts";
import { listRevocations, readRevocation, revokeToken } from "../../revocations.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { fileRoute, fileRouter, respondsWith } from "../route.ts";
import { cidParams } from "../schemas.ts";

const unixSeconds = z.number().int().openapi({ description: "Unix seconds." });
export const revocation = z
  .object({
    cid: z.string(),
    namespace: z.string().openapi({ description: "DID of the namespace that it gave access to." }),
    issuer: z.string(),
    audience: z.string(),
    revokedBy: z.string(),
    revokedAt: unixSeconds,
    expiresAt: unixSeconds.optional(),
  })
  .openapi("Revocation");
const revocationRequest = z
  .strictObject({
    cid: z.string().min(1).max(512).openapi({ description: "CID of the UCAN to revoke." }),
    token: z.string().min(1).max(90_000).openapi({ description: "Base64 CAR with the UCAN and its proofs." }),
  })
  .openapi("RevocationRequest");

const revoke = fileRoute({
  method: "post",
  path: "/revocations",
  summary: "Revoke a UCAN and every UCAN derived from it",
  request: { body: { required: true, content: jsonContent(revocationRequest) } },
  responses: {
    200: { description: "It was already revoked", content: jsonContent(revocation) },
    201: { description: "It is revoked", content: jsonContent(revocation) },
    ...errorResponses(400, 403),
  },
});
const list = fileRoute({
  method: "get",
  path: "/revocations",
  summary: "List revocations: the owner sees those of the namespace, others only theirs",
  request: { query: listQuery },
  responses: {
    200: { description: "One page, oldest first", content: jsonContent(page(revocation).openapi("RevocationPage")) },
    ...errorResponses(400, 403),
  },
});
const read = fileRoute({
  method: "get",
  path: "/revocations/{cid}",
  summary: "Read the revocation of a UCAN",
  request: { params: cidParams },
  responses: respondsWith("It is revoked", revocation, 400, 403, 404),
});

/** Revocations of capability tokens. */
export function revocationRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  const { authority } = deps.files;
  return fileRouter()
    .openapi(revoke, async (c) => {
      const { revocation: made, created } = await revokeToken(fileContext(deps, c), authority, c.req.valid("json"));
      return created ? c.json(made, 201) : c.json(made, 200);
    })
    .openapi(list, async (c) => {
      return c.json(await listRevocations(fileContext(deps, c), authority, c.req.valid("query")), 200);
    })
    .openapi(read, async (c) => {
      return c.json(await readRevocation(fileContext(deps, c), authority, c.req.valid("param").cid), 200);
    });
}
