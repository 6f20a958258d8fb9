/** The tables' sources: the chain's facts about approaches, authorizations, blocks and actions. */

import type {
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
};

export type AuthorizationVersion = {
  version: number;
  /** Tonnes. */
  quantity: bigint;
  reason: string;
  /** Seconds since 1970. */
  at: bigint;
};

/** Certificates that the CARBON behind a conversion came from. */
export type Underlying = {
  certificateId: string;
  registry: string;
  firstSerial: bigint;
  lastSerial: bigint;
  /** Micro-CARBON of the conversion that came from it. */
  amount: bigint;
  /** Micro-CARBON that the certificate verifies in total. */
  verified: bigint;
};

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
    /** Chain order. */
    sequence: bigint;
    /** Seconds since 1970. */
    at: bigint;
  };

/** Units that a Party holds. */
export type Holding = Units & { party: string };
