import { z } from "@hono/zod-openapi";
import { bufferChangeKinds } from "../../../../indexer/schema/itmo-words.ts";
import { listQuery, page } from "../../../platform/http/index.ts";
import { did } from "../../../platform/values/text.ts";

const tonnes = z.number().int();
const serial = z.string();

const bufferChange = z
  .object({
    kind: z.enum(bufferChangeKinds),
    certificateId: z.string().nullable().openapi({ description: "The revoked certificate; null for a release." }),
    firstId: serial,
    lastId: serial,
    quantity: tonnes,
    at: z.iso.datetime(),
    transactionHash: z.string(),
  })
  .openapi("BufferChange");

export const bufferStates = ["held", "releasable", "waiting", "ended"] as const;

const holdFields = {
  status: z.enum(bufferStates).openapi({
    description:
      "held: the holding time is not over; releasable: anyone can have the rest released; waiting: it is over, and the release waits for certificates; ended: nothing is held any more.",
  }),
  firstId: serial.openapi({ description: "First serial that was held." }),
  lastId: serial.openapi({ description: "Last serial that was held." }),
  quantity: tonnes.openapi({ description: "Tonnes held at first." }),
  held: tonnes.openapi({ description: "Tonnes that are still held." }),
  cancelled: tonnes.openapi({ description: "Tonnes cancelled because certificates were revoked." }),
  released: tonnes.openapi({ description: "Tonnes given back to the Party." }),
  dueToCancel: tonnes.openapi({ description: "Held tonnes of finally revoked certificates, which anyone can cancel." }),
  heldUntil: z.iso.datetime().openapi({ description: "End of the holding time." }),
  waitingFor: z.array(z.string()).openapi({
    description: "Certificates that are suspended or whose revocation can be vetoed. A release waits for them.",
  }),
  changes: z.array(bufferChange).openapi({ description: "Cancellations and releases, oldest first." }),
};

export const bufferHold = z.object(holdFields).openapi("BufferHold");
export type BufferHold = z.infer<typeof bufferHold>;

export const bufferedConversion = z
  .object({ conversionId: z.string(), implementerDid: did.nullable(), ...holdFields })
  .openapi("BufferedConversion");

export const bufferPage = page(bufferedConversion).openapi("BufferPage");
export const bufferQuery = listQuery.extend({ implementerDid: did.optional() });
export type BufferQuery = z.infer<typeof bufferQuery>;

export const bufferTerms = z
  .object({
    sharePercent: z.number().openapi({ description: "Share of the next conversions that is held, percent." }),
    holdDays: z.number().int().openapi({ description: "Days for which it is held." }),
    largestSharePercent: z.number(),
    longestHoldDays: z.number().int(),
    longestSuspensionDays: z.number().int().openapi({
      description: "Days after the holding time for which a suspended certificate can delay a release.",
    }),
  })
  .openapi("BufferTerms");
