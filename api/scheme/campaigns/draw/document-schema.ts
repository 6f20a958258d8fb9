import { z } from "@hono/zod-openapi";
import { campaignStatuses, discardReasons, dropReasons } from "../groups.ts";

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const block = z.number().int();
const position = z.number().int();

const partyAct = z.object({
  round: z.number().int().openapi({ description: "0, and one more with each repetition of the draw." }),
  account: z.string(),
  blockNumber: block,
  transactionHash: z.string(),
});

export const discardedDraw = z
  .object({
    round: z.number().int().openapi({ description: "0, and one more with each repetition of the draw." }),
    reason: z.enum(discardReasons).openapi({
      description:
        "`secret-withheld`: a party did not reveal its secret in time. `block-lost`: nobody revealed one while the hash of the draw block was in reach. `campaign-abandoned`: the campaign was abandoned.",
    }),
    operator: z.string(),
    secondParty: z.string().nullable(),
    drawBlock: block.openapi({
      description: "The block that drew or was to draw: anyone who had the secrets could know the draw after it.",
    }),
    seed: hash.nullable().openapi({ description: "Null: the draw was not complete." }),
    blockNumber: block,
    transactionHash: z.string(),
  })
  .openapi("DiscardedDraw", { description: "A draw that was discarded after it was open, as the chain's event says." });

const signatureHex = z.string().regex(/^0x([0-9a-f]{2})+$/);
export const drawBeacon = z
  .object({
    chainHash: z.string().openapi({ description: "Names the beacon's chain." }),
    round: z.number().int(),
    publishedAt: z.number().int().openapi({ description: "When the round is published, unix seconds." }),
    drawBlockTime: z.number().int().openapi({ description: "Of the draw block, unix seconds; it decides the round." }),
    signature: signatureHex
      .nullable()
      .openapi({ description: "Null until it is known here; until then there is no sample." }),
  })
  .openapi("DrawBeacon", {
    description:
      "A public randomness beacon that takes part in the draw: the order's seed is keccak256(seed ‖ SHA-256 of the signature).",
  });
export type DrawBeaconResponse = z.infer<typeof drawBeacon>;

const group = z
  .object({
    root: hash,
    size: z.number().int(),
    leaves: z.array(hash).openapi({ description: "Every household hash of the frame, ascending." }),
    strata: z.array(z.number().int()).optional().openapi({
      description: "For each of `leaves`, the index of its stratum in the committed terms; absent without strata.",
    }),
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
    format: z.literal("hearth-draw-2"),
    chainId: z.number().int(),
    contract: z.string().openapi({ description: "Address of the Campaigns contract." }),
    campaignId: z.string(),
    campaign: z.number().int().openapi({ description: "The campaign's number on chain." }),
    status: z.enum(campaignStatuses),
    sampleSize: z.number().int(),
    commit: z.object({ blockNumber: block, transactionHash: z.string(), drawBlock: block.nullable() }),
    parties: z.object({
      committed: z
        .array(partyAct.extend({ commitment: hash }))
        .openapi({ description: "Every commitment to a secret; a round with one has the operator's alone." }),
      revealed: z.array(partyAct.extend({ secret: hash })),
      withheld: z.array(partyAct).openapi({ description: "Who did not reveal its secret in time." }),
    }),
    discarded: z.array(discardedDraw).optional().openapi({
      description: "Draws that were discarded after they were open; absent where there is none.",
    }),
    serviceAccounts: z
      .array(z.string())
      .openapi({ description: "Accounts that this service signs with; none of them counts as a second party." }),
    draw: z
      .object({
        drawBlock: block,
        blockHash: hash,
        blockTime: z.number().int().optional().openapi({
          description: "Time of the draw block, unix seconds; absent from documents of earlier versions.",
        }),
        seed: hash,
        secrets: z
          .object({ operator: hash, secondParty: hash.nullable() })
          .openapi({ description: "The secrets in the seed; without a second party its place in the seed is zero." }),
        twoParties: z.boolean(),
        beacon: drawBeacon.optional().openapi({ description: "Absent where the terms commit no public beacon." }),
        blockNumber: block,
        transactionHash: z.string(),
      })
      .nullable(),
    groups: z.object({ reference: group, intervention: group }),
  })
  .openapi("DrawDocument", { description: "Commit, draw and replacements of a campaign, for `npm run verify-draw`." });
export type DrawDocument = z.infer<typeof drawDocument>;
export type DrawDocumentGroup = z.infer<typeof group>;
