import { index, onchainTable, primaryKey } from "ponder";
import type {
  AuthorizationChangeKind,
  ConversionStatus,
  FirstTransferDefinition,
  ItmoActionSubtype,
  ItmoActionType,
  ItmoBlockStatus,
  ItmoPurpose,
} from "./itmo-words.ts";

/** Article 6.2. Quantities are whole tonnes, CARBON amounts micro-CARBON; Parties are ISO 3166 alpha-3 codes. */

/** Cooperative approaches. */
export const cooperativeApproach = onchainTable(
  "cooperative_approach",
  (t) => ({
    /** Index on chain, counted from 1. */
    index: t.integer().primaryKey(),
    /** Public id: `CA` and four digits. */
    cooperativeApproachId: t.text().notNull(),
    /** Party that transfers first. */
    firstTransferringParty: t.text().notNull(),
    /** Sectors, as the agreed electronic format names them. */
    sectors: t.text().array().notNull(),
    /** Kind of mitigation activity. */
    activityType: t.text().notNull(),
    /** First year of the NDC implementation period. */
    ndcFirstYear: t.integer().notNull(),
    /** Last year of it. */
    ndcLastYear: t.integer().notNull(),
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Time of the registration's block, seconds since 1970. */
    registeredAt: t.bigint().notNull(),
    /** Transaction of the registration. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byApproachId: index().on(table.cooperativeApproachId) }),
);

/** The Parties of a cooperative approach, the first transferring one included. */
export const approachParty = onchainTable(
  "approach_party",
  (t) => ({
    /** Index of the cooperative approach. */
    approachIndex: t.integer("approach").notNull(),
    /** The Party. */
    party: t.text().notNull(),
    /** Whether it is the one that transfers first. */
    firstTransferring: t.boolean().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.approachIndex, table.party] }),
    byParty: index().on(table.party),
  }),
);

/** Authorizations of ITMOs, in their current state. */
export const itmoAuthorization = onchainTable(
  "itmo_authorization",
  (t) => ({
    /** Index on chain, counted from 1. */
    index: t.integer().primaryKey(),
    /** Public id. */
    authorizationId: t.text().notNull(),
    /** Index of the cooperative approach. */
    approachIndex: t.integer("approach").notNull(),
    /** Day of the authorization, days since 1970-01-01 UTC. */
    authorizedDay: t.integer().notNull(),
    /** What the outcomes are authorized for, e.g. `NDC and OIMP`. */
    purpose: t.text().$type<ItmoPurpose>().notNull(),
    /** What is the first transfer of an outcome for an OIMP; null when none is authorized. */
    firstTransfer: t.text().$type<FirstTransferDefinition>(),
    /** First vintage; 0 with `lastYear` 0 for any. */
    firstYear: t.integer().notNull(),
    /** Last vintage. */
    lastYear: t.integer().notNull(),
    /** Share cancelled for OMGE, ten-thousandths. */
    omgeShare: t.integer().notNull(),
    /** Share of proceeds for adaptation, ten-thousandths. */
    sopShare: t.integer().notNull(),
    /** Canonical JSON of what only reports need. */
    terms: t.text().notNull(),
    /** Version in force, from 1. */
    version: t.integer().notNull(),
    /** Authorized tonnes of that version. */
    quantity: t.bigint().notNull(),
    /** Tonnes requested and not reverted. */
    committed: t.bigint().notNull(),
    /** Tonnes of them that were minted. */
    issued: t.bigint().notNull(),
    /** Purposes left for units that were not first transferred; null when it is revoked, or nothing was taken away. */
    leftPurpose: t.text().$type<ItmoPurpose>(),
    /** Tonnes in total whose first transfer is still authorized; null when nothing was taken away. */
    leftQuantity: t.bigint(),
    /** From when the last reduction or revocation cannot be vetoed, seconds since 1970; null when nothing was taken away. */
    reductionFinalAt: t.bigint(),
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Time of the registration's block, seconds since 1970. */
    registeredAt: t.bigint().notNull(),
    /** Transaction of the registration. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    byAuthorizationId: index().on(table.authorizationId),
    byApproach: index().on(table.approachIndex, table.index),
  }),
);

/** Every version of an authorization, the first included; rows are only ever added. */
export const itmoAuthorizationVersion = onchainTable(
  "itmo_authorization_version",
  (t) => ({
    /** Index of the authorization. */
    authorizationIndex: t.integer("itmo_authorization").notNull(),
    /** From 1. */
    version: t.integer().notNull(),
    /** Authorized tonnes. */
    quantity: t.bigint().notNull(),
    /** Reason of the change; empty for the first version. */
    reason: t.text().notNull(),
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Time of the change's block, seconds since 1970. */
    changedAt: t.bigint().notNull(),
    /** Transaction of the change. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.authorizationIndex, table.version] }) }),
);

/** Reductions, revocations and vetoes of an authorization; rows are only ever added. */
export const authorizationChange = onchainTable(
  "authorization_change",
  (t) => ({
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).primaryKey(),
    /** Index of the authorization. */
    authorizationIndex: t.integer("itmo_authorization").notNull(),
    /** `reduction`, `revocation` or `veto`. */
    kind: t.text().$type<AuthorizationChangeKind>().notNull(),
    /** Purposes left by it; null for none, or when a veto restored everything. */
    purpose: t.text().$type<ItmoPurpose>(),
    /** Tonnes in total whose first transfer it leaves authorized; null when a veto restored everything. */
    quantity: t.bigint(),
    /** From when it cannot be vetoed, seconds since 1970; null when a veto restored everything. */
    finalAt: t.bigint(),
    /** Its reason. */
    reason: t.text().notNull(),
    /** Time of its block, seconds since 1970. */
    changedAt: t.bigint().notNull(),
    /** Its transaction. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byAuthorization: index().on(table.authorizationIndex, table.sequence) }),
);

/** Entities that an authorization allows to use or cancel. */
export const authorizedEntity = onchainTable(
  "authorized_entity",
  (t) => ({
    /** Index of the authorization. */
    authorizationIndex: t.integer("itmo_authorization").notNull(),
    /** Place in the authorization, from 0. */
    position: t.integer().notNull(),
    /** Name of the legal person. */
    name: t.text().notNull(),
    /** Country of incorporation. */
    country: t.text().notNull(),
    /** Public id of the entity. */
    entityId: t.text().notNull(),
    /** Index of the implementer that converts for the entity; null for none. Where any has one, only these convert. */
    implementerIndex: t.integer("implementer"),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.authorizationIndex, table.position] }),
    byEntityId: index().on(table.entityId),
  }),
);

/** Conversions of CARBON into ITMOs. */
export const itmoConversion = onchainTable(
  "itmo_conversion",
  (t) => ({
    /** Number on chain, counted from 1. */
    index: t.integer().primaryKey(),
    /** Public id, `CONV-…`; the account in `carbon_move` of the CARBON in escrow. */
    publicId: t.text().notNull(),
    /** Index of the implementer. */
    implementerIndex: t.integer("implementer").notNull(),
    /** Index of the authorization. */
    authorizationIndex: t.integer("itmo_authorization").notNull(),
    /** Where the CARBON came from. It goes back to the implementer's account in force. */
    account: t.hex().notNull(),
    /** Micro-CARBON. */
    amount: t.bigint().notNull(),
    /** Tonnes. */
    quantity: t.bigint().notNull(),
    /** Vintage of the reductions. */
    vintage: t.integer().notNull(),
    /** Nonce of the order that was relayed; 0 when the account asked itself. */
    nonce: t.bigint().notNull(),
    /** `requested`, `finalised` or `reverted`. */
    status: t.text().$type<ConversionStatus>().notNull(),
    /** The registry's code; null until finalised. */
    registryId: t.text(),
    /** First serial that was minted; null until finalised. */
    firstId: t.bigint(),
    /** Last serial (inclusive); null until finalised. */
    lastId: t.bigint(),
    /** Chain order of the request, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Block of the request. */
    blockNumber: t.bigint().notNull(),
    /** Time of the request's block, seconds since 1970. */
    requestedAt: t.bigint().notNull(),
    /** Transaction of the request. */
    transactionHash: t.hex().notNull(),
    /** Chain order of the end (finalised or reverted); null while requested. */
    endSequence: t.int8({ mode: "bigint" }),
    /** Time of the end, seconds since 1970; null while requested. */
    endedAt: t.bigint(),
    /** Transaction of the end; null while requested. */
    endTransactionHash: t.hex(),
    /** Who reverted it; null unless reverted. */
    revertedBy: t.hex(),
    /** Why; empty when the account took it back; null unless reverted. */
    revertReason: t.text(),
  }),
  (table) => ({
    byPublicId: index().on(table.publicId),
    byImplementer: index().on(table.implementerIndex, table.index),
    byAuthorization: index().on(table.authorizationIndex, table.index),
    byStatus: index().on(table.status, table.index),
    bySerial: index().on(table.registryId, table.firstId),
    byEnd: index().on(table.endSequence),
  }),
);

/** Blocks of ITMOs, in their current state. An action on a part splits a block in two. */
export const itmoBlock = onchainTable(
  "itmo_block",
  (t) => ({
    /** On-chain id (96 bits): conversion (32), first serial (64). */
    id: t.bigint().primaryKey(),
    /** Public id, `ITMO-…`. */
    publicId: t.text().notNull(),
    /** Unique id: cooperative approach, registry, first transferring Party, first and last serial, vintage. */
    uniqueId: t.text().notNull(),
    /** Index of the conversion. */
    conversionIndex: t.integer("conversion").notNull(),
    /** Index of the authorization. */
    authorizationIndex: t.integer("itmo_authorization").notNull(),
    /** Public id of the cooperative approach. */
    cooperativeApproachId: t.text().notNull(),
    /** Party that transfers first. */
    firstTransferringParty: t.text().notNull(),
    /** The registry's code. */
    registryId: t.text().notNull(),
    /** First serial. */
    firstId: t.bigint().notNull(),
    /** Last serial (inclusive). */
    lastId: t.bigint().notNull(),
    /** Tonnes. */
    quantity: t.bigint().notNull(),
    /** Vintage. */
    vintage: t.integer().notNull(),
    /** `held`, `used-for-ndc`, `used-for-oimp`, `cancelled`, `omge`, `share-of-proceeds` or `buffered`. */
    status: t.text().$type<ItmoBlockStatus>().notNull(),
    /** Holds it, or held it when it was used or cancelled; null for the share of proceeds. */
    party: t.text(),
    /** What triggered the first transfer; null before it. */
    firstTransfer: t.text().$type<ItmoActionSubtype>(),
    /** On-chain id of the block that it was cut from; null for a whole conversion's. */
    splitFromId: t.bigint("split_from"),
    /** `itmo_holding.since` of the current period; null when nobody holds it any more. */
    heldSince: t.int8({ mode: "bigint" }),
    /** Chain order of the minting or split, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Block of the minting or split. */
    blockNumber: t.bigint().notNull(),
    /** Time of that block, seconds since 1970. */
    createdAt: t.bigint().notNull(),
    /** Transaction of the minting or split. */
    transactionHash: t.hex().notNull(),
    /** Chain order of the last change. */
    changeSequence: t.int8({ mode: "bigint" }).notNull(),
  }),
  (table) => ({
    byPublicId: index().on(table.publicId),
    bySerial: index().on(table.registryId, table.firstId),
    byConversion: index().on(table.conversionIndex, table.firstId),
    byStatus: index().on(table.status, table.id),
    byParty: index().on(table.party, table.status),
    byAuthorization: index().on(table.authorizationIndex, table.id),
  }),
);

/** Who held which serials, from when to when. Periods that are over keep the range of their last day. */
export const itmoHolding = onchainTable(
  "itmo_holding",
  (t) => ({
    /** On-chain id of the block. */
    blockId: t.bigint("block").notNull(),
    /** Chain order of the beginning. */
    since: t.int8({ mode: "bigint" }).notNull(),
    /** Index of the conversion. */
    conversionIndex: t.integer("conversion").notNull(),
    /** The registry's code. */
    registryId: t.text().notNull(),
    /** First serial. */
    firstId: t.bigint().notNull(),
    /** Last serial (inclusive). */
    lastId: t.bigint().notNull(),
    /** The Party that holds them. */
    party: t.text().notNull(),
    /** Time of the beginning, seconds since 1970. */
    heldFrom: t.bigint().notNull(),
    /** Time of the end; null while it continues. */
    heldUntil: t.bigint(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.blockId, table.since] }),
    byParty: index().on(table.party, table.heldFrom),
    byHolder: index().on(table.party, table.registryId, table.firstId),
    byTime: index().on(table.heldFrom),
  }),
);

/** Every action of the agreed electronic format, each on a whole block; rows are only ever added. */
export const itmoAction = onchainTable(
  "itmo_action",
  (t) => ({
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).primaryKey(),
    /** On-chain id of the block. */
    blockId: t.bigint("block").notNull(),
    /** Index of the conversion. */
    conversionIndex: t.integer("conversion").notNull(),
    /** Index of the authorization. */
    authorizationIndex: t.integer("itmo_authorization").notNull(),
    /** `First transfer`, `Transfer`, `Use`, `Cancellation` or `Voluntary Cancellation`. */
    action: t.text().$type<ItmoActionType>().notNull(),
    /** Subtype, as the format names it; or null. */
    subtype: t.text().$type<ItmoActionSubtype>(),
    /** Public id of the cooperative approach. */
    cooperativeApproachId: t.text().notNull(),
    /** Public id of the authorization. */
    authorizationId: t.text().notNull(),
    /** Party that transfers first. */
    firstTransferringParty: t.text().notNull(),
    /** The registry's code. */
    registryId: t.text().notNull(),
    /** First serial. */
    firstId: t.bigint().notNull(),
    /** Last serial (inclusive). */
    lastId: t.bigint().notNull(),
    /** Tonnes. */
    quantity: t.bigint().notNull(),
    /** Vintage. */
    vintage: t.integer().notNull(),
    /** Party that transfers; null where none does. */
    transferringParty: t.text(),
    /** Party that acquires; null where none does. */
    acquiringParty: t.text(),
    /** Party that uses or cancels; null where none does. */
    usingParty: t.text(),
    /** Authorized entity that uses or cancels; null when the Party does, or nobody. */
    usingEntity: t.text(),
    /** What an OIMP use was for: `IMP`, `OP` or `OIMP`; else null. */
    purpose: t.text().$type<ItmoPurpose>(),
    /** Year of the NDC that it was used towards; else null. */
    ndcYear: t.integer(),
    /** Free text; empty when none was given. */
    note: t.text().notNull(),
    /** Number of the block. */
    blockNumber: t.bigint().notNull(),
    /** The block's timestamp, seconds since 1970. */
    actedAt: t.bigint().notNull(),
    /** Hash of the transaction. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    byBlock: index().on(table.blockId, table.sequence),
    byConversion: index().on(table.conversionIndex, table.sequence),
    byTime: index().on(table.actedAt),
    byParty: index().on(table.firstTransferringParty, table.actedAt),
  }),
);
