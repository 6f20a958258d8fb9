import { z } from "@hono/zod-openapi";
import { amountInAnswer, positiveCarbonAmount } from "../values/numbers.ts";
import { account } from "../values/text.ts";

export const faucetRequest = z
  .strictObject({ account, amount: positiveCarbonAmount.openapi({ description: "tUSD, at most 6 decimals." }) })
  .openapi("FaucetRequest");
export type FaucetRequest = z.infer<typeof faucetRequest>;

export const faucetAnswer = z
  .object({ account: z.string(), amount: amountInAnswer, token: z.string(), transactionHash: z.string() })
  .openapi("FaucetAnswer");
export type FaucetAnswer = z.infer<typeof faucetAnswer>;
