import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { encodeClaimId, encodeItmoBlockId, encodeVoucherId, redemptionIdOf, voucherIdOf } from "../../wire/src/ids.ts";
import { itmoBlockIdOf } from "../../wire/src/itmo-ids.ts";

/** Numbers of the bench's batches, conversions and participants start here, since the chain's start at 1. */
const first = 900_000;
const certificatesAtOnce = 25;
const rowsAtOnce = 10_000;
const statuses = "(array['active','exhausted','suspended','cancelled','swept'])[1 + n % 5]";
const claimStatuses = "(array['approved','approved','flagged','rejected','disputed'])[1 + n % 5]";
const blockStatuses = "(array['held','used-for-ndc','used-for-oimp','cancelled'])[1 + n % 4]";
const hash = (n: string) => `'0x' || lpad(to_hex(${n}), 64, '0')`;
/** Amounts that differ between rows, so that sorting by amount is real work. */
const micro = "(n::bigint * 7919 % 1000003) * 1000 + 1000000";
const day = "20400 + n % 700";
const seconds = "1735689600 + n * 60";

/** Columns of row `n` of each table, which depend on its public id. */
type Row = { n: number; id: string; publicId: string; uniqueId?: string };

const participants = `
insert into supplier (index, did, name, region, account, status, flagged, debt, registered_at, transaction_hash) select ${first} + s, 'did:bench:supplier/' || s, 'Supplier', '', '0x' || lpad(to_hex(s), 40, '0'), 'authorised', false, 0, 1, ${hash("s")} from generate_series(0, 49) s on conflict do nothing;
insert into implementer (index, did, name, account, status, debt, replacement, repaid, replaced, registered_at, transaction_hash) select ${first} + m, 'did:bench:implementer/' || m, 'Implementer', '0x' || lpad(to_hex(1000 + m), 40, '0'), 'authorised', 0, 0, 0, 0, 1, ${hash("m")} from generate_series(0, 4) m on conflict do nothing`;

const certificates = `
insert into certificate (index, certificate_id, activity_id, implementer, plan, vintage, period_start, period_end, verified_reduction, registry, first_serial, last_serial, verifier, credential_issued_at, credential_hash, allocation_count, recorded_count, allocated, issued, released, taken, converted, status, halted, sequence, block_number, registered_at, transaction_hash)
  select ${first} + n, id, 'ACT-1', ${first} + n % 5, 0, 2015 + n % 10, 20000, 20364, ${micro}, 'Gold Standard', n * 1000 + 1, n * 1000 + 1000, ${hash("n")}, 1, ${hash("n")}, 1000, 1000, ${micro}, ${micro}, 0, 0, 0, (array['pending','valid','suspended','revoked'])[1 + n % 4], false, n, n, ${seconds}, ${hash("n")} from given`;

const vouchers = `
insert into voucher (id, public_id, batch, position, batch_id, certificate, household, value, remaining, start_day, expiry_day, status, opened, redemptions, replaces, replaced_by, sequence, block_number, issued_at, transaction_hash)
  select id::numeric, "publicId", ${first} + n / 256, n % 256, 'BATCH-' || n / 1000, ${first} + n / ${certificatesAtOnce}, ${first} + n, ${micro}, ${micro}, 20400, ${day}, ${statuses}, true, 1, null, null, n, n, ${seconds}, ${hash("n")} from given`;

const claims = `
insert into claim (id, public_id, sequence, voucher, certificate, supplier, credential_hash, status, carbon_amount, block_number, filed_at, transaction_hash)
  select id::numeric, "publicId", n, ${first} + n, ${first} + n / ${certificatesAtOnce}, ${first} + n % 50, ${hash("n")}, ${claimStatuses}, ${micro}, n, ${seconds}, ${hash("n")} from given`;

const payments = `
insert into payment (claim, sequence, supplier, account, carbon_amount, set_off, asset, amount, block_number, paid_at, transaction_hash)
  select id::numeric, n, ${first} + n % 50, '0x' || lpad(to_hex(n % 50), 40, '0'), ${micro}, 0, 'stablecoin', ${micro} / 50, n, ${seconds}, ${hash("n")} from given where n % 5 < 2`;

const blocks = `
insert into itmo_block (id, public_id, unique_id, conversion, itmo_authorization, cooperative_approach_id, first_transferring_party, registry_id, first_id, last_id, quantity, vintage, status, party, first_transfer, split_from, held_since, sequence, block_number, created_at, transaction_hash, change_sequence)
  select id::numeric, "publicId", "uniqueId", ${first} + n / 10, ${first}, 'CA0001', 'ZMB', 'ZMB01', n * 10 + 1, n * 10 + 10, 10 + n * 31 % 997, 2015 + n % 10, ${blockStatuses}, 'CHE', null, null, null, n, n, ${seconds}, ${hash("n")}, n from given`;

const voucherOf = (n: number) => voucherIdOf(first + Math.floor(n / 256), n % 256);
const claimOf = (n: number) => redemptionIdOf(voucherOf(n), 1);
const blockOf = (n: number) => itmoBlockIdOf(first + Math.floor(n / 10), BigInt(n * 10 + 1));
const uniqueIdOf = (n: number) => `CA0001-ZMB01-ZMB-${n * 10 + 1}-${n * 10 + 10}-${2015 + (n % 10)}`;

const tables: { statements: string[]; row: (n: number) => Row }[] = [
  { statements: [certificates], row: (n) => ({ n, id: `CERT-${n}`, publicId: "" }) },
  { statements: [vouchers], row: (n) => ({ n, id: `${voucherOf(n)}`, publicId: encodeVoucherId(voucherOf(n)) }) },
  { statements: [claims, payments], row: (n) => ({ n, id: `${claimOf(n)}`, publicId: encodeClaimId(claimOf(n)) }) },
  {
    statements: [blocks],
    row: (n) => ({ n, id: `${blockOf(n)}`, publicId: encodeItmoBlockId(blockOf(n)), uniqueId: uniqueIdOf(n) }),
  },
];

const given = `with given as (select * from jsonb_to_recordset($1::jsonb) as g(n int, id text, "publicId" text, "uniqueId" text))`;

type Database = {
  query<T>(sql: string, parameters?: unknown[]): Promise<{ rows: T[] }>;
  exec(sql: string): Promise<unknown>;
  close(): Promise<void>;
};

/** Open the database with Ponder's bundled PGlite, because another version could not read its files. */
async function openDatabase(folder: string): Promise<Database> {
  const ponder = createRequire(import.meta.resolve("ponder"));
  const { PGlite } = await import(pathToFileURL(ponder.resolve("@electric-sql/pglite")).href);
  return new PGlite(folder);
}

/**
 * Insert rows `from` (inclusive) to `to` (exclusive) into the certificates, vouchers, claims and ITMO blocks of a
 * stopped system's index. The rows are in the index only, not on its chain.
 */
export async function fillIndex(dataDir: string, from: number, to: number): Promise<void> {
  const database = await openDatabase(join(dataDir, "indexer", "pglite"));
  try {
    const { rows } = await database.query<{ schemaname: string }>(
      "select schemaname from pg_tables where tablename = 'itmo_block'",
    );
    // Ponder's triggers record rows for reorganisations; these rows must not be recorded.
    await database.exec(`set search_path = "${rows[0]?.schemaname}"; set session_replication_role = replica`);
    await database.exec(participants);
    for (const { statements, row } of tables) {
      for (let start = from; start < to; start += rowsAtOnce) {
        const some = Array.from({ length: Math.min(rowsAtOnce, to - start) }, (_, index) => row(start + index));
        for (const statement of statements) await database.query(`${given} ${statement}`, [JSON.stringify(some)]);
      }
    }
    await database.exec("analyze");
  } finally {
    await database.close();
  }
}
