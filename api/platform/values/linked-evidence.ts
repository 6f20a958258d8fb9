import { z } from "@hono/zod-openapi";
import { absoluteUri } from "../../../wire/src/absolute-uri.ts";

/** A photo or another file by its URI, with its SHA-256 where it is known; nothing is fetched. */
export const linkedEvidence = z.strictObject({
  uri: z
    .string()
    .max(2048)
    .regex(absoluteUri, "An absolute URI is expected.")
    .refine((text) => !/^data:/i.test(text), { message: "A data: URI is not stored here.", params: { rule: "uri" } }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "64 lower-case hexadecimal digits are expected.")
    .optional(),
});
export type LinkedEvidence = z.infer<typeof linkedEvidence>;
