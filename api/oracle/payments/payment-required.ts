import { AppError } from "../../platform/errors.ts";

/** What is to be paid, and where. Amounts are stablecoin base units. */
export type PaymentDemand = {
  claimIds: string[];
  amount: bigint;
  chainId: number;
  registry: string;
  asset: string;
  payee: string;
  oracle: string;
  /** The registry's name of the user. */
  user: string;
  url: string;
};

/** How long the price is meant to hold, in seconds. */
const maxTimeoutSeconds = 600;

/**
 * The refusal of a message that is not paid for: the claims' ids under every name by which clients look for them, and beside them
 * the header of x402 version 2, so that clients which know only that learn asset, amount and network.
 */
export function paymentRequired(demand: PaymentDemand): AppError {
  const { claimIds } = demand;
  const message = "This oracle is paid for each message. Make a deposit (contract the oracle), then send it again.";
  return new AppError("PAYMENT_REQUIRED", message, {
    details: [{ rule: "deposit", message }],
    extra: { claims: claimIds, outstandingClaims: claimIds, claimIds },
    headers: { "PAYMENT-REQUIRED": Buffer.from(JSON.stringify(x402(demand, message))).toString("base64") },
  });
}

function x402({ claimIds, amount, chainId, registry, asset, payee, oracle, user, url }: PaymentDemand, error: string) {
  return {
    x402Version: 2,
    error,
    resource: { url, description: "A message to the oracle", mimeType: "text/event-stream" },
    accepts: [
      {
        scheme: "exact",
        network: `eip155:${chainId}`,
        amount: `${amount}`,
        asset,
        payTo: payee,
        maxTimeoutSeconds,
        // A bare transfer is not credited: the deposit is made by this call.
        extra: { method: "contractOracle(bytes32,bytes32,uint64,uint64)", registry, oracle, user, claimIds },
      },
    ],
  };
}
