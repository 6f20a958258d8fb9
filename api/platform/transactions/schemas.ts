import { z } from "@hono/zod-openapi";
import { address } from "../values/text.ts";

/** Field of an action's request: whose transaction it becomes. */
export const from = address.openapi({ description: "The account that will sign and pay." });

const hex = z.string().openapi({ pattern: "^0x[0-9a-f]*$" });
const decimal = z.string().openapi({ pattern: "^[0-9]+$" });

export const preparedTransaction = z
  .object({
    kind: z.literal("transaction"),
    contract: z.string(),
    functionName: z.string(),
    transaction: z.object({
      type: z.literal("eip1559"),
      chainId: z.number().int(),
      from: hex,
      to: hex,
      nonce: z.number().int(),
      value: decimal,
      data: hex,
      gas: decimal,
      maxFeePerGas: decimal,
      maxPriorityFeePerGas: decimal,
    }),
    unsignedTransaction: hex.openapi({ description: "The same, serialized: sign its keccak-256." }),
    validUntil: z.iso.datetime().optional().openapi({ description: "When what it carries expires." }),
  })
  .openapi("PreparedTransaction");
export const preparedTypedData = z
  .object({
    kind: z.literal("typed-data"),
    signer: hex.nullable().openapi({ description: "The account that must sign; null while the household has none." }),
    typedData: z.object({
      domain: z.record(z.string(), z.unknown()),
      types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
      primaryType: z.string(),
      message: z.record(z.string(), z.unknown()),
    }),
  })
  .openapi("PreparedTypedData");
export const preparedTransactions = z
  .object({
    kind: z.literal("transactions"),
    transactions: z.array(preparedTransaction).openapi({ description: "Sign and send them in this order." }),
  })
  .openapi("PreparedTransactions");
export const prepared = z.union([preparedTransaction, preparedTransactions, preparedTypedData]).openapi("Prepared");
export type PreparedTransaction = z.infer<typeof preparedTransaction>;
export type PreparedTransactions = z.infer<typeof preparedTransactions>;
export type PreparedTypedData = z.infer<typeof preparedTypedData>;
export type Prepared = PreparedTransaction | PreparedTransactions | PreparedTypedData;

export const submitRequest = z
  .strictObject({
    signedTransaction: z
      .string()
      .regex(/^0x([0-9a-fA-F]{2}){1,65536}$/, "Hexadecimal bytes of a signed transaction are expected.")
      .transform((text) => text as `0x${string}`),
  })
  .openapi("SubmitTransaction");
export type SubmitRequest = z.infer<typeof submitRequest>;

export const submitted = z
  .object({
    transactionHash: hex,
    blockNumber: z.number().int(),
    status: z.literal("mined"),
    from: hex,
    contract: z.string(),
    functionName: z.string(),
    events: z.array(z.object({ contract: z.string(), event: z.string(), args: z.record(z.string(), z.unknown()) })),
    voucherId: z.string().optional(),
    redemptionId: z.string().optional(),
    conversionId: z.string().optional(),
  })
  .openapi("MinedTransaction");
export type Submitted = z.infer<typeof submitted>;
