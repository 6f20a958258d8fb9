import { submitCall } from "../chain/index.ts";
import { AppError } from "../errors.ts";
import type { RequestContext } from "../http/index.ts";
import { jsonAmount } from "../values/numbers.ts";
import type { FaucetDeps } from "./deps.ts";
import type { FaucetRequest, FaucetResponse } from "./schemas.ts";

/**
 * Mint test stablecoin to an account, on the embedded chain only.
 * @throws AppError NOT_FOUND on another chain
 */
export async function mintTestStablecoin(
  deps: FaucetDeps,
  ctx: RequestContext,
  input: FaucetRequest,
): Promise<FaucetResponse> {
  if (!deps.config.chain.embedded) throw new AppError("NOT_FOUND", "Only the embedded chain has a faucet.");
  const { account, amount } = input;
  const { transactionHash } = await submitCall(deps, ctx, {
    sender: "operator",
    contract: "stablecoin",
    functionName: "mint",
    args: [account, amount],
    purpose: "dev.faucet",
  });
  return { account, amount: jsonAmount(amount), token: deps.chain.addresses.stablecoin, transactionHash };
}
