import { decodeConversionId, encodeConversionId, encodeItmoBlockId } from "../../../../wire/src/ids.ts";
import { itmoBlockIdOf, itmoUniqueId } from "../../../../wire/src/itmo-ids.ts";
import { isoTime } from "../../../platform/chain/index.ts";
import type { AppError } from "../../../platform/errors.ts";
import { toPage } from "../../../platform/http/index.ts";
import { jsonAmount, jsonScaled } from "../../../platform/values/numbers.ts";
import { indexAfter } from "../../registry/index.ts";
import { implementerDidOf } from "../access.ts";
import { readHold } from "../buffer/buffer.ts";
import type { ItmoDeps } from "../deps.ts";
import { ruleError } from "../errors.ts";
import type { ConversionState } from "../ledger.ts";
import type { ConversionFilter } from "../store.ts";
import type { ConversionAnswerRow, ConversionRow } from "../tables.ts";
import { lotsOfConversion, TONNE } from "./lots.ts";
import type { Conversion, ConversionQuery } from "./schemas.ts";

/** A conversion: its request, and its current state on chain. */
export type KnownConversion = { row: ConversionRow; state: ConversionState };

/** Read a conversion as the API shows it. @throws AppError NOT_FOUND */
export async function getConversion(deps: ItmoDeps, conversionId: string): Promise<Conversion> {
  return serializeConversion(deps, await findConversion(deps, conversionId));
}

/** List conversions in the order of their requests; empty if a filter names something that is not registered. */
export async function listConversions(deps: ItmoDeps, query: ConversionQuery) {
  const { itmo } = deps;
  const after = indexAfter(query.cursor);
  const filter = await filterOf(deps, query);
  if (filter === null) return { items: [], nextCursor: null };
  await itmo.catchUp();
  const rows = await itmo.stores.conversions.listAfter(after, query.limit + 1, filter);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.conversion]);
  const shown = items.map(async (row) =>
    serializeConversion(deps, { row, state: await stateOf(deps, row.conversion) }),
  );
  return { items: await Promise.all(shown), nextCursor };
}

/** Find a conversion by its public id. @throws AppError NOT_FOUND, also for a malformed id */
export async function findConversion(deps: ItmoDeps, conversionId: string): Promise<KnownConversion> {
  const decoded = decodeConversionId(conversionId);
  const row = decoded.ok ? await deps.itmo.conversion(Number(decoded.id)) : null;
  if (row === null) throw conversionNotFound();
  return { row, state: await stateOf(deps, row.conversion) };
}

export async function serializeConversion(deps: ItmoDeps, { row, state }: KnownConversion): Promise<Conversion> {
  const { itmo } = deps;
  const [implementerDid, authorization, approach, answer, lots, buffer] = await Promise.all([
    implementerDidOf(deps, row.implementer),
    itmo.authorizations.byIndex(row.authorization),
    itmo.approaches.byIndex(row.approach),
    state.status === "requested" ? null : itmo.responseOf(row.conversion),
    lotsOfConversion(deps, row.conversion),
    state.status === "finalised" ? readHold(deps, row.conversion) : null,
  ]);
  const cooperativeApproachId = approach?.cooperativeApproachId ?? "";
  const firstTransferringPartyId = approach?.firstTransferringPartyId ?? "";
  const reclaimable = isoTime(state.reclaimableFrom);
  return {
    conversionId: encodeConversionId(BigInt(row.conversion)),
    status: state.status,
    implementerDid: implementerDid === "" ? null : implementerDid,
    amount: jsonAmount(state.quantity * TONNE),
    quantity: jsonScaled(state.quantity, 0),
    cooperativeApproachId,
    authorizationId: authorization?.authorizationId ?? "",
    vintage: row.vintage,
    lots,
    account: row.account,
    requestedAt: row.requestedAt.toISOString(),
    reclaimableFrom: state.status === "requested" ? reclaimable : null,
    buffer,
    ...serializeAnswer(row, answer, { cooperativeApproachId, firstTransferringPartyId }),
    index: row.conversion,
    transactionHash: row.transactionHash,
    blockNumber: row.blockNumber,
  };
}

function serializeAnswer(
  row: ConversionRow,
  answer: ConversionAnswerRow | null,
  names: { cooperativeApproachId: string; firstTransferringPartyId: string },
) {
  const { registryId = null, firstId = null, lastId = null } = answer ?? {};
  const isMinted = registryId !== null && firstId !== null && lastId !== null;
  const serials = isMinted && { registryId, firstId: BigInt(firstId), lastId: BigInt(lastId), vintage: row.vintage };
  return {
    itmoRegistryId: registryId,
    firstId,
    lastId,
    uniqueId: serials ? itmoUniqueId({ ...names, ...serials }) : null,
    blockId: serials ? encodeItmoBlockId(itmoBlockIdOf(row.conversion, serials.firstId)) : null,
    reason: answer?.reason ?? null,
    answeredAt: answer?.answeredAt.toISOString() ?? null,
    answerTransactionHash: answer?.transactionHash ?? null,
  };
}

/** Translate a query to the database's filter; null if nothing can match. */
export async function filterOf(
  deps: ItmoDeps,
  query: Pick<ConversionQuery, "implementerDid" | "authorizationId" | "cooperativeApproachId" | "status">,
): Promise<ConversionFilter | null> {
  const { itmo, registry } = deps;
  const { implementerDid: did, authorizationId, cooperativeApproachId, status } = query;
  const [implementer, authorization, approach] = await Promise.all([
    did === undefined ? undefined : registry.implementers.byDid(did),
    authorizationId === undefined ? undefined : itmo.authorizations.byId(authorizationId),
    cooperativeApproachId === undefined ? undefined : itmo.approaches.byId(cooperativeApproachId),
  ]);
  if (implementer === null || authorization === null || approach === null) return null;
  return {
    implementers: implementer && [implementer.implementer],
    authorization: authorization?.authorization,
    approach: approach?.approach,
    status,
  };
}

async function stateOf(deps: ItmoDeps, conversion: number): Promise<ConversionState> {
  const state = await deps.itmo.ledger.conversionState(conversion);
  // The request was read from a chain that has been reset since.
  if (state === null) throw conversionNotFound();
  return state;
}

function conversionNotFound(): AppError {
  const message = "There is no such conversion.";
  return ruleError("NOT_FOUND", "conversionId", "conversion-exists", message);
}
