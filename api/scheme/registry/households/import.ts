import { type Hex, parseEventLogs, zeroAddress } from "viem";
import { participantsAbi } from "../../../../deployments/abi/participants.ts";
import { callUntilMined, type MinedCall, submitCall } from "../../../platform/chain/index.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import {
  type OperationJob,
  type QueuedRow,
  type RowResult,
  type StartedOperation,
  startOperation,
} from "../../../platform/operations/index.ts";
import { importFormat } from "../../../platform/values/import-rows.ts";
import type { RegistryDeps } from "../deps.ts";
import { type ImportFormat, readImport } from "./import-rows.ts";
import type { Location, NewHousehold } from "./schemas.ts";
import { requireMayRegister, rowOf } from "./service.ts";
import type { PlaceOnChain } from "./store.ts";

export const IMPORT_TYPE = "household-import";

/** Rows that are processed together. Batches are cut by row number, so a resumed import makes the same batches. */
const BATCH_ROWS = 500;
const BATCHES_IN_FLIGHT = 4;
/** New storage slots in one transaction: 15.6 million gas, below what any chain takes. */
const SLOTS_PER_CALL = 600;

/** A stored row of the operation: the household to register, or the row's errors. */
type ImportedRow = { household: NewHousehold } | { did: string | null; details: RuleDetail[] };
type Batch = { number: number; rows: QueuedRow[] };
type FreshRow = { index: number; hash: Hex; household: NewHousehold };

/**
 * Read a whole import and start it. An unreadable file is refused as a whole; a bad row gets its own error.
 * @throws AppError FORBIDDEN, INVALID_INPUT
 */
export async function importHouseholds(
  deps: RegistryDeps,
  ctx: RequestContext,
  body: { contentType: string; bytes: Uint8Array },
): Promise<StartedOperation> {
  requireMayRegister(ctx.actor);
  const rows = importedRows(importFormat(body.contentType, ["csv", "xlsx", "ndjson"]), body.bytes);
  const registeredBy = ctx.actor.implementerDid ?? null;
  return startOperation(deps, ctx, { type: IMPORT_TYPE, input: { registeredBy }, rows });
}

async function* importedRows(format: ImportFormat, bytes: Uint8Array): AsyncGenerator<ImportedRow> {
  const firstRows = new Map<string, number>();
  for await (const { row, ...found } of readImport(format, bytes)) {
    const did = "household" in found ? found.household.did : undefined;
    const first = did === undefined ? undefined : firstRows.get(did);
    if (did !== undefined && first !== undefined) {
      const message = `Row ${first} has it already.`;
      yield { did, details: [{ path: "did", rule: "household-once", message }] };
      continue;
    }
    if (did !== undefined) firstRows.set(did, row);
    yield found;
  }
}

/** Process an import. Each batch is one database transaction and one or two idempotent calls on chain. */
export async function runImport(deps: RegistryDeps, job: OperationJob): Promise<void> {
  const { registeredBy } = job.input as { registeredBy: string | null };
  // The workers share one generator: each takes the next batch when it has finished its last.
  const batches = batchesOf(job);
  const worker = async () => {
    for await (const batch of batches) await registerBatch(deps, job, batch, registeredBy);
  };
  await Promise.all(Array.from({ length: BATCHES_IN_FLIGHT }, worker));
}

async function* batchesOf(job: OperationJob): AsyncGenerator<Batch> {
  for (let from = 0; !job.signal.aborted; ) {
    const [first, ...rest] = await job.nextRows(BATCH_ROWS, from);
    if (first === undefined) return;
    const number = Math.floor(first.index / BATCH_ROWS);
    from = (number + 1) * BATCH_ROWS;
    yield { number, rows: [first, ...rest.filter(({ index }) => index < from)] };
  }
}

async function registerBatch(
  deps: RegistryDeps,
  job: OperationJob,
  { number, rows }: Batch,
  registeredBy: string | null,
): Promise<void> {
  const { registry, db, clock } = deps;
  const fresh: FreshRow[] = [];
  const answers: RowResult[] = [];
  for (const { index, input } of rows) {
    const row = input as ImportedRow;
    if ("household" in row) fresh.push({ index, hash: registry.households.hashOf(row.household.did), ...row });
    else
      answers.push(
        refused(index, row.did, { code: "INVALID_INPUT", message: "The row is not well formed." }, row.details),
      );
  }
  const createdAt = clock.now();
  await registry.stores.households.saveManyPending(
    fresh.map(({ hash, household: input }) => rowOf(input, { hash, createdAt, registeredBy })),
  );
  const indexes = new Map<Hex, PlaceOnChain>();
  for (const [part, some] of partsOf(fresh).entries()) {
    noteIndexes(await registerOnChain(deps, job, `households:${number}:${part}`, some), indexes);
  }
  const places: ({ hash: Hex } & PlaceOnChain)[] = [];
  const located: { hash: Hex; location: Location }[] = [];
  for (const { index, hash, household: input } of fresh) {
    const place = indexes.get(hash);
    if (!place) throw new Error(`The chain did not answer for row ${index} of import ${job.id}.`);
    // A household that was registered earlier keeps its location.
    if (place.transactionHash !== null && input.location) located.push({ hash, location: input.location });
    places.push({ hash, ...place });
    answers.push(place.transactionHash === null ? known(index, input.did) : registered(index, input.did, place));
  }
  await db.transaction(async (tx) => {
    await registry.stores.households.completeMany(places, tx);
    await registry.stores.locations.save(located, tx);
    await job.finishRows(answers, tx);
  });
}

function partsOf(rows: FreshRow[]): FreshRow[][] {
  const parts: FreshRow[][] = [];
  let slots = SLOTS_PER_CALL;
  for (const row of rows) {
    const needs = row.household.account === undefined ? 1 : 2;
    if (slots + needs > SLOTS_PER_CALL) {
      parts.push([]);
      slots = 0;
    }
    parts.at(-1)?.push(row);
    slots += needs;
  }
  return parts;
}

function registerOnChain(deps: RegistryDeps, job: OperationJob, part: string, rows: FreshRow[]): Promise<MinedCall> {
  const accounts = rows.map(({ household }) => household.account);
  const given = accounts.filter((account) => account !== undefined).length;
  const call = {
    sender: "operator",
    contract: "participants",
    functionName: "registerHouseholds",
    args: [rows.map(({ hash }) => hash), given === 0 ? [] : accounts.map((account) => account ?? zeroAddress)],
    gas: BigInt(80_000 + 26_000 * rows.length + 29_000 * given),
    purpose: "household.import",
    part,
  } as const;
  return callUntilMined(job, () => submitCall(deps, { idempotencyKey: job.id }, call));
}

/** A household that was registered earlier has no transaction of this import. */
function noteIndexes(landed: MinedCall, indexes: Map<Hex, PlaceOnChain>): void {
  const { logs, transactionHash } = landed;
  for (const { args } of parseEventLogs({ abi: participantsAbi, eventName: "HouseholdsRegistered", logs })) {
    for (const [i, hash] of args.households.entries()) {
      indexes.set(hash, { household: args.firstHousehold + i, transactionHash });
    }
  }
  for (const { args } of parseEventLogs({ abi: participantsAbi, eventName: "HouseholdSkipped", logs })) {
    indexes.set(args.householdHash, { household: args.household, transactionHash: null });
  }
}

function registered(index: number, did: string, place: PlaceOnChain): RowResult {
  const { household, transactionHash } = place;
  return { index, status: "succeeded", answer: { did, status: "registered", index: household, transactionHash } };
}

function known(index: number, did: string): RowResult {
  const message = "The household is registered already.";
  return refused(index, did, { code: "CONFLICT", message }, [{ path: "did", rule: "not-registered-before", message }]);
}

function refused(
  index: number,
  did: string | null,
  error: { code: string; message: string },
  details: RuleDetail[],
): RowResult {
  return { index, status: "failed", answer: { did, status: "refused", ...error, details } };
}
