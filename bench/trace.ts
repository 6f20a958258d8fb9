import { join } from "node:path";
import pg from "pg";
import { readOptions } from "../scripts/command-options.ts";
import { startIndexerOn } from "../test/indexer/ponder-process.ts";
import { createWorld } from "../test/indexer/world.ts";
import { startPostgres } from "../test/support/postgres.ts";
import {
  encodeClaimId,
  encodeConversionId,
  encodeItmoBlockId,
  encodeRedemptionId,
  encodeSwapId,
  encodeVoucherId,
  redemptionIdOf,
  swapIdOf,
  voucherIdOf,
} from "../wire/src/ids.ts";
import { itmoBlockIdOf } from "../wire/src/itmo-ids.ts";
import { type Figure, percentile, report } from "./figures.ts";
import { fillIndex, redemptions, size } from "./trace-fill.ts";

const help = `npm run bench:trace -- [--samples 200]
Measures the latency of GET /reports/trace/{id} for every kind of id, on an index of a million events in PostgreSQL. SQL inserts the
rows (bench/trace-fill.ts); the server is the real one. Fails if a query scans a large table. Saves bench/results/trace.json.`;
const values = readOptions(help, { samples: { type: "string", default: "200" } });
const samples = Number(values.samples);
const any = (count: number) => Math.floor(Math.random() * count);
const voucher = (v: number) => voucherIdOf(Math.floor(v / 256) + 1, v % 256);
const redemption = (i: number) => redemptionIdOf(voucher(i % size.vouchers), Math.floor(i / size.vouchers) + 1);
const purchase = (c: number) => encodeSwapId(swapIdOf(BigInt(redemptions * 4 + c * 10), 0));
const tonnes = size.conversions * size.tonnesEach;
const block = () => {
  const conversion = any(size.conversions);
  const first = conversion * size.tonnesEach + any(5) * 10 + 1;
  return { id: itmoBlockIdOf(conversion + 1, BigInt(first)), text: `CA0001-ZMB01-ZMB-${first}-${first + 9}-2025` };
};

const kinds: Record<string, () => string> = {
  certificate: () => `CERT-${any(size.certificates)}`,
  voucher: () => encodeVoucherId(voucher(any(size.vouchers))),
  redemption: () => encodeRedemptionId(redemption(any(redemptions))),
  claim: () => encodeClaimId(redemption(any(redemptions))),
  "swap of a claim": () => encodeSwapId(swapIdOf(BigInt(redemptions * 2 + any(redemptions)), 2)),
  purchase: () => purchase(any(size.conversions)),
  conversion: () => encodeConversionId(BigInt(any(size.conversions) + 1)),
  "ITMO block": () => encodeItmoBlockId(block().id),
  "ITMO unique id": () => block().text,
  "ITMO serial": () => `ZMB01-${any(tonnes) + 1}`,
  transaction: () => `0x${(12_000_000_000n + BigInt(any(redemptions))).toString(16).padStart(64, "0")}`,
};

async function measure(url: string, name: string, idOf: () => string): Promise<Figure[]> {
  const times: number[] = [];
  for (let i = 0; i < samples; i += 1) {
    const begin = performance.now();
    const answer = await fetch(`${url}/reports/trace/${encodeURIComponent(idOf())}`);
    const text = await answer.text();
    times.push(performance.now() - begin);
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text.slice(0, 300)}`);
  }
  return [
    { name: `trace of a ${name}, p50`, value: percentile(times, 0.5), unit: "ms" },
    { name: `trace of a ${name}, p99`, value: percentile(times, 0.99), unit: "ms" },
  ];
}

/** Number of full scans of each large table. */
async function scansOf(client: pg.Client): Promise<Map<string, number>> {
  await client.query("select pg_stat_force_next_flush()");
  const { rows } = await client.query<{ relname: string; seq_scan: string }>(
    "select relname, seq_scan from pg_stat_user_tables where schemaname = current_schema() and n_live_tup > 5000",
  );
  return new Map(rows.map((row) => [row.relname, Number(row.seq_scan)]));
}

const postgres = await startPostgres();
const world = await createWorld();
const databaseUrl = await postgres.createDatabase();
const indexer = await startIndexerOn(world, join(world.folder, "index"), {
  databaseUrl,
  requestsPerMinute: 10_000_000,
});
await world.anvil.rpc("evm_setIntervalMining", [0]);
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
try {
  const { rows } = await client.query("select schemaname from pg_tables where tablename = 'itmo_lot'");
  // Ponder's triggers record rows for reorganisations; these rows must not be recorded.
  await client.query(`set search_path = "${rows[0].schemaname}"; set session_replication_role = replica`);
  const began = performance.now();
  await fillIndex(client, world.contracts.addresses);
  const { rows: counted } = await client.query("select count(*)::integer as events from activity");
  console.log(`${counted[0].events} events, filled in ${Math.round((performance.now() - began) / 1000)} s`);
  const before = await scansOf(client);
  const figures: Figure[] = [];
  for (const [name, idOf] of Object.entries(kinds)) {
    figures.push(...(await measure(indexer.url, name, idOf)));
    console.log(
      figures
        .slice(-2)
        .map((figure) => `${figure.name} ${figure.value.toFixed(1)} ms`)
        .join(", "),
    );
    const scanned = [...(await scansOf(client))].filter(([table, scans]) => scans > (before.get(table) ?? 0));
    if (scanned.length > 0) throw new Error(`The trace of a ${name} reads all of ${scanned.map(([table]) => table)}`);
  }
  await report("trace", figures);
} finally {
  await client.end();
  await indexer.stop("SIGKILL");
  await world.close();
  await postgres.stop();
}
