import { z } from "@hono/zod-openapi";
import { freeText } from "../../../platform/values/text.ts";
import { campaignId } from "../schemas.ts";
import { findingKinds } from "./tables.ts";

const reference = freeText(500).optional().openapi({
  description: "What it refers to: a paragraph of the methodology, a claim's id, a file of the data room.",
});

export const newFinding = z
  .strictObject({
    kind: z.enum(findingKinds).openapi({
      description: "CAR: corrective action request. CL: clarification request. FAR: forward action request.",
    }),
    text: freeText(10_000),
    reference,
  })
  .openapi("NewFinding");
export type NewFinding = z.infer<typeof newFinding>;

export const newReply = z.strictObject({ text: freeText(10_000), reference }).openapi("NewFindingReply");
export type NewReply = z.infer<typeof newReply>;

export const newVerification = z
  .strictObject({
    verifiableCredential: z.unknown().openapi({
      description:
        "A DataRoomVerificationCredential of a trusted issuer, as VC-JWT or in any accepted form; its subject has campaignId and dataRoomHash.",
    }),
  })
  .openapi("NewVerification");
export type NewVerification = z.infer<typeof newVerification>;

const act = z.object({
  text: z.string(),
  reference: z.string().nullable(),
  role: z.string(),
  caller: z.string().openapi({ description: "Id of the API key, or the account of a session." }),
  verifier: z.array(z.string()).optional().openapi({
    description: "DIDs of the verifier who opened the finding; absent where the key names none.",
  }),
  at: z.iso.datetime(),
});

export const finding = z
  .object({
    campaignId,
    number: z.number().int(),
    kind: z.enum(findingKinds),
    status: z.enum(["open", "answered", "closed"]),
    opened: act,
    answers: z.array(act),
    closed: act.nullable(),
  })
  .openapi("Finding", { description: "A finding of a verifier, with the implementer's answers." });
export type FindingResponse = z.infer<typeof finding>;

export const verification = z
  .object({
    campaignId,
    items: z.array(finding).openapi({ description: "Findings of this campaign, in the order of their numbers." }),
    carried: z
      .array(finding)
      .openapi({ description: "Forward action requests of earlier campaigns of the plan that are not closed." }),
    openFindings: z
      .number()
      .int()
      .openapi({ description: "Number of CAR and CL that are not closed. It must be 0 for a certificate." }),
    verifications: z.array(
      z.object({
        issuer: z.string(),
        dataRoomHash: z.string(),
        credentialHash: z.string(),
        credential: z.string().openapi({ description: "The signed statement, compact VC-JWT." }),
        at: z.iso.datetime(),
      }),
    ),
    log: z
      .array(
        z.object({
          campaign: z.number().int(),
          sequence: z.number().int(),
          finding: z.number().int().nullable(),
          content: z.record(z.string(), z.unknown()),
          role: z.string(),
          caller: z.string(),
          at: z.iso.datetime(),
          previousHash: z.string().nullable(),
          hash: z.string(),
        }),
      )
      .openapi({
        description: "Every act, in order. `hash` is the SHA-256 of the canonical JSON of the other members.",
      }),
  })
  .openapi("CampaignVerification");
export type VerificationResponse = z.infer<typeof verification>;

export const findingParams = z.object({
  campaignId: campaignId.openapi({ param: { name: "campaignId", in: "path" } }),
  number: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, "A number from 1 is expected.")
    .transform(Number)
    .openapi({ param: { name: "number", in: "path" }, type: "integer", minimum: 1 }),
});
