import { getContract } from "viem";
import { authorizationsAbi } from "../../../deployments/abi/authorizations.ts";
import { itmoAbi } from "../../../deployments/abi/itmo.ts";
import {
  type ConversionStatus,
  conversionStatuses,
  firstTransferDefinitions,
  type ItmoActionSubtype,
  type ItmoBlockStatus,
  itmoActionSubtypes,
  itmoBlockStatuses,
  itmoPurposes,
  wordAt,
} from "../../../indexer/schema/itmo-words.ts";
import { codeBytes, codeText } from "../../../wire/src/code-text.ts";
import { itmoBlockIdOf } from "../../../wire/src/itmo-ids.ts";
import { type Chain, dateOf, decodeContractError, type PastEvents, revertData } from "../../platform/chain/index.ts";
import { idHash, type Registry } from "../registry/index.ts";
import type { ApproachRow, AuthorizationRow, ConversionAnswerRow, ConversionRow } from "./tables.ts";
import { readTerms } from "./terms.ts";

export type ItmoChain = Pick<Chain, "client" | "addresses" | "past" | "head">;

/** Current state of a conversion on chain. Quantities are tonnes. */
export type ConversionState = {
  conversion: number;
  implementer: number;
  authorization: number;
  vintage: number;
  status: ConversionStatus;
  /** Seconds, chain time. */
  requestedAt: number;
  /** Seconds, chain time: from then on an open request may be withdrawn. */
  reclaimableFrom: number;
  quantity: bigint;
  account: `0x${string}`;
  /** Empty until the conversion is finalised. */
  registryId: string;
};

/** Current state of a block of ITMOs on chain. `party` is empty for the share of proceeds. */
export type BlockState = {
  id: bigint;
  conversion: number;
  authorization: number;
  registryId: string;
  firstId: bigint;
  lastId: bigint;
  vintage: number;
  party: string;
  status: ItmoBlockStatus;
  firstTransfer: ItmoActionSubtype | null;
};

export type AuthorizationState = Awaited<ReturnType<ItmoLedger["authorizationState"]>>;

function contractOf({ client, addresses }: Pick<ItmoChain, "client" | "addresses">) {
  return getContract({ abi: itmoAbi, address: addresses.itmo, client });
}

function authorizationsOf({ client, addresses }: Pick<ItmoChain, "client" | "addresses">) {
  return getContract({ abi: authorizationsAbi, address: addresses.authorizations, client });
}

/** Reader of cooperative approaches, authorizations, conversions and blocks on chain. */
export function openItmoLedger(chain: ItmoChain, registry: Registry) {
  const contract = contractOf(chain);
  const placeOf = async ({ transactionHash, blockNumber }: { transactionHash: string; blockNumber: bigint }) => ({
    transactionHash,
    blockNumber: Number(blockNumber),
    at: await registry.ledger.timeOf(blockNumber),
  });
  return {
    ...readsOfRegistry(contract.read, chain, placeOf),
    ...readsOfAuthorizations(authorizationsOf(chain).read, chain, placeOf),
    ...readsOfConversions(contract.read, chain, placeOf),
    ...readsOfBlocks(contract.read, chain),
  };
}
export type ItmoLedger = ReturnType<typeof openItmoLedger>;

type Reads = ReturnType<typeof contractOf>["read"];
type PlaceOf = (event: { transactionHash: string; blockNumber: bigint }) => Promise<Place>;
type Place = { transactionHash: string; blockNumber: number; at: Date };

function readsOfRegistry(read: Reads, chain: ItmoChain, placeOf: PlaceOf) {
  return {
    approachIndex: (cooperativeApproachId: string): Promise<number> =>
      read.approachIndex([codeBytes(cooperativeApproachId)]),
    approachIsTaken: async (approach: number) => codeText((await read.approachOf([approach])).approachId) !== "",
    async approachRegistration(approach: number): Promise<ApproachRow | null> {
      const [event] = await chain.past("itmo", "ApproachRegistered", { approach });
      if (!event) return null;
      return approachFrom(event, await placeOf(event));
    },
    authorizationIndex: (authorizationId: string): Promise<number> =>
      read.authorizationIndex([idHash(authorizationId)]),
    authorizationIsTaken: async (authorization: number) => (await read.authorizationOf([authorization])).version !== 0,
    async authorizationRegistration(authorization: number): Promise<AuthorizationRow | null> {
      const [event] = await chain.past("itmo", "AuthorizationRegistered", { authorization });
      if (!event) return null;
      return authorizationFrom(event, await placeOf(event));
    },
    /** Tonnes, and the version of the quantity. */
    async authorizationState(authorization: number) {
      const { version, quantity, committed, issued, omge, sop } = await read.authorizationOf([authorization]);
      return { version, quantity, committed, issued, omge, sop };
    },
    /** Quantities of an authorization, oldest first; the first is that of the registration. */
    async versionsOf(authorization: number) {
      const [[first], changes] = await Promise.all([
        chain.past("itmo", "AuthorizationRegistered", { authorization }),
        chain.past("itmo", "AuthorizedQuantityChanged", { authorization }),
      ]);
      const all = [
        ...(first ? [{ event: first, version: 1, quantity: first.args.registration.quantity, reason: null }] : []),
        ...changes.map((event) => ({ event, ...event.args })),
      ];
      return Promise.all(
        all.map(async ({ event, version, quantity, reason }) => {
          const { transactionHash, at } = await placeOf(event);
          return { version, quantity, reason, transactionHash, at };
        }),
      );
    },
    participates: (approach: number, party: string): Promise<boolean> =>
      read.participates([approach, codeBytes(party)]),
  };
}

type AuthorizationReads = ReturnType<typeof authorizationsOf>["read"];

function readsOfAuthorizations(read: AuthorizationReads, chain: ItmoChain, placeOf: PlaceOf) {
  return {
    isAuthorizedEntity: (authorization: number, entityId: string): Promise<boolean> =>
      read.isAuthorizedEntity([authorization, idHash(entityId)]),
    mayConvert: (authorization: number, implementer: number): Promise<boolean> =>
      read.mayConvert([authorization, implementer]),
    /** What is left of an authorization. `finalFrom` is a day, 0 when nothing was taken away; the quantity is in tonnes. */
    async reductionOf(authorization: number) {
      const { purpose, ...left } = await read.reductionOf([authorization]);
      return { purpose: wordAt(itmoPurposes, purpose), ...left };
    },
    /** Reductions, revocations and vetoes of an authorization, oldest first. */
    async changesOf(authorization: number) {
      const [reductions, vetoes] = await Promise.all([
        chain.past("authorizations", "AuthorizationReduced", { authorization }),
        chain.past("authorizations", "ReductionVetoed", { authorization }),
      ]);
      const all = [
        ...reductions.map((event) => ({ event, kind: event.args.purpose === 0 ? "revocation" : "reduction" }) as const),
        ...vetoes.map((event) => ({ event, kind: "veto" }) as const),
      ].sort((a, b) => Number(a.event.blockNumber - b.event.blockNumber) || a.event.logIndex - b.event.logIndex);
      return Promise.all(
        all.map(async ({ event, kind }) => {
          const { purpose, quantity, finalFrom, reason } = event.args;
          const { transactionHash, at } = await placeOf(event);
          const left = { purpose: wordAt(itmoPurposes, purpose), quantity: finalFrom === 0 ? null : quantity };
          return { kind, ...left, finalFrom, reason, transactionHash, at };
        }),
      );
    },
  };
}

type Registered<E extends "ApproachRegistered" | "AuthorizationRegistered"> = PastEvents<"itmo", E>[number];

function approachFrom({ args }: Registered<"ApproachRegistered">, { transactionHash, at }: Place): ApproachRow {
  const { approach, registration } = args;
  return {
    cooperativeApproachId: codeText(registration.approachId),
    approach,
    firstTransferringPartyId: codeText(registration.firstTransferringParty),
    participatingPartyIds: registration.participatingParties.map(codeText),
    sectors: [...registration.sectors],
    activityType: registration.activityType,
    ndcFirstYear: registration.ndcFirstYear,
    ndcLastYear: registration.ndcLastYear,
    transactionHash,
    registeredAt: at,
  };
}

function authorizationFrom(
  { args }: Registered<"AuthorizationRegistered">,
  { transactionHash, at }: Place,
): AuthorizationRow {
  const { authorization, registration } = args;
  return {
    authorizationId: registration.authorizationId,
    authorization,
    approach: registration.approach,
    date: dateOf(registration.date),
    purpose: wordAt(itmoPurposes, registration.purpose) ?? "NDC",
    firstTransferDefinition: wordAt(firstTransferDefinitions, registration.firstTransfer),
    firstYear: registration.firstYear,
    lastYear: registration.lastYear,
    omgeShare: registration.omgeShare,
    sopShare: registration.sopShare,
    entities: registration.entities.map(({ name, country, entityId, implementer }) => ({
      name,
      countryOfIncorporation: codeText(country),
      id: entityId,
      implementer,
    })),
    terms: readTerms(registration.terms),
    transactionHash,
    registeredAt: at,
  };
}

function readsOfConversions(read: Reads, chain: ItmoChain, placeOf: PlaceOf) {
  return {
    conversionCount: (): Promise<number> => read.conversionCount(),
    /** Null if the conversion does not exist. */
    async conversionState(conversion: number): Promise<ConversionState | null> {
      const [found, reclaimable] = await Promise.all([
        read.conversionOf([conversion]),
        read.reclaimableFrom([conversion]),
      ]);
      const status = wordAt(conversionStatuses, found.status);
      if (status === null) return null;
      const { implementer, authorization, vintage, requestedAt, quantity, account } = found;
      return {
        conversion,
        implementer,
        authorization,
        vintage,
        status,
        requestedAt,
        reclaimableFrom: Number(reclaimable),
        quantity,
        account,
        registryId: codeText(found.registryId),
      };
    },
    async conversionRequest(
      conversion: number,
      approachOf: (authorization: number) => Promise<number>,
    ): Promise<ConversionRow | null> {
      const [event] = await chain.past("itmo", "ConversionRequested", { conversion });
      if (!event) return null;
      const { implementer, authorization, account, vintage } = event.args;
      const { at, ...place } = await placeOf(event);
      const approach = await approachOf(authorization);
      return { conversion, implementer, authorization, approach, account, vintage, ...place, requestedAt: at };
    },
    /** Outcome of a conversion; null while it is open. */
    async conversionAnswer(conversion: number): Promise<ConversionAnswerRow | null> {
      const [[minted], [reverted]] = await Promise.all([
        chain.past("itmo", "BlockMinted", { conversion }),
        chain.past("itmo", "ConversionReverted", { conversion }),
      ]);
      if (reverted) {
        const { at, ...place } = await placeOf(reverted);
        const none = { registryId: null, firstId: null, lastId: null };
        const reason = reverted.args.reason === "" ? null : reverted.args.reason;
        return { conversion, status: "reverted", ...none, reason, ...place, answeredAt: at };
      }
      if (!minted) return null;
      const { registryId, firstId, lastId } = minted.args.units;
      const { at, ...place } = await placeOf(minted);
      const serials = { registryId: codeText(registryId), firstId: `${firstId}`, lastId: `${lastId}` };
      return { conversion, status: "finalised", ...serials, reason: null, ...place, answeredAt: at };
    },
    serialPredecessor: (registryId: string, firstId: bigint): Promise<number> =>
      read.serialPredecessor([codeBytes(registryId), firstId]),
    orderUsed: (implementer: number, nonce: bigint): Promise<number> => read.orderUsed([implementer, nonce]),
  };
}

function readsOfBlocks(read: Reads, chain: ItmoChain) {
  return {
    /** Null if the block does not exist. */
    async blockState(id: bigint): Promise<BlockState | null> {
      try {
        const found = await read.blockOf([id]);
        const { conversion, authorization, firstId, lastId, vintage } = found;
        const status = wordAt(itmoBlockStatuses, found.status);
        if (status === null) return null;
        const firstTransfer = wordAt(itmoActionSubtypes, found.firstTransfer);
        const [registryId, party] = [codeText(found.registryId), codeText(found.party)];
        return { id, conversion, authorization, registryId, firstId, lastId, vintage, party, status, firstTransfer };
      } catch (error) {
        const data = revertData(error);
        if (data !== undefined && decodeContractError(data)?.name === "UnknownBlock") return null;
        throw error;
      }
    },
    /** Blocks that a block was split from, nearest first. */
    async ancestorsOf(id: bigint): Promise<bigint[]> {
      const found: bigint[] = [];
      for (let at: bigint | undefined = id; at !== undefined; ) {
        const [split]: PastEvents<"itmo", "BlockSplit"> = await chain.past("itmo", "BlockSplit", { rest: at });
        at = split?.args.blockId;
        if (at !== undefined) found.push(at);
      }
      return found;
    },
    /** Every action on a block and on the blocks that it was split from, oldest first. */
    async actionsOf(block: BlockState): Promise<PastEvents<"itmo", "ItmoAction">> {
      const blockId = [block.id, ...(await this.ancestorsOf(block.id))];
      const events = await chain.past("itmo", "ItmoAction", { blockId });
      return events.filter(({ args }) => args.units.firstId <= block.firstId && block.lastId <= args.units.lastId);
    },
    /** The block that holds a serial of a conversion's minted range. */
    async blockWith(conversion: number, firstOfConversion: bigint, serial: bigint): Promise<BlockState | null> {
      for (let firstId = firstOfConversion; ; ) {
        const block = await this.blockState(itmoBlockIdOf(conversion, firstId));
        if (block === null || (block.firstId <= serial && serial <= block.lastId)) return block;
        firstId = block.lastId + 1n;
      }
    },
  };
}
