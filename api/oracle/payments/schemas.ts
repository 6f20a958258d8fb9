import { z } from "@hono/zod-openapi";
import { listQuery } from "../../platform/http/index.ts";
import { preparedTransaction } from "../../platform/transactions/index.ts";
import { address } from "../../platform/values/text.ts";

const hash = z.string().openapi({ pattern: "^0x[0-9a-f]{64}$" });
const account = z.string().openapi({ pattern: "^0x[0-9a-fA-F]{40}$" });
const units = z.string().openapi({ pattern: "^[0-9]+$", description: "Stablecoin base units (6 decimals)." });

const uint64 = z
  .string()
  .regex(/^\d{1,20}$/, "must be decimal text of base units")
  .transform((text) => BigInt(text))
  .refine((value) => value < 2n ** 64n, "must be less than 2^64")
  .openapi({ type: "string", pattern: "^[0-9]+$", example: "1000000" });

export const oracleFacts = z
  .object({
    name: z.string(),
    did: z.string(),
    apiUrl: z.string().nullable().openapi({ description: "As registered; null while the oracle is not." }),
    wsUrl: z.string().nullable(),
    agentCardUri: z.string().nullable(),
    model: z.string(),
    price: units.openapi({ description: "Of a message; 0: free." }),
    freeMessages: z.number().int(),
    allowance: z.number().int().openapi({ description: "How many unpaid claims of a user may stand." }),
    payee: account.nullable(),
    chain: z.object({
      chainId: z.number().int(),
      registryAddress: account,
      stablecoin: account,
      rpcUrl: z.string().nullable().openapi({ description: "Of the embedded chain; else ask a node of your own." }),
    }),
  })
  .openapi("OracleFacts");
export type OracleFacts = z.infer<typeof oracleFacts>;

const deposit = z.object({
  payer: account,
  balance: units,
  withdrawing: units,
  acceptedPrice: units,
});

export const oracleAccount = z
  .object({
    user: hash.openapi({ description: "What the registry knows the caller by: `user` of `contractOracle`." }),
    price: units,
    freeMessages: z.number().int(),
    freeMessagesLeft: z.number().int(),
    allowance: z.number().int(),
    deposits: z.array(deposit),
    claims: z.object({ unpaid: z.number().int(), unknown: z.number().int(), paid: z.number().int() }),
  })
  .openapi("OracleAccount");
export type OracleAccount = z.infer<typeof oracleAccount>;

export const contractRequest = z
  .strictObject({
    from: address.openapi({ description: "The account that deposits and signs." }),
    amount: uint64.optional().openapi({ description: "Absent: what a hundred messages cost." }),
    maxPrice: uint64.optional().openapi({ description: "The most that a message may cost. Absent: the price." }),
  })
  .openapi("ContractOracle");

export const preparedContract = z
  .object({
    oracle: hash,
    user: hash,
    amount: units,
    maxPrice: units,
    transactions: z.array(preparedTransaction).openapi({ description: "Sign and send them in this order." }),
  })
  .openapi("PreparedContract");

const claimState = z.enum(["unpaid", "unknown", "paid"]);

export const claimsQuery = listQuery.extend({ state: claimState.optional() });

export const oracleClaim = z
  .object({
    claimId: z.string().openapi({ example: "CLM-01M80BFXZ99FFQZYV44SCW421V" }),
    state: claimState,
    amount: units,
    sessionId: z.string(),
    requestId: z.string(),
    runId: z.string().nullable().openapi({ description: "Null: the message waits for payment." }),
    payer: account.nullable(),
    transactionHash: hash.nullable(),
    createdAt: z.iso.datetime(),
  })
  .openapi("OracleClaim");
export type OracleClaim = z.infer<typeof oracleClaim>;
