import { z } from "@hono/zod-openapi";
import { amountInResponse, positiveCarbonAmount } from "../values/numbers.ts";
import { account } from "../values/text.ts";

export const faucetRequest = z
  .strictObject({ account, amount: positiveCarbonAmount.openapi({ description: "tUSD, at most 6 decimals." }) })
  .openapi("FaucetRequest");
export type FaucetRequest = z.infer<typeof faucetRequest>;

export const faucetResponse = z
  .object({ account: z.string(), amount: amountInResponse, token: z.string(), transactionHash: z.string() })
  .openapi("FaucetAnswer");
export type FaucetResponse = z.infer<typeof faucetResponse>;
