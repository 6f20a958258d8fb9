import { z } from "@hono/zod-openapi";
import { page } from "../../platform/http/index.ts";
import { integer } from "../../platform/values/numbers.ts";
import { identifier, timestamp } from "../../platform/values/text.ts";
import { cardLanguage } from "../cards/index.ts";

/** Most codes on a household's paper: what one A4 page holds. */
export const MAX_CODES = 12;

export const codesPerVoucher = integer(1, MAX_CODES);
const codeSetId = identifier(64).openapi({ description: "The id of the operation that issues the vouchers." });

export const codeSet = z
  .object({
    codeSetId,
    implementerDid: z.string(),
    emissionCertificateId: z.string(),
    batchId: z.string().openapi({ description: "The batch id of the vouchers." }),
    language: cardLanguage,
    codesPerVoucher: z.int(),
    isPrintable: z.boolean().openapi({ description: "False after the codes were deleted from the service." }),
    createdAt: timestamp,
  })
  .openapi("CodeSet");
export type CodeSet = z.infer<typeof codeSet>;
export const codeSetPage = page(codeSet).openapi("CodeSetPage");
export const codeSetParams = z.object({ codeSetId: codeSetId.openapi({ param: { name: "codeSetId", in: "path" } }) });
export const codeSheetQuery = z.strictObject({
  language: cardLanguage.optional().openapi({ description: "Absent: the set's language." }),
});
