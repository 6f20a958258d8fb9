import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { csvZipOf } from "../indexer/reports/aef/csv.ts";
import { jsonOf } from "../indexer/reports/aef/json.ts";
import { openSource, spanOf } from "../indexer/reports/aef/read.ts";
import { validate } from "../indexer/reports/aef/report.ts";
import { xlsxOf } from "../indexer/reports/aef/xlsx.ts";
import type { Ask, SqlRow } from "../indexer/reports/ask.ts";
import { carryOut } from "../indexer/reports/checks/check.ts";
import { checks } from "../indexer/reports/checks/double-counting.ts";
import { readOptions } from "../scripts/command-options.ts";
import { openReportDatabase } from "../test/indexer/reports/database.ts";
import { addresses, insertScene, now } from "../test/indexer/reports/scene.ts";
import { type Figure, ratioFigure, report } from "./figures.ts";

const help = `npm run bench:aef -- [--actions 100000]
Measures the time and memory of the agreed electronic format as JSON, CSV and XLSX, of its validation and of the check for double
counting, and compares them with a plain dump of the same rows. Each runs in a separate process (--run and --folder are for these).
Saves bench/results/aef.json.`;
const values = readOptions(help, {
  actions: { type: "string", default: "100000" },
  run: { type: "string" },
  folder: { type: "string" },
});
const actions = Number(values.actions);
const perConversion = 4;
const runs = ["dump", "json", "csv", "xlsx", "validate", "double-counting"] as const;
type Run = (typeof runs)[number];
type Measured = { seconds: number; megabytes: number; bytes: number };

/** SQL for this many conversions, each of 10 t, sold to CHE, bought back, sold and bought back again. */
const fill = (conversions: number): string[] => [
  `insert into itmo_conversion (index, public_id, implementer, itmo_authorization, account, amount, quantity, vintage, nonce,
     status, registry_id, first_id, last_id, sequence, block_number, requested_at, transaction_hash, end_sequence, ended_at,
     end_transaction_hash)
   select i, 'CONV-' || i, 1, 1, '0x01', 10000000000, 10, 2025, 0, 'finalised', 'ZMB02', i * 10::bigint, i * 10::bigint + 9,
     i * 16::bigint, 1, ${now}, '0x01', i * 16::bigint, ${now}, '0x01' from generate_series(2, ${conversions + 1}) as i`,
  `insert into conversion_lot (conversion, position, certificate, start_offset, amount, certificate_offset)
   select i, 0, 1, 0, 10000000000, (i - 1) * 10000000000::numeric from generate_series(2, ${conversions + 1}) as i`,
  `insert into itmo_block (id, public_id, unique_id, conversion, itmo_authorization, cooperative_approach_id,
     first_transferring_party, registry_id, first_id, last_id, quantity, vintage, status, party, first_transfer, held_since,
     sequence, block_number, created_at, transaction_hash, change_sequence)
   select i, 'ITMO-' || i, '', i, 1, 'CA0001', 'ZMB', 'ZMB02', i * 10::bigint, i * 10::bigint + 9, 10, 2025, 'held', 'ZMB',
     'First transfer to another Party', 1, i, 1, ${now}, '0x01', 1 from generate_series(100, ${conversions + 99}) as i`,
  `update itmo_block set conversion = id - 98, first_id = (id - 98) * 10, last_id = (id - 98) * 10 + 9 where id >= 100`,
  `insert into itmo_holding (block, since, conversion, registry_id, first_id, last_id, party, held_from)
   select id, 1, conversion, registry_id, first_id, last_id, 'ZMB', created_at from itmo_block where id >= 100`,
  `insert into itmo_action (sequence, block, conversion, itmo_authorization, action, subtype, cooperative_approach_id,
     authorization_id, first_transferring_party, registry_id, first_id, last_id, quantity, vintage, transferring_party,
     acquiring_party, note, block_number, acted_at, transaction_hash)
   select i * 16::bigint + n, i + 98, i, 1, case n when 1 then 'First transfer' else 'Transfer' end,
     case n when 1 then 'First transfer to another Party' end, 'CA0001', 'AUTH-1', 'ZMB', 'ZMB02', i * 10::bigint,
     i * 10::bigint + 9, 10, 2025, case n % 2 when 1 then 'ZMB' else 'CHE' end, case n % 2 when 1 then 'CHE' else 'ZMB' end, '', 1,
     ${now}, '0x01'
   from generate_series(2, ${conversions + 1}) as i, generate_series(1, ${perConversion}) as n`,
  "update itmo_authorization set quantity = 10000000",
  "update itmo_authorization_version set quantity = 10000000",
  "update certificate set verified_reduction = 100000000000000000",
  "analyze",
];

const plain = (value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

async function* dump(ask: Ask): AsyncGenerator<string> {
  for (let after = "-1"; ; ) {
    const rows = await ask("select * from itmo_action where sequence > $1 order by sequence limit 1000", [after]);
    for (const row of rows) yield `${JSON.stringify(row, (_, value) => plain(value))}\n`;
    if (rows.length < 1_000) return;
    await setImmediate();
    after = String(rows.at(-1)?.sequence);
  }
}

async function count(pieces: AsyncIterable<string | Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const piece of pieces) bytes += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  return bytes;
}

async function checkAll(ask: Ask): Promise<number> {
  const silent = { block: 1n, addresses, read: async () => ({ answers: null, reason: "not asked" }) };
  for (const check of checks) await carryOut(ask, () => silent, check);
  return 0;
}

/** Measure in a separate process, so that its memory is known. */
async function measure(run: Run, folder: string): Promise<Measured> {
  const database = await PGlite.create(folder);
  const ask: Ask = async (text, params = []) => (await database.query<SqlRow>(text, params.map(plain))).rows;
  const request = { party: "ZMB", year: 2026, version: "1.0", date: new Date() };
  const source = await openSource(ask, "ZMB", spanOf(2026, { block: 1_000_000n, timestamp: now }));
  const notes = { block: 1n, asOf: "", frozen: false };
  // The heap, because the process's memory includes the embedded database's.
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  }, 10);
  const begin = performance.now();
  const work: Record<Run, () => Promise<number>> = {
    dump: () => count(dump(ask)),
    json: () => count(jsonOf(source, request, "technical", notes)),
    csv: () => count(csvZipOf(source, request, "technical") as unknown as AsyncIterable<Uint8Array>),
    xlsx: () => count(xlsxOf(source, request, "technical") as AsyncIterable<Uint8Array>),
    validate: async () => (await validate(source, request)).problems.length,
    "double-counting": () => checkAll(ask),
  };
  const bytes = await work[run]();
  clearInterval(watch);
  const seconds = (performance.now() - begin) / 1_000;
  await database.close();
  return { seconds, megabytes: peak / 1_000_000, bytes };
}

async function compareAll(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hearth-bench-aef-"));
  try {
    const database = await openReportDatabase(folder);
    await insertScene(database);
    for (const statement of fill(Math.ceil(actions / perConversion))) await database.run(statement);
    await database.close();
    const measured = new Map<Run, Measured>();
    for (const run of runs) {
      const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), "--run", run, "--folder", folder]);
      measured.set(run, JSON.parse(output.toString()) as Measured);
    }
    const { seconds = 1, megabytes = 1 } = measured.get("dump") ?? {};
    const figures: Figure[] = [];
    for (const [run, each] of measured) {
      const reference = { name: "plain dump", value: seconds };
      figures.push(ratioFigure(`${run} of ${actions} actions`, each.seconds, "s", reference));
      figures.push(ratioFigure(`${run}: most heap`, each.megabytes, "MB", { name: "plain dump", value: megabytes }));
      if (each.bytes > 0) figures.push({ name: `${run}: size`, value: each.bytes / 1_000_000, unit: "MB" });
    }
    await report("aef", figures);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (values.run === undefined || values.folder === undefined) await compareAll();
else console.log(JSON.stringify(await measure(values.run as Run, values.folder)));
