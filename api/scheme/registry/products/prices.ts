import { z } from "@hono/zod-openapi";
import { desc, inArray, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import {
  amountInResponse,
  exactDecimal,
  jsonAmount,
  maxMicro,
  nullableAmountInResponse,
  positiveCarbonAmount,
} from "../../../platform/values/numbers.ts";
import { type PriceRow, productPrices } from "./tables.ts";

/** Price of one unit of a product. `amount` is in millionths of the currency, `carbon` in micro-CARBON. */
export type Price = { amount: bigint; currency: string; carbon: bigint | null };

const currencies = new Set(Intl.supportedValuesOf("currency"));

/** Decimals of a currency in ISO 4217, such as 0 for JPY and 2 for ZMW. */
function decimalsOf(currency: string): number {
  const style = new Intl.NumberFormat("en", { style: "currency", currency });
  return style.resolvedOptions().maximumFractionDigits ?? 2;
}

const currency = z
  .string()
  .refine((code) => currencies.has(code), {
    message: "A currency code of ISO 4217 is expected, such as ZMW.",
    params: { rule: "currency" },
  })
  .openapi({ description: "ISO 4217.", example: "ZMW" });

export const newPrice = z
  .strictObject({
    amount: exactDecimal({ decimals: 6, min: 1n, max: maxMicro }).openapi({ example: 450 }),
    currency,
    carbon: positiveCarbonAmount
      .optional()
      .openapi({ description: "CARBON that one unit takes. Absent: the till asks.", example: 60 }),
  })
  .superRefine(({ amount, currency: code }, ctx) => {
    const decimals = currencies.has(code) ? decimalsOf(code) : 6;
    if (amount % 10n ** BigInt(6 - decimals) === 0n) return;
    const message = `Amounts in ${code} have at most ${decimals} decimals.`;
    ctx.addIssue({ code: "custom", path: ["amount"], message, params: { rule: "decimals" } });
  })
  .openapi("NewPrice");
export type NewPrice = z.infer<typeof newPrice>;

export const price = z
  .object({
    amount: amountInResponse,
    currency: z.string().openapi({ description: "ISO 4217.", example: "ZMW" }),
    carbon: nullableAmountInResponse.openapi({ description: "CARBON that one unit takes; null: not set." }),
  })
  .openapi("Price");

export function serializePrice({ amount, currency: code, carbon }: Price): z.infer<typeof price> {
  return { amount: jsonAmount(amount), currency: code, carbon: carbon === null ? null : jsonAmount(carbon) };
}

/** Stores prices. A change adds a row, so that the earlier prices stay. */
export function openPriceStore(db: Database) {
  return {
    /** Current prices by productId; a product without one is absent. */
    async of(productIds: string[]): Promise<Map<string, Price>> {
      if (productIds.length === 0) return new Map();
      const rows = await db
        .selectDistinctOn([productPrices.productId])
        .from(productPrices)
        .where(inArray(productPrices.productId, productIds))
        .orderBy(productPrices.productId, desc(productPrices.id));
      return new Map(rows.flatMap((row) => priceIn(row)));
    },
    /** Set a product's price, or remove it with null. Setting the same price again changes nothing. */
    async set(productId: string, next: Price | null, keyId: string): Promise<void> {
      await db.transaction(async (transaction) => {
        // Changes that arrive together are stored one after the other.
        await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`price ${productId}`}, 0))`);
        const [last] = await transaction
          .select()
          .from(productPrices)
          .where(inArray(productPrices.productId, [productId]))
          .orderBy(desc(productPrices.id))
          .limit(1);
        const row = {
          amount: next?.amount ?? null,
          currency: next?.currency ?? null,
          carbon: next?.carbon ?? null,
        };
        const before = last ?? { amount: null, currency: null, carbon: null };
        const isSame = before.amount === row.amount && before.currency === row.currency && before.carbon === row.carbon;
        if (!isSame) await transaction.insert(productPrices).values({ productId, ...row, setBy: keyId });
      });
    },
  };
}

function priceIn({ productId, amount, currency: code, carbon }: PriceRow): [string, Price][] {
  return amount === null || code === null ? [] : [[productId, { amount, currency: code, carbon }]];
}
