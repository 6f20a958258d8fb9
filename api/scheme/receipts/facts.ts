import type { Hex } from "viem";
import { consentLevel, isChecked } from "../../../indexer/schema/consent-words.ts";
import {
  decodeId,
  encodeClaimId,
  encodeId,
  encodeRedemptionId,
  encodeVoucherId,
  type IdKind,
  partsOfSwap,
  voucherOfRedemption,
} from "../../../wire/src/ids.ts";
import { type Chain, type ContractName, eventsIn, isoTime } from "../../platform/chain/index.ts";
import { formatScaled } from "../../platform/values/numbers.ts";
import { errorNameOf } from "../claims/index.ts";
import type { ReceiptType } from "../credentials/index.ts";
import type { Registry } from "../registry/index.ts";

export type ReceiptDeps = { chain: Chain; registry: Registry };

/** Location on chain of the event that a receipt attests. */
type Place = { blockHash: Hex; blockNumber: bigint; transactionHash: Hex; logIndex: number };
/** Public facts of one event. Amounts are decimal text, in CARBON or units of the stablecoin. */
export type FoundFacts = {
  type: ReceiptType;
  contract: ContractName;
  place: Place;
  tell: () => Promise<Record<string, unknown>>;
};

type Finder = (deps: ReceiptDeps, id: bigint) => Promise<FoundFacts | undefined>;

/** Functions that find the event of an id, by kind of id. */
const finders: Partial<Record<IdKind, Finder>> = {
  redemption: findRedemption,
  claim: findClaim,
  payment: findPayment,
  swap: findSwap,
};

/** Find the event of an id on chain; undefined when there is none. */
export async function findFacts(deps: ReceiptDeps, text: string) {
  for (const [kind, find] of Object.entries(finders) as [IdKind, Finder][]) {
    const decoded = decodeId(kind, text);
    if (!decoded.ok) continue;
    const found = await find(deps, decoded.id);
    return found && { id: encodeId(kind, decoded.id), ...found };
  }
  return undefined;
}

async function findRedemption(deps: ReceiptDeps, redemption: bigint): Promise<FoundFacts | undefined> {
  const [event] = await deps.chain.past("vouchers", "VoucherRedeemed", { redemption });
  if (event === undefined) return undefined;
  const { supplier, product, amount, deadline } = event.args;
  const consent = consentLevel(event.args.consent);
  const tell = async () => ({
    redemptionId: encodeRedemptionId(redemption),
    voucherId: encodeVoucherId(voucherOfRedemption(redemption)),
    supplierDid: await supplierOf(deps, supplier),
    productId: (await deps.registry.products.byIndex(product))?.productId ?? null,
    carbonAmount: amountText(amount),
    claimDeadline: isoTime(BigInt(deadline)),
    consent,
    authorizedByHousehold: isChecked(consent),
  });
  return { type: "RedemptionReceipt", contract: "vouchers", place: event, tell };
}

async function findClaim(deps: ReceiptDeps, redemption: bigint): Promise<FoundFacts | undefined> {
  const [event] = await deps.chain.past("claims", "ClaimFiled", { redemption });
  if (event === undefined) return undefined;
  const { supplier, credentialHash } = event.args;
  const tell = async () => {
    const { amount } = await deps.chain.read("vouchers", "redemptionOf", [redemption]);
    return {
      claimId: encodeClaimId(redemption),
      redemptionId: encodeRedemptionId(redemption),
      supplierDid: await supplierOf(deps, supplier),
      carbonAmount: amountText(amount),
      credentialHash,
    };
  };
  return { type: "ClaimReceipt", contract: "claims", place: event, tell };
}

async function findPayment(deps: ReceiptDeps, redemption: bigint): Promise<FoundFacts | undefined> {
  const event = (await deps.chain.past("claims", "ClaimPaid", { redemption })).at(-1);
  if (event === undefined) return undefined;
  const { supplier, account, carbonAmount, setOff, stablecoinAmount, fallbackReason } = event.args;
  const inCarbon = fallbackReason !== "0x00000000";
  const { addresses } = deps.chain;
  const tell = async () => ({
    claimId: encodeClaimId(redemption),
    redemptionId: encodeRedemptionId(redemption),
    supplierDid: await supplierOf(deps, supplier),
    account,
    carbonAmount: amountText(carbonAmount),
    setOff: amountText(setOff),
    paid: amountText(inCarbon ? carbonAmount - setOff : stablecoinAmount),
    token: inCarbon ? addresses.carbon : addresses.stablecoin,
    paidInCarbonBecause: inCarbon ? errorNameOf(fallbackReason) : null,
  });
  return { type: "PaymentReceipt", contract: "claims", place: event, tell };
}

async function findSwap(deps: ReceiptDeps, swap: bigint): Promise<FoundFacts | undefined> {
  const { chain, registry } = deps;
  const { blockNumber, logIndex } = partsOfSwap(swap);
  if (blockNumber > (await chain.latest()).number) return undefined;
  const at = { contract: "pool", address: chain.addresses.pool, eventName: ["CarbonSold", "CarbonBought"] } as const;
  const logs = await chain.client.getLogs({ address: at.address, fromBlock: blockNumber, toBlock: blockNumber });
  const event = eventsIn(logs, { ...at, eventName: [...at.eventName] }).find((each) => each.logIndex === logIndex);
  if (event === undefined) return undefined;
  const { account, carbonAmount, stablecoinAmount, price } = event.args;
  const party = async () =>
    event.eventName === "CarbonBought"
      ? { side: "buy", implementerDid: (await registry.implementers.byIndex(event.args.implementer))?.did ?? null }
      : { side: "sell", supplierDid: await supplierOf(deps, event.args.supplier) };
  const tell = async () => ({
    ...(await party()),
    account,
    carbonAmount: amountText(carbonAmount),
    stablecoinAmount: amountText(stablecoinAmount),
    price: amountText(price),
    token: chain.addresses.stablecoin,
  });
  return { type: "SwapReceipt", contract: "pool", place: event as Place, tell };
}

async function supplierOf({ registry }: ReceiptDeps, supplier: number): Promise<string | null> {
  return (await registry.suppliers.byIndex(supplier))?.did ?? null;
}

/** Convert micro-units to decimal text. */
function amountText(micro: bigint): string {
  return formatScaled(micro, 6);
}
