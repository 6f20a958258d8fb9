import { AppError } from "../../platform/errors.ts";

/** A demand for payment. Amounts are stablecoin base units. */
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

/** How long the price is valid, in seconds. */
const maxTimeoutSeconds = 600;

/**
 * Create the error for an unpaid message: it contains the claims' ids under every name that clients look for, and the header of
 * x402 version 2, from which other clients learn asset, amount and network.
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
        // A plain transfer is not credited; the deposit must use this call.
        extra: { method: "contractOracle(bytes32,bytes32,uint64,uint64)", registry, oracle, user, claimIds },
      },
    ],
  };
}
