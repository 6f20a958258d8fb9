import { z } from "@hono/zod-openapi";
import { readCardId } from "../../../wire/src/card-code.ts";
import { actingChannels, listQuery, page } from "../../platform/http/index.ts";
import { integer } from "../../platform/values/numbers.ts";
import { did, freeText, identifier, timestamp } from "../../platform/values/text.ts";
import { cardLanguages, cardStatuses } from "./tables.ts";

/** Most cards of a batch. */
export const MAX_CARDS = 100_000;

const reason = freeText(500);
export const cardLanguage = z
  .enum(cardLanguages)
  .openapi("CardLanguage", { description: "Language of the text on the card." });
export const cardStatus = z.enum(cardStatuses).openapi("CardStatus", {
  description:
    "issued: printed, belongs to nobody. linked: belongs to a household. active: the household has it. blocked: lost or " +
    "stolen. replaced: another card took its place.",
});
export const cardId = z
  .string()
  .regex(/^\d{11}$/, "11 digits are expected.")
  .openapi({ example: "40718293651", description: "The digits on the card without the last one, which checks them." });
/** A card's id as people have it; the service uses the 11 digits. */
const givenCardId = z
  .string()
  .max(64)
  .transform((text, check) => {
    const read = readCardId(text);
    if (read !== undefined) return read;
    check.addIssue({
      code: "custom",
      message: "The 11 digits of a card, or 12 with the right check digit, are expected.",
    });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    example: "407182936514",
    description: "The 11 digits of the card, the 12 digits on the paper, or the text of its QR code.",
  });
const batchId = identifier(64).openapi({ example: "01JDHB3ZK2V9WQXTM5C6R7Y8FA" });

export const newBatch = z
  .strictObject({
    implementerDid: did.optional().openapi({ description: "Absent: the implementer of the key." }),
    count: integer(1, MAX_CARDS),
    language: cardLanguage,
  })
  .openapi("NewCardBatch");
export type NewBatch = z.infer<typeof newBatch>;

export const batch = z
  .object({ batchId, implementerDid: z.string(), language: cardLanguage, count: z.int(), createdAt: timestamp })
  .openapi("CardBatch");
export type BatchResponse = z.infer<typeof batch>;
export const batchPage = page(batch).openapi("CardBatchPage");
export const batchParams = z.object({ batchId: batchId.openapi({ param: { name: "batchId", in: "path" } }) });

export const sheetQuery = z.strictObject({
  perSheet: z.enum(["8", "10"]).default("10").openapi({ description: "Cards on an A4 sheet." }),
  language: cardLanguage.optional().openapi({ description: "Absent: the batch's language." }),
});
export type SheetQuery = z.infer<typeof sheetQuery>;

export const card = z
  .object({
    cardId,
    batchId,
    place: z.int().openapi({ description: "Place in the batch, from 1, in the order of the sheets." }),
    status: cardStatus,
    householdDid: did.nullable(),
    replacedBy: cardId.nullable(),
    changedAt: timestamp,
  })
  .openapi("Card");
export type CardResponse = z.infer<typeof card>;
export const cardPage = page(card).openapi("CardPage");
export const cardParams = z.object({ cardId: givenCardId.openapi({ param: { name: "cardId", in: "path" } }) });

const cardChange = z
  .object({
    status: cardStatus,
    reason: z.string().nullable(),
    role: z.string(),
    caller: z.string().openapi({ description: "The API key or account that made the change." }),
    channel: z.enum(actingChannels).nullable().openapi({
      description: "Through what the caller acted for the household; null for changes before this was stored.",
    }),
    at: timestamp,
  })
  .openapi("CardChange");
export const cardWithChanges = card.extend({ changes: z.array(cardChange) }).openapi("CardWithChanges");
export type CardWithChanges = z.infer<typeof cardWithChanges>;

export const cardQuery = listQuery.extend({
  batchId: batchId.optional(),
  status: cardStatus.optional(),
  householdDid: did.optional(),
});
export type CardQuery = z.infer<typeof cardQuery>;

export const linkRequest = z.strictObject({ householdDid: did }).openapi("LinkCard");
export const blockRequest = z.strictObject({ reason }).openapi("BlockCard");
export const replaceRequest = z
  .strictObject({ newCardId: givenCardId.openapi({ description: "A card that is issued." }), reason })
  .openapi("ReplaceCard");
export type ReplaceRequest = z.infer<typeof replaceRequest>;
