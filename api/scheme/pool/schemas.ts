import { z } from "@hono/zod-openapi";
import { orderNonce, orderSignatures, typedDataToSign } from "../../platform/chain/index.ts";
import { listQuery, page } from "../../platform/http/index.ts";
import { preparedTransaction } from "../../platform/transactions/index.ts";
import { amountInResponse, nullableAmountInResponse, positiveCarbonAmount } from "../../platform/values/numbers.ts";
import { did, identifier } from "../../platform/values/text.ts";
import { sides } from "./arithmetic.ts";
import { amountIn, deadline, minOut } from "./terms.ts";

const hex = z.string().openapi({ pattern: "^0x[0-9a-fA-F]*$" });
const amount = amountInResponse;
const bound = nullableAmountInResponse.openapi({ description: "CARBON; null: no bound." });
const side = z
  .enum(sides)
  .openapi({ description: "buy: CARBON out of the pool for stablecoin. sell: CARBON into it." });
const swapId = identifier(128).openapi({ example: "SWAP-00000000C00023" });

const amounts = {
  amountIn: amountIn.optional(),
  amountOut: positiveCarbonAmount.optional().openapi({ description: "What it takes, at least.", example: 5000 }),
};

type Context = z.core.$RefinementCtx<Record<string, unknown>>;

function requireOne(fields: [string, string], ctx: Context): void {
  const given = fields.filter((field) => ctx.value[field] !== undefined);
  if (given.length === 1) return;
  const message = `Exactly one of ${fields.join(" and ")} is expected.`;
  for (const path of given.length === 0 ? [fields[0]] : given) {
    ctx.addIssue({
      code: "custom",
      path: [path],
      message,
      params: { rule: given.length === 0 ? "required" : "one-of" },
    });
  }
}

/** Refuse a party or a bound that the other fields exclude; otherwise it would be ignored silently. */
function refuse(ctx: Context, field: string, message: string): void {
  ctx.addIssue({ code: "custom", path: [field], message, params: { rule: "one-of" } });
}

function need(ctx: Context, field: string, message: string): void {
  if (ctx.value[field] === undefined)
    ctx.addIssue({ code: "custom", path: [field], message, params: { rule: "required" } });
}

export const quoteRequest = z
  .strictObject({
    side,
    ...amounts,
    supplierDid: did.optional().openapi({ description: "Who would sell: its own cap of the day counts too." }),
  })
  .superRefine((_, ctx) => requireOne(["amountIn", "amountOut"], ctx as never))
  .openapi("PoolQuoteRequest");
export type QuoteRequest = z.infer<typeof quoteRequest>;

const brokenRule = z.object({ path: z.string(), rule: z.string(), message: z.string() });

export const quote = z
  .object({
    side,
    amountIn: amount,
    amountOut: amount,
    price: amount.openapi({ description: "Stablecoin for one CARBON." }),
    fee: z.number().openapi({ description: "Fraction of the stablecoin amount, at most 4 decimals." }),
    feeAmount: amount.openapi({ description: "Stablecoin that the swap costs beyond the price, rounding included." }),
    executable: z.boolean().openapi({ description: "Whether the pool would carry it out now." }),
    brokenRules: z.array(brokenRule).openapi({ description: "Why it would not: pause, caps, reserve." }),
    blockNumber: z.number().int(),
  })
  .openapi("PoolQuote");
export type Quote = z.infer<typeof quote>;

export const swapRequest = z
  .strictObject({
    side,
    implementerDid: did.optional().openapi({ description: "Who buys." }),
    supplierDid: did.optional().openapi({ description: "Who sells." }),
    ...amounts,
    minOut: minOut.optional(),
    maxIn: positiveCarbonAmount.optional().openapi({ description: "With amountOut: the most that it may cost." }),
    deadline,
    signatures: orderSignatures({ nonce: orderNonce.optional() }).optional(),
  })
  .superRefine((body, context) => {
    const ctx = context as never as Context;
    requireOne(["amountIn", "amountOut"], ctx);
    if (body.amountIn !== undefined) need(ctx, "minOut", "Say the least that must come out.");
    else if (body.amountOut !== undefined) need(ctx, "maxIn", "Say the most that it may cost.");
    if (body.amountOut !== undefined && body.minOut !== undefined) refuse(ctx, "minOut", "minOut goes with amountIn.");
    if (body.amountIn !== undefined && body.maxIn !== undefined) refuse(ctx, "maxIn", "maxIn goes with amountOut.");
    const [party, other] = body.side === "buy" ? ["implementerDid", "supplierDid"] : ["supplierDid", "implementerDid"];
    need(ctx, party as string, body.side === "buy" ? "Name who buys." : "Only suppliers sell: name who does.");
    if (body[other as "supplierDid"] !== undefined)
      refuse(ctx, other as string, `To ${body.side}, ${party} is expected.`);
  })
  .openapi("PoolSwapRequest");
export type SwapRequest = z.infer<typeof swapRequest>;

export const swapToSign = z
  .object({
    typedData: z.array(typedDataToSign).openapi({ description: "Sign each; the order is the last." }),
    transactions: z
      .array(preparedTransaction)
      .openapi({ description: "Or sign and send these instead, in their order, with no relayer between." }),
    amountIn: amount,
    amountOut: amount.openapi({ description: "What the swap would give now." }),
    minOut: amount,
    nonce: z.string(),
    deadline: z.number().int().openapi({ description: "Unix seconds." }),
  })
  .openapi("PoolSwapToSign");
export type SwapToSign = z.infer<typeof swapToSign>;

export const swapRecord = z
  .object({
    id: swapId,
    side,
    implementerDid: z.string().optional(),
    supplierDid: z.string().optional(),
    account: hex,
    amountIn: amount,
    amountOut: amount,
    price: amount,
    feeAmount: amount,
    swappedAt: z.iso.datetime(),
    transactionHash: hex,
    blockNumber: z.number().int(),
  })
  .openapi("PoolSwap");
export type SwapRecord = z.infer<typeof swapRecord>;

export const swapParams = z.strictObject({ swapId });
export const swapListQuery = listQuery.extend({
  side: side.optional(),
  implementerDid: did.optional(),
  supplierDid: did.optional(),
});
export type SwapListQuery = z.infer<typeof swapListQuery>;
export const swapPage = page(swapRecord);

const room = z.object({
  perTransaction: bound,
  perWindow: bound,
  perDay: bound,
  lifetime: bound,
  now: amount.openapi({ description: "CARBON that may be swapped now: the least of every cap and the reserve." }),
});
const status = z.enum(["ok", "violated"]).nullable();

export const solvency = z
  .object({
    solvent: z.boolean().nullable().openapi({ description: "null: not every check could be made." }),
    blockNumber: z.number().int(),
    blockHash: hex,
    held: z.object({ carbon: amount.nullable(), stablecoin: amount.nullable() }),
    obligations: z
      .object({ carbon: amount, stablecoin: amount })
      .nullable()
      .openapi({ description: "CARBON in escrow that suppliers may yet bring, and what it costs at today's price." }),
    checks: z.array(z.object({ id: z.string(), title: z.string(), status, reason: z.string().optional() })),
  })
  .openapi("PoolSolvency");
export type Solvency = z.infer<typeof solvency>;

export const poolQuery = z.strictObject({
  supplierDid: did.optional().openapi({ description: "Also say what this supplier may still sell now." }),
});

export const pool = z
  .object({
    address: hex,
    carbon: z.object({ address: hex }),
    stablecoin: z.object({ address: hex }),
    blockNumber: z.number().int(),
    blockTime: z.iso.datetime(),
    paused: z.boolean(),
    price: amount.openapi({ description: "Stablecoin for one CARBON." }),
    fee: z.number().openapi({ description: "Fraction of the stablecoin amount." }),
    buyPrice: z.number().openapi({ description: "What one CARBON costs, the fee included." }),
    sellPrice: z.number().openapi({ description: "What one CARBON brings, less the fee." }),
    reserves: z.object({ carbon: amount, stablecoin: amount }),
    caps: z.object({
      perTransaction: bound,
      perWindow: bound,
      windowSeconds: z.number().int(),
      perDay: bound,
      lifetime: bound,
      perSupplierDay: bound,
    }),
    capsLeft: z
      .object({ buy: room, sell: room.extend({ perSupplierDay: bound }) })
      .nullable()
      .openapi({ description: "null: this deployment's pool cannot tell." }),
    solvency,
  })
  .openapi("Pool");
export type PoolResponse = z.infer<typeof pool>;
