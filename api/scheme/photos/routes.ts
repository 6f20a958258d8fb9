import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  jsonContent,
  limitTogether,
  onlyFor,
  requestContext,
  streamResponse,
} from "../../platform/http/index.ts";
import type { Log } from "../../platform/log.ts";
import { imageTypes, openPhoto, type PhotoDeps, receivePhoto } from "./service.ts";

const MiB = 1024 * 1024;
/** Photos that a caller may send at the same time: each is held in memory and waits for a thread. */
const mostTogether = 16;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "64 lower-case hexadecimal digits are expected.");
const binary = z.string().openapi({ format: "binary" });

const sentPhoto = z
  .object({
    sha256: sha256.openapi({ description: "Of the bytes. Name it with the evidence of a record." }),
    uri: z.string().nullable().openapi({ description: "Link of the kept photo, for a record; null with keep=false." }),
    size: z.number().int().openapi({ description: "Bytes." }),
  })
  .openapi("SentPhoto");

const send = createRoute({
  method: "post",
  path: "/photos",
  callers: onlyFor(["implementer", "evaluator", "regulator"], "campaigns:write", "devices:write", "kpt:write"),
  summary: "Send a photo that is evidence of a record",
  description:
    "The photo is the body. Its EXIF time, position and camera are compared with the records that name it: claims, usage surveys, " +
    "replaced and missing households, and devices. The photo is kept encrypted; with keep=false only its EXIF data are kept.",
  tags: ["Photos"],
  bodyLimit: 16 * MiB,
  middleware: limitTogether(mostTogether, "photos of this key"),
  request: {
    query: z.strictObject({ keep: z.enum(["true", "false"]).optional() }),
    body: {
      required: true,
      content: Object.fromEntries(imageTypes.map((type) => [type, { schema: binary }])) as Record<
        (typeof imageTypes)[number],
        { schema: typeof binary }
      >,
    },
  },
  responses: {
    201: { description: "How records name the photo", content: jsonContent(sentPhoto) },
    ...errorResponses(400, 403, 413),
  },
});

const open = createRoute({
  method: "get",
  path: "/photos/{sha256}",
  callers: onlyFor(["evaluator", "regulator"]),
  summary: "Download a kept photo",
  tags: ["Photos"],
  request: { params: z.object({ sha256: sha256.openapi({ param: { name: "sha256", in: "path" } }) }) },
  responses: {
    200: { description: "The photo", content: { "application/octet-stream": { schema: binary } } },
    ...errorResponses(400, 403, 404),
  },
});

/** Photos that records name as evidence. */
export function photoRoutes(deps: PhotoDeps & { log: Log }): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(send, async (c) => {
      const mimeType = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
      const bytes = c.var.bodyBytes ?? new Uint8Array();
      const isKept = c.req.valid("query").keep !== "false";
      return c.json(await receivePhoto(deps, requestContext(c), { bytes, mimeType, isKept }), 201);
    })
    .openapi(open, async (c) => {
      const { sha256: digest } = c.req.valid("param");
      const { stream, size } = await openPhoto(deps, digest);
      const headers = {
        "Content-Type": "application/octet-stream",
        "Content-Length": String(size),
        "Content-Disposition": `attachment; filename="${digest}"`,
        "Cache-Control": "no-store",
      };
      return (await streamResponse(c, stream(), { status: 200, headers, log: deps.log })) as never;
    });
}
