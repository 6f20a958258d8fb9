import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../platform/http/index.ts";
import { preparedTransaction, submitRequest } from "../../platform/transactions/index.ts";
import { address, bytes32 } from "../../platform/values/text.ts";
import { nonce, signatures } from "./action-schemas.ts";
import { statuses } from "./status.ts";

const hex = z.string().openapi({ pattern: "^0x[0-9a-fA-F]*$" });
const decimal = z.string().openapi({ pattern: "^[0-9]+$" });
const time = z.iso.datetime();

export const proposalParams = z.object({ id: bytes32.openapi({ param: { name: "id", in: "path" } }) });
export const proposalQuery = listQuery.extend({ status: z.enum(statuses).optional() });

export const approvalRequest = z
  .strictObject({
    signer: address.openapi({ description: "A member of the council." }),
    nonce,
    ...signatures,
  })
  .openapi("ProposalApproval");
export type ApprovalRequest = z.infer<typeof approvalRequest>;

export const cancelRequest = z
  .strictObject({
    by: address.openapi({ description: "The guardian, a member of the council, or who proposed." }),
    nonce,
    ...signatures,
    signedTransaction: submitRequest.shape.signedTransaction.optional().openapi({ description: "The guardian's own." }),
  })
  .openapi("ProposalCancellation");
export type CancelRequest = z.infer<typeof cancelRequest>;

export const pauseRequest = z
  .strictObject({
    from: address.optional().openapi({ description: "The guardian's account, unless its transaction is here." }),
    signedTransaction: submitRequest.shape.signedTransaction.optional(),
  })
  .openapi("PoolPause");
export type PauseRequest = z.infer<typeof pauseRequest>;

const typedData = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});
const words = z.object({
  summary: z.string(),
  changes: z.array(z.string()).openapi({ description: "What each call does, from the bytes that are signed." }),
  notBefore: z.string(),
});
const queue = z.object({
  nonce: decimal.openapi({ description: "The Safe's number that approvals are collected for." }),
  safeNonce: decimal.openapi({ description: "The number that the Safe takes next." }),
  ahead: z.array(hex).openapi({ description: "Proposals whose turn comes first." }),
  note: z.string().nullable(),
});

export const councilNow = z
  .object({
    chainId: z.number().int(),
    contracts: z.record(z.string(), hex),
    state: z.record(z.string(), z.unknown()),
    operations: z.record(z.string(), z.unknown()),
  })
  .openapi("CouncilNow");

export const toSign = z
  .object({
    id: hex,
    typedData: typedData.openapi({ description: "The transaction of the council's Safe: sign it as `signature`." }),
    statement: typedData.openapi({ description: "The same in words: sign it as `statementSignature`." }),
    words,
    warnings: z
      .array(z.string())
      .openapi({ description: "What is against it as things stand; not part of the words." }),
    signer: hex,
    nonce: decimal,
    salt: hex,
    queue,
    again: z.string().nullable().openapi({ description: "Why an approval given before must be given again." }),
    context: z.record(z.string(), z.unknown()).openapi({
      description: "Names and present values that the words are made of, so that the signer makes them again.",
    }),
  })
  .openapi("ApprovalToSign");
export type ToSign = z.infer<typeof toSign>;

const mark = z.object({ transactionHash: hex, blockNumber: z.number().int(), at: time }).nullable();
export const proposal = z
  .object({
    id: hex,
    kind: z.enum(["operation", "direct"]),
    status: z.enum(statuses),
    words,
    alarms: z.array(z.string()),
    action: z.record(z.string(), z.unknown()).nullable().openapi({ description: "Null: made on chain, not here." }),
    calls: z.array(z.object({ target: hex, value: decimal, data: hex })),
    salt: hex,
    delaySeconds: z.number().int(),
    proposer: hex.nullable(),
    createdAt: time,
    expiresAt: time.nullable().openapi({ description: "Approvals are taken until then." }),
    readyAt: time.nullable().openapi({ description: "No earlier can it be executed." }),
    asOf: time.openapi({ description: "Time of the latest block, by which the chain judges `readyAt`." }),
    approvals: z.array(
      z.object({
        signer: hex,
        nonce: decimal,
        counts: z.boolean(),
        whyNot: z.string().nullable(),
        signedAt: time,
        statement: z.record(z.string(), z.unknown()).openapi({ description: "The words that were signed." }),
        statementSignature: hex,
      }),
    ),
    approvalsNeeded: z.number().int(),
    approvalsMissing: z.number().int(),
    queue: queue.nullable(),
    scheduled: mark,
    executed: mark,
    cancelled: mark,
    withdrawnBy: hex.nullable(),
    problem: z.string().nullable().openapi({ description: "Why the chain does not take it, if it was tried." }),
  })
  .openapi("Proposal");
export type ProposalResponse = z.infer<typeof proposal>;
export const proposalPage = page(proposal).openapi("ProposalPage");

export const withdrawalToSign = z
  .object({ id: hex, typedData, signer: hex, note: z.string() })
  .openapi("WithdrawalToSign");
export const cancellation = z.union([proposal, toSign, withdrawalToSign, preparedTransaction]).openapi("Cancellation");
export const paused = z
  .object({ transactionHash: hex, blockNumber: z.number().int(), paused: z.boolean() })
  .openapi("PoolPaused");
export const pauseResponse = z.union([paused, preparedTransaction]);
