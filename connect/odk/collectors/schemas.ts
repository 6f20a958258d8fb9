import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../api/platform/http/index.ts";
import { did, freeText, identifier, timestamp } from "../../../api/platform/values/text.ts";
import { formKinds } from "../../records/forms/question.ts";

export const newCollector = z
  .strictObject({
    name: freeText(100).openapi({ description: "Shown as the project's name on the phone." }),
    collectorDid: did.openapi({ description: "The person who collects, as records name who weighed or surveyed." }),
    implementerDid: did,
    forms: z.array(z.enum(formKinds)).min(1).max(formKinds.length),
    campaignId: identifier(128).optional().openapi({ description: "Required for `kpt` and `usage`." }),
    planId: identifier(128).optional().openapi({ description: "Required for `device`." }),
    supplierDid: did.optional().openapi({ description: "Required for `delivery`." }),
    expiresAt: timestamp.optional(),
  })
  .openapi("NewCollector");
export type NewCollector = z.output<typeof newCollector>;

export const collector = z
  .object({
    id: z.string().openapi({ example: "k3j9x0a7b2c1" }),
    name: z.string(),
    collectorDid: did,
    implementerDid: did,
    forms: z.array(z.enum(formKinds)),
    campaignId: z.string().nullable(),
    planId: z.string().nullable(),
    supplierDid: z.string().nullable(),
    keyId: z
      .string()
      .openapi({ description: "The API key that the link and the password stand for. Revoking it ends both." }),
    createdBy: z.string(),
    createdAt: z.string(),
    revokedAt: z.string().nullable(),
  })
  .openapi("Collector");
export type Collector = z.output<typeof collector>;

export const createdCollector = collector
  .extend({
    url: z.string().openapi({ description: "The server's URL for ODK Collect or Enketo. It is shown only once." }),
    settings: z
      .string()
      .openapi({ description: "Settings of ODK Collect as its QR code holds them; shown only once." }),
    qrCode: z.string().openapi({ description: "That QR code, as SVG; shown only once." }),
    digestUrl: z.string().openapi({
      description: "The server's URL for clients that ask for a user name and a password (HTTP Digest).",
      example: "https://hearth.example/odk",
    }),
    username: z.string().openapi({ description: "The collector's `id`.", example: "k3j9x0a7b2c1" }),
    password: z.string().openapi({ description: "It is shown only once.", example: "kf7m-x2qd-9trw-4hbn-c8vz" }),
  })
  .openapi("CreatedCollector");
export type CreatedCollector = z.output<typeof createdCollector>;

export const collectorPage = page(collector).openapi("CollectorPage");
export const collectorQuery = listQuery;
export const collectorParams = z.object({ id: identifier(64).openapi({ param: { name: "id", in: "path" } }) });
