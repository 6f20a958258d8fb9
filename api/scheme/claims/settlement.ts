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

/** An order may need what one payment is bounded to (Claims.PAYMENT_GAS, FALLBACK_GAS) and its own record. */
const GAS_PER_ORDER = 700_000n;

/** Claims that arrive together are filed, and paid, in one transaction. */
export function openClaimCollector(chain: Chain): BatchCollector<ClaimOrder, ClaimOutcome> {
  return new BatchCollector<ClaimOrder, ClaimOutcome>(chain, {
    purpose: "claim.file",
    sender: "operator",
    contract: "claims",
    functionName: "claimMany",
    maxOrders: 100,
    gatherMs: 10,
    gasOf: () => GAS_PER_ORDER,
    // Each claim has been reviewed by itself; what two of a batch do to each other is the ledger's verdict.
    review: async (orders) => orders.map(() => null),
    argsOf: (orders) => [orders],
    read: (mined) => readOutcomes(mined, chain.addresses.claims),
  });
}

/** One outcome for each order, in order: a refused order is known by its index, the filed ones follow each other. */
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

/** The name of a contract error by its selector; the selector itself when it is none of ours. */
export function errorNameOf(selector: Hex): string {
  return errorNames.get(selector) ?? selector;
}

/** Why the pool did not pay, in the words of the answer. */
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

/** What a supplier got for a claim. */
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
