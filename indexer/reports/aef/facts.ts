/** The tables' sources: the chain's facts about approaches, authorizations, blocks and actions. */

import type {
  AuthorizationChangeKind,
  FirstTransferDefinition,
  ItmoActionSubtype,
  ItmoActionType,
  ItmoPurpose,
} from "../../schema/itmo-words.ts";

export type Approach = {
  /** Index on chain. */
  index: number;
  approachId: string;
  firstTransferringParty: string;
  participatingParties: readonly string[];
  sectors: readonly string[];
  activityType: string;
  ndcFirstYear: number;
  ndcLastYear: number;
};

export type Entity = { name: string; country: string; entityId: string };

export type Authorization = {
  /** Index on chain. */
  index: number;
  authorizationId: string;
  /** Index of the approach. */
  approach: number;
  /** Days since 1970-01-01 UTC. */
  date: number;
  purpose: ItmoPurpose;
  firstTransfer: FirstTransferDefinition | null;
  /** 0 with `lastYear` 0 means any year. */
  firstYear: number;
  lastYear: number;
  entities: readonly Entity[];
  /** JSON that only reports need. */
  terms: string;
  /** Every version up to the time of the report, in order; the first has no reason. */
  versions: readonly AuthorizationVersion[];
  /** Reductions, revocations and vetoes up to the time of the report, in order. */
  changes: readonly AuthorizationChange[];
};

/** What the regulator took away for units that were not first transferred, or the guardian's veto of it. */
export type AuthorizationChange = {
  kind: AuthorizationChangeKind;
  /** Purposes left; null for none, or when a veto restored everything. */
  purpose: ItmoPurpose | null;
  /** Tonnes left in total; null when a veto restored everything. */
  quantity: bigint | null;
  reason: string;
  /** Seconds since 1970. */
  at: bigint;
};

export type AuthorizationVersion = {
  version: number;
  /** Tonnes. */
  quantity: bigint;
  reason: string;
  /** Seconds since 1970. */
  at: bigint;
};

/** A certificate's units. */
export type VerifiedUnits = {
  registry: string;
  firstSerial: bigint;
  lastSerial: bigint;
  /** Micro-CARBON that the certificate verifies in total. */
  verified: bigint;
};

/** A lot of a conversion: the part of a certificate's CARBON that the conversion took. Amounts are micro-CARBON. */
export type Lot = {
  certificateId: string;
  units: VerifiedUnits;
  /** Where the lot begins in the conversion. */
  offset: bigint;
  /** Where the lot begins in what became ITMOs of the certificate. */
  certificateOffset: bigint;
  amount: bigint;
};

/** The part of a lot behind a row, and its units. A unit at either end may be shared with the part before or after. */
export type Underlying = {
  certificateId: string;
  registry: string;
  firstSerial: bigint;
  lastSerial: bigint;
  /** Micro-CARBON of the row's ITMOs that came from it. */
  amount: bigint;
};

/**
 * Find the units of a part of a certificate's CARBON: in the order of the serials, what became ITMOs first has the first serials.
 * @param offset Where the part begins in what became ITMOs of the certificate, micro-CARBON
 */
export function unitsOfPart(units: VerifiedUnits, offset: bigint, amount: bigint) {
  const count = units.lastSerial - units.firstSerial + 1n;
  const unitAt = (position: bigint) => units.firstSerial + (position * count) / units.verified;
  return { firstSerial: unitAt(offset), lastSerial: unitAt(offset + amount - 1n) };
}

/**
 * Find what is behind a part of a conversion's ITMOs: in the order of the ITMOs' serials, the first lots have the first serials.
 * @param lots The conversion's lots, in order
 * @param offset Where the part begins in the conversion, micro-CARBON
 */
export function underlyingOf(lots: readonly Lot[], offset: bigint, amount: bigint): Underlying[] {
  return lots.flatMap((lot) => {
    const before = offset > lot.offset ? offset - lot.offset : 0n;
    const after = lot.offset + lot.amount - (offset + amount);
    const own = lot.amount - before - (after > 0n ? after : 0n);
    if (own <= 0n) return [];
    const part = unitsOfPart(lot.units, lot.certificateOffset + before, own);
    return [{ certificateId: lot.certificateId, registry: lot.units.registry, ...part, amount: own }];
  });
}

type UnitRange = { registry: string; units: { first: bigint; last: bigint } };

/** What units verify: micro-CARBON of `count` units together, of which each verifies the same. */
export type Capacity = { verified: bigint; count: bigint };

/** Find what the units of a range verify; undefined if it is not a part of one certificate. */
export function capacityOf(certificates: readonly VerifiedUnits[]): (range: UnitRange) => Capacity | undefined {
  const byRegistry = Map.groupBy(certificates, ({ registry }) => registry);
  return ({ registry, units: { first, last } }) => {
    const found = lastFrom(byRegistry.get(registry) ?? [], first);
    if (found === undefined || last > found.lastSerial || first > last) return undefined;
    return { verified: found.verified, count: found.lastSerial - found.firstSerial + 1n };
  };
}

/** Find the last of some certificates, in the order of their serials, that begins no later than a serial. */
function lastFrom(certificates: readonly VerifiedUnits[], serial: bigint): VerifiedUnits | undefined {
  let [low, high] = [0, certificates.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((certificates[middle]?.firstSerial ?? 0n) <= serial) low = middle + 1;
    else high = middle;
  }
  return certificates[low - 1];
}

/** The identity of units, which never changes. */
export type Units = {
  approachId: string;
  authorizationId: string;
  firstTransferringParty: string;
  registryId: string;
  firstId: bigint;
  lastId: bigint;
  vintage: number;
  /** Null when unknown. */
  underlying: readonly Underlying[] | null;
};

/** Who did what; null where it does not apply. */
export type Movement = {
  transferringParty: string | null;
  acquiringParty: string | null;
  usingParty: string | null;
  usingEntity: string | null;
  purpose: ItmoPurpose | null;
  ndcYear: number | null;
  note: string;
};

/** One action of the chain. `Authorization` is the creation of a block under its authorization, which has its own event. */
export type Action = Units &
  Movement & {
    type: ItmoActionType | "Authorization";
    subtype: ItmoActionSubtype | null;
    /** Whether it gave a share at minting under an approach of Article 6.4, where the shares are mandatory. */
    isMandatory: boolean;
    /** Chain order. */
    sequence: bigint;
    /** Seconds since 1970. */
    at: bigint;
  };

/** Units that a Party holds. */
export type Holding = Units & { party: string };
