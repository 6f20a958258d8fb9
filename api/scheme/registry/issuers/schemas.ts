import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../platform/http/index.ts";
import { did, identifier, timestamp } from "../../../platform/values/text.ts";

export const newIssuer = z
  .strictObject({
    did,
    credentialTypes: z.array(identifier(128)).min(1).max(20),
    validFrom: timestamp.optional().openapi({ description: "Absent: trusted for credentials of any age." }),
    validUntil: timestamp.optional().openapi({ description: "Absent: until the trust is ended." }),
  })
  .openapi("NewIssuer");
export type NewIssuer = z.infer<typeof newIssuer>;

export const issuer = z
  .object({
    did,
    status: z.enum(["trusted", "not-yet-trusted", "ended"]),
    credentialTypes: z.array(z.string()),
    validFrom: z.iso.datetime().nullable(),
    validUntil: z.iso.datetime().nullable(),
    updatedAt: z.iso.datetime(),
    transactionHash: z.string(),
  })
  .openapi("Issuer");
export type Issuer = z.infer<typeof issuer>;

export const issuerPage = page(issuer).openapi("IssuerPage");
export const issuerQuery = listQuery;
export const issuerParams = z.object({ did: did.openapi({ param: { name: "did", in: "path" } }) });
