import { z } from "@hono/zod-openapi";
import { campaignStatuses, dropReasons } from "./groups.ts";

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const block = z.number().int();
const position = z.number().int();

const group = z
  .object({
    root: hash,
    size: z.number().int(),
    leaves: z.array(hash).openapi({ description: "Every household hash of the frame, ascending." }),
    sample: z
      .array(z.object({ position, leaf: hash, status: z.enum(["sampled", "replaced"]) }))
      .openapi({ description: "Every household drawn so far, in the order of the draw." }),
    replacements: z.array(
      z.object({ dropped: position, replacement: position, reason: z.enum(dropReasons), transactionHash: z.string() }),
    ),
  })
  .openapi("DrawDocumentGroup");

/** What anyone needs to draw again: no DID, only keyed hashes. */
export const drawDocument = z
  .object({
    format: z.literal("hearth-draw-1"),
    chainId: z.number().int(),
    contract: z.string().openapi({ description: "Address of the Campaigns contract." }),
    campaignId: z.string(),
    campaign: z.number().int().openapi({ description: "The campaign's number on chain." }),
    status: z.enum(campaignStatuses),
    sampleSize: z.number().int(),
    commit: z.object({ blockNumber: block, transactionHash: z.string(), drawBlock: block }),
    draw: z
      .object({ drawBlock: block, blockHash: hash, seed: hash, blockNumber: block, transactionHash: z.string() })
      .nullable(),
    groups: z.object({ reference: group, intervention: group }),
  })
  .openapi("DrawDocument", { description: "Commit, draw and replacements of a campaign, for `npm run verify-draw`." });
export type DrawDocument = z.infer<typeof drawDocument>;
export type DrawDocumentGroup = z.infer<typeof group>;
