import { submitCall } from "../chain/submit.ts";
import { AppError } from "../errors.ts";
import type { ServiceContext } from "../http/context.ts";
import { jsonAmount } from "../http/numbers.ts";
import type { FaucetAnswer, FaucetRequest } from "./schemas.ts";

/**
 * Mint test stablecoin to an account. The embedded chain's only: elsewhere the route does not exist.
 * @throws AppError NOT_FOUND on an outside chain
 */
export async function mintTestStablecoin(ctx: ServiceContext, input: FaucetRequest): Promise<FaucetAnswer> {
  if (!ctx.deps.config.chain.embedded) throw new AppError("NOT_FOUND", "Only the embedded chain has a faucet.");
  const { account, amount } = input;
  const { transactionHash } = await submitCall(ctx, {
    sender: "operator",
    contract: "stablecoin",
    functionName: "mint",
    args: [account, amount],
    purpose: "dev.faucet",
  });
  return { account, amount: jsonAmount(amount), token: ctx.deps.chain.addresses.stablecoin, transactionHash };
}
