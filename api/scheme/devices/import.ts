import type { RuleDetail } from "../../platform/errors.ts";
import { type RequestContext, zodDetails } from "../../platform/http/index.ts";
import {
  type OperationJob,
  type QueuedRow,
  type RowResult,
  type StartedOperation,
  startOperation,
} from "../../platform/operations/index.ts";
import type { CsvRow } from "../../platform/values/csv.ts";
import { importFormat, limitRows, readImportTable, type TableFormat } from "../../platform/values/import-rows.ts";
import { brokenTexts } from "../../platform/values/json.ts";
import { type NewDevice, newDevice } from "./schemas.ts";
import { type DeviceDeps, deviceProblems, lastRecordableDay, ownPlan, recordedNow, rowOf } from "./service.ts";
import { spellingOf } from "./spelling.ts";
import type { DeviceRow } from "./tables.ts";

const IMPORT_TYPE = "device-import";
const BATCH_ROWS = 500;

/** Columns of the file by lower-case name; only `retiredon` may be missing. */
const fields = {
  serial: "serial",
  model: "model",
  householddid: "householdDid",
  installedon: "installedOn",
  retiredon: "retiredOn",
} as const;
const known = Object.keys(fields);
const days = ["installedon", "retiredon"];
const required = known.filter((column) => column !== "retiredon");

/** A stored row of the operation: the device to register, or the row's errors. */
type ImportedRow = { device: NewDevice } | { serial: string | null; details: RuleDetail[] };

/**
 * Read a CSV file of a plan's devices and start its import. An unreadable file is refused as a whole; a bad row gets its own error.
 * @throws AppError FORBIDDEN, INVALID_INPUT, RULE_VIOLATION for an unknown plan
 */
export async function importDevices(
  deps: DeviceDeps,
  ctx: RequestContext,
  { planId, contentType, bytes }: { planId: string; contentType: string; bytes: Uint8Array },
): Promise<StartedOperation> {
  const plan = await ownPlan(deps, ctx, planId);
  const format = importFormat(contentType, ["csv", "xlsx"]);
  return startOperation(deps, ctx, { type: IMPORT_TYPE, input: { plan }, rows: importedRows(planId, format, bytes) });
}

/** Define the import of devices. Call before operations start. */
export function defineDeviceImport(deps: DeviceDeps): void {
  deps.operations.define(IMPORT_TYPE, (job) => runImport(deps, job));
}

async function* importedRows(planId: string, format: TableFormat, bytes: Uint8Array): AsyncGenerator<ImportedRow> {
  const firstRows = new Map<string, number>();
  let row = 0;
  for await (const found of limitRows(readImportTable(format, bytes, { known, required, days }))) {
    row += 1;
    const imported = deviceOf(planId, found);
    const serial = "device" in imported ? imported.device.serial : undefined;
    const first = serial === undefined ? undefined : firstRows.get(spellingOf(serial));
    if (serial !== undefined && first !== undefined) {
      yield { serial, details: [{ path: "serial", rule: "serial-once", message: `Row ${first} has it already.` }] };
      continue;
    }
    if (serial !== undefined) firstRows.set(spellingOf(serial), row);
    yield imported;
  }
}

function deviceOf(planId: string, { cells, details }: CsvRow): ImportedRow {
  const serial = cells.get("serial") ?? null;
  if (details.length > 0) return { serial, details };
  const body: Record<string, unknown> = { planId };
  for (const [column, cell] of cells) body[fields[column as keyof typeof fields]] = cell;
  const parsed = newDevice.safeParse(body);
  const broken = brokenTexts(body);
  if (parsed.success && broken.length === 0) return { device: parsed.data };
  return { serial, details: [...broken, ...(parsed.success ? [] : zodDetails(parsed.error))] };
}

async function runImport(deps: DeviceDeps, job: OperationJob): Promise<void> {
  const { plan } = job.input as { plan: number };
  for (let from = 0; !job.signal.aborted; ) {
    const rows = await job.nextRows(BATCH_ROWS, from);
    const last = rows.at(-1);
    if (last === undefined) return;
    await registerBatch(deps, job, rows, plan);
    from = last.index + 1;
  }
}

async function registerBatch(deps: DeviceDeps, job: OperationJob, rows: QueuedRow[], plan: number): Promise<void> {
  const given = rows.map(({ index, input }) => ({ index, row: input as ImportedRow }));
  const dids = given.flatMap(({ row }) => ("device" in row ? [row.device.householdDid] : []));
  const households = await deps.registry.households.byDids(dids);
  const lastDay = await lastRecordableDay(deps);
  const { at: createdAt, block: createdIn } = await recordedNow(deps);
  const answers: RowResult[] = [];
  const fresh: { index: number; row: DeviceRow }[] = [];
  for (const { index, row } of given) {
    if (!("device" in row)) {
      answers.push(refused(index, row.serial, "INVALID_INPUT", row.details));
      continue;
    }
    const { device } = row;
    const household = households.get(device.householdDid);
    const broken = deviceProblems(device, { isHouseholdUnknown: household === undefined, lastDay });
    if (broken.length > 0) answers.push(refused(index, device.serial, "RULE_VIOLATION", broken));
    else {
      const place = { plan, household: household?.household ?? 0 };
      fresh.push({ index, row: rowOf(device, { ...place, createdAt, createdIn }) });
    }
  }
  await deps.db.transaction(async (tx) => {
    const rowsToAdd = fresh.map(({ row }) => row);
    const added = await deps.devices.add(rowsToAdd, tx);
    for (const { index, row } of fresh) {
      answers.push(added.has(row.serial) ? registered(index, row.serial) : taken(index, row.serial));
    }
    await job.finishRows(answers, tx);
  });
}

function registered(index: number, serial: string): RowResult {
  return { index, status: "succeeded", answer: { serial, status: "registered" } };
}

function taken(index: number, serial: string): RowResult {
  const message = "A device with this serial is registered already.";
  return refused(index, serial, "CONFLICT", [{ path: "serial", rule: "not-registered-before", message }]);
}

function refused(index: number, serial: string | null, code: string, details: RuleDetail[]): RowResult {
  const message = details[0]?.message ?? "The row is not well formed.";
  return { index, status: "failed", answer: { serial, status: "refused", code, message, details } };
}
