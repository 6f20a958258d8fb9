import { createRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../platform/errors.ts";
import {
  createRouter,
  errorResponses,
  everyKey,
  jsonContent,
  requestContext,
  roles,
} from "../../platform/http/index.ts";
import type { ReadAccess } from "../access/read-access.ts";
import type { TokenVerifier } from "../auth/tokens.ts";

const tags = ["Oracle"];

const userToken = z.strictObject({
  invocation: z.string().min(1).max(100_000).openapi({
    description:
      "An invocation of the oracle, signed by the user's DID in conversations: base64 CAR, at most 15 minutes",
  }),
});

const allow = createRoute({
  method: "post",
  path: "/oracle-access",
  callers: everyKey,
  tags,
  summary: "Let the oracle read with the caller's rights in a user's conversations",
  description:
    "For an hour, and only while the caller's key or session is valid. The oracle never writes with these rights.",
  request: { body: { required: true, content: jsonContent(userToken) } },
  responses: {
    200: {
      description: "For which user, as which role, and until when",
      content: jsonContent(
        z.object({
          userDid: z.string(),
          role: z.enum(roles),
          expiresAt: z.string().openapi({ format: "date-time" }),
        }),
      ),
    },
    ...errorResponses(400),
  },
});

const end = createRoute({
  method: "post",
  path: "/oracle-access/end",
  callers: everyKey,
  tags,
  summary: "End what the caller allowed the oracle for a user",
  request: {
    body: { required: true, content: jsonContent(z.strictObject({ userDid: z.string().min(1).max(1_024) })) },
  },
  responses: {
    200: { description: "It is ended", content: jsonContent(z.object({ ok: z.literal(true) })) },
    ...errorResponses(400),
  },
});

/** The user who signed an invocation. @throws AppError INVALID_INPUT, because the request itself is authenticated */
async function userOf(tokens: TokenVerifier, invocation: string): Promise<string> {
  try {
    return (await tokens.verify("invocation", invocation)).issuer;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
    const details = error.details.map(({ rule, message }) => ({ path: "invocation", rule, message }));
    throw new AppError("INVALID_INPUT", "The invocation is not valid.", { details });
  }
}

export type AccessRouteDeps = { auth: { tokens: TokenVerifier }; readAccess: ReadAccess };

/** Routes by which the holder of a key or session lets the oracle read in their name. */
export function accessRoutes({ auth, readAccess }: AccessRouteDeps) {
  return createRouter()
    .openapi(allow, async (c) => {
      const userDid = await userOf(auth.tokens, c.req.valid("json").invocation);
      const { actor } = requestContext(c);
      const { expiresAt } = await readAccess.allow(userDid, actor);
      return c.json({ userDid, role: actor.role, expiresAt: expiresAt.toISOString() }, 200);
    })
    .openapi(end, async (c) => {
      await readAccess.end(c.req.valid("json").userDid, requestContext(c).actor);
      return c.json({ ok: true as const }, 200);
    });
}
