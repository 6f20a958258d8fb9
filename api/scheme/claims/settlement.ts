import { type Hex, toFunctionSelector } from "viem";
import { allErrors, BatchCollector, type Chain, eventsIn, type MinedCall } from "../../platform/chain/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";

export type ClaimOrder = { redemption: bigint; credentialHash: Hex };
export type ClaimOutcome = { mined: MinedCall; order: ClaimOrder | undefined; refusedFor: string | undefined };
export type ClaimPaid = {
  account: Hex;
  carbonAmount: bigint;
  setOff: bigint;
  stablecoinAmount: bigint;
  fallbackReason: Hex;
};

/** Most gas of an order: the bound of one payment (Claims.PAYMENT_GAS, FALLBACK_GAS) and the claim's record. */
const GAS_PER_ORDER = 700_000n;

/** Collect claims that arrive together, then file and pay them in one transaction. */
export function openClaimCollector(chain: Chain): BatchCollector<ClaimOrder, ClaimOutcome> {
  return new BatchCollector<ClaimOrder, ClaimOutcome>(chain, {
    purpose: "claim.file",
    sender: "operator",
    contract: "claims",
    functionName: "claimMany",
    maxOrders: 100,
    gatherMs: 10,
    gasOf: () => GAS_PER_ORDER,
    // Each claim was checked separately before; only the ledger checks claims of one batch for conflicts.
    review: async (orders) => orders.map(() => null),
    argsOf: (orders) => [orders],
    read: (mined) => readOutcomes(mined, chain.addresses.claims),
  });
}

/**
 * Read one outcome for each order, in order. Refused orders are found by their index; the filed ones follow each other.
 */
export function readOutcomes(mined: MinedCall, address: Hex): ClaimOutcome[] {
  const at = { contract: "claims", address } as const;
  const filed = eventsIn(mined.logs, { ...at, eventName: "ClaimFiled" });
  const refused = new Map(
    eventsIn(mined.logs, { ...at, eventName: "ClaimRefused" }).map(({ args }) => [Number(args.order), args.reason]),
  );
  return Array.from({ length: filed.length + refused.size }, (_, i): ClaimOutcome => {
    const reason = refused.get(i);
    if (reason !== undefined) return { mined, order: undefined, refusedFor: errorNameOf(reason) };
    const event = filed.shift();
    return { mined, order: event?.args, refusedFor: undefined };
  });
}

const errorNames = new Map(
  allErrors.flatMap((entry) => (entry.type === "error" ? [[toFunctionSelector(signatureOf(entry)), entry.name]] : [])),
);

function signatureOf({ name, inputs }: { name: string; inputs: readonly { type: string }[] }): string {
  return `${name}(${inputs.map(({ type }) => type).join(",")})`;
}

/** Find the name of a contract error by its selector; returns the selector for an unknown error. */
export function errorNameOf(selector: Hex): string {
  return errorNames.get(selector) ?? selector;
}

/** Why the pool did not pay, in the API's terms. */
const fallbackReasons: Record<string, string> = {
  PoolPaused: "pool-paused",
  PoolDry: "pool-dry",
  TransactionCapExceeded: "pool-capped",
  WindowCapExceeded: "pool-capped",
  DayCapExceeded: "pool-capped",
  LifetimeCapExceeded: "pool-capped",
  SupplierCapExceeded: "pool-capped",
  AmountTooSmall: "amount-too-small",
};

/** Build the settlement: what a supplier received for a claim. */
export function settlementOf(paid: ClaimPaid, transactionHash: Hex) {
  const { account, carbonAmount, setOff, stablecoinAmount, fallbackReason } = paid;
  const inCarbon = fallbackReason !== "0x00000000";
  return {
    asset: inCarbon ? ("CARBON" as const) : ("stablecoin" as const),
    amount: jsonAmount(inCarbon ? carbonAmount - setOff : stablecoinAmount),
    ...(setOff > 0n ? { setOff: jsonAmount(setOff) } : {}),
    ...(inCarbon ? { reason: fallbackReasons[errorNameOf(fallbackReason)] ?? "payment-failed" } : {}),
    account,
    transactionHash,
  };
}
