import type pg from "pg";
import { encodeConversionId } from "../wire/src/ids.ts";

/** Size of the filled index: a million events, besides the movements of CARBON. */
export const size = { certificates: 50, vouchers: 50_000, redemptionsEach: 5, conversions: 100, tonnesEach: 50 };
export const redemptions = size.vouchers * size.redemptionsEach;

const hash = (base: number, n: string) => `'0x' || lpad(to_hex(${base}::bigint * 1000000000 + ${n}), 64, '0')`;
/** On-chain id of the bench's voucher `v`: 256 vouchers in a batch. */
const voucher = (v: string) => `((${v} / 256 + 1)::numeric * 4294967296 + ${v} % 256)`;
const redemption = (i: string) =>
  `(${voucher(`(${i} % ${size.vouchers})`)} * 4294967296 + ${i} / ${size.vouchers} + 1)`;
const certificate = (v: string) => `((${v}) / ${size.vouchers / size.certificates} + 1)`;
const sequence = (block: string, log: number) => `((${block})::bigint * 16777216 + ${log})`;
/** Block of the claim for redemption `i`. */
const paid = `${redemptions} * 2 + i`;
const series = (name: string, count: number) => `generate_series(0, ${count - 1}) ${name}`;
/** Redemptions whose CARBON is in one conversion, 20 CARBON each. */
const perConversion = redemptions / size.conversions;
const conversionBlock = `${redemptions} * 4 + c * 10`;

const participants = `
insert into household select h + 1, ${hash(1, "h")}, null, ${sequence("h", 1)}, 1, ${hash(2, "h")} from ${series("h", size.vouchers)};
insert into supplier select s + 1, 'did:bench:supplier/' || s, 'Supplier', '', '0x' || lpad(to_hex(s), 40, '0'), 'authorised', false, 0, 1, ${hash(3, "s")} from ${series("s", 50)};
insert into product select p + 1, 'PROD-' || p, 'Pellets', 'fuel', 'kg', 0, 0, 'approved', 1, ${hash(4, "p")} from ${series("p", 5)};
insert into implementer select m + 1, 'did:bench:implementer/' || m, 'Implementer', '0x' || lpad(to_hex(1000 + m), 40, '0'), 1, ${hash(5, "m")} from ${series("m", 5)};
insert into certificate (index, certificate_id, activity_id, implementer, plan, vintage, period_start, period_end, verified_reduction, registry, first_serial, last_serial, verifier, credential_issued_at, credential_hash, allocation_count, recorded_count, allocated, issued, released, taken, converted, status, halted, sequence, block_number, registered_at, transaction_hash)
  select c + 1, 'CERT-' || c, 'ACT-1', 1, 0, 2025, 20000, 20364, 100000000000, 'Gold Standard', c * 1000 + 1, c * 1000 + 1000, ${hash(6, "c")}, 1, ${hash(7, "c")}, 1000, 1000, 100000000000, 100000000000, 100000000000, 100000000000, 100000000000, 'valid', false, ${sequence("c", 0)}, c, 1, ${hash(8, "c")} from ${series("c", size.certificates)};
insert into voucher (id, public_id, batch, position, batch_id, certificate, household, value, remaining, start_day, expiry_day, status, opened, redemptions, replaces, replaced_by, sequence, block_number, issued_at, transaction_hash)
  select ${voucher("v")}, 'VCHR-' || v, v / 256 + 1, v % 256, 'BATCH', ${certificate("v")}, v + 1, 100000000, 0, 20400, 21000, 'exhausted', true, ${size.redemptionsEach}, null, null, ${sequence("v / 256 + 100", 0)}, v / 256 + 100, 1, ${hash(9, "v / 256")} from ${series("v", size.vouchers)};`;

const deliveries = `
insert into redemption (id, public_id, sequence, voucher, certificate, household, supplier, product, amount, remaining_balance, deadline, consent, "authorized", flagged, status, block_number, redeemed_at, transaction_hash)
  select ${redemption("i")}, 'REDM-' || i, ${sequence(`${redemptions} + i`, 0)}, ${voucher(`(i % ${size.vouchers})`)}, ${certificate(`i % ${size.vouchers}`)}, i % ${size.vouchers} + 1, i % 50 + 1, i % 5 + 1, 20000000, 0, 1, 'none', false, false, 'settled', ${redemptions} + i, 1, ${hash(10, "i")} from ${series("i", redemptions)};
insert into claim (id, public_id, sequence, voucher, certificate, supplier, credential_hash, status, carbon_amount, block_number, filed_at, transaction_hash)
  select ${redemption("i")}, 'CLM-' || i, ${sequence(paid, 0)}, ${voucher(`(i % ${size.vouchers})`)}, ${certificate(`i % ${size.vouchers}`)}, i % 50 + 1, ${hash(11, "i")}, 'approved', 20000000, ${paid}, 1, ${hash(12, "i")} from ${series("i", redemptions)};
insert into payment (claim, sequence, supplier, account, carbon_amount, set_off, asset, amount, block_number, paid_at, transaction_hash)
  select ${redemption("i")}, ${sequence(paid, 3)}, i % 50 + 1, '0x' || lpad(to_hex(i % 50), 40, '0'), 20000000, 0, 'stablecoin', 400000, ${paid}, 1, ${hash(12, "i")} from ${series("i", redemptions)};
insert into swap (sequence, public_id, side, supplier, account, carbon_amount, stablecoin_amount, price, fee, fee_amount, claim, move, block_number, swapped_at, transaction_hash)
  select ${sequence(paid, 2)}, 'SWAP-' || i, 'sell', i % 50 + 1, '0x' || lpad(to_hex(i % 50), 40, '0'), 20000000, 400000, 20000, 0, 0, ${redemption("i")}, ${sequence(paid, 1)}, ${paid}, 1, ${hash(12, "i")} from ${series("i", redemptions)};
insert into event_log (sequence, event, voucher, redemption, supplier, batch, block_number, timestamp, transaction_hash, log_index, data)
  select ${sequence(paid, 0)}, name, ${voucher(`(i % ${size.vouchers})`)}, ${redemption("i")}, i % 50 + 1, i % ${size.vouchers} / 256 + 1, ${paid}, 1, ${hash(12, "i")}, log, '{}'
  from ${series("i", redemptions)}, (values ('ClaimFiled', 0), ('CarbonSold', 2), ('ClaimPaid', 3)) e (name, log);
update event_log set sequence = sequence + log_index where log_index > 0;`;

const carbon = (pool: string, escrow: string) => `
insert into carbon_move (sequence, kind, from_account, to_account, amount, from_offset, to_offset, certificate, redemption, voucher, conversion, swap, block_number, moved_at, transaction_hash)
  select ${sequence(paid, 1)}, 'release', '${escrow}', '${pool}', 20000000, i::numeric * 20000000, i::numeric * 20000000, ${certificate(`i % ${size.vouchers}`)}, ${redemption("i")}, ${voucher(`(i % ${size.vouchers})`)}, null, ${sequence(paid, 2)}, ${paid}, 1, ${hash(12, "i")} from ${series("i", redemptions)};
insert into swap (sequence, public_id, side, implementer, account, carbon_amount, stablecoin_amount, price, fee, fee_amount, move, block_number, swapped_at, transaction_hash)
  select ${sequence(conversionBlock, 0)}, 'SWAP-B' || c, 'buy', c % 5 + 1, '0x' || lpad(to_hex(1000 + c % 5), 40, '0'), ${size.tonnesEach}000000000, 1, 20000, 0, 0, ${sequence(conversionBlock, 1)}, ${conversionBlock}, 1, ${hash(13, "c")} from ${series("c", size.conversions)};
insert into carbon_move (sequence, kind, from_account, to_account, amount, from_offset, to_offset, swap, block_number, moved_at, transaction_hash)
  select ${sequence(conversionBlock, 1)}, 'purchase', '${pool}', '0x' || lpad(to_hex(1000 + c % 5), 40, '0'), ${size.tonnesEach}000000000, c::numeric * ${size.tonnesEach}000000000, (c / 5)::numeric * ${size.tonnesEach}000000000, ${sequence(conversionBlock, 0)}, ${conversionBlock}, 1, ${hash(13, "c")} from ${series("c", size.conversions)};
insert into carbon_account values ('${pool}', ${redemptions}::numeric * 20000000, ${redemptions}::numeric * 20000000), ('${escrow}', ${redemptions}::numeric * 20000000, ${redemptions}::numeric * 20000000) on conflict (account) do update set received = excluded.received, sent = excluded.sent;
insert into carbon_account select '0x' || lpad(to_hex(1000 + m), 40, '0'), ${size.conversions / 5}::numeric * ${size.tonnesEach}000000000, ${size.conversions / 5}::numeric * ${size.tonnesEach}000000000 from ${series("m", 5)};`;

/** Conversions have real public ids, because the movements refer to them. */
function conversions(): string {
  const names = Array.from({ length: size.conversions }, (_, c) => `(${c}, '${encodeConversionId(BigInt(c + 1))}')`);
  const named = `(values ${names.join(", ")}) n (c, name)`;
  const amount = `${size.tonnesEach}000000000`;
  const account = "'0x' || lpad(to_hex(1000 + c % 5), 40, '0')";
  const zero = `0x${"0".repeat(40)}`;
  const first = `(c * ${size.tonnesEach} + 1)`;
  const blocks = 5;
  const tonnes = size.tonnesEach / blocks;
  const start = `(c * ${size.tonnesEach} + b * ${tonnes} + 1)`;
  const block = `((c + 1)::numeric * 18446744073709551616 + ${start})`;
  const made = `${conversionBlock} + 3`;
  return `
insert into cooperative_approach values (1, 'CA0001', 'ZMB', array['Building and construction'], 'Cookstoves', 2021, 2030, 1, 1, ${hash(14, "1")});
insert into itmo_authorization (index, authorization_id, approach, authorized_day, purpose, first_transfer, first_year, last_year, omge_share, sop_share, terms, version, quantity, committed, issued, sequence, registered_at, transaction_hash) values (1, 'AUTH-1', 1, 20000, 'NDC', null, 0, 0, 0, 0, '{}', 1, 100000, 5000, 5000, 1, 1, ${hash(14, "2")});
insert into itmo_conversion (index, public_id, implementer, itmo_authorization, account, amount, quantity, vintage, nonce, status, registry_id, first_id, last_id, sequence, block_number, requested_at, transaction_hash, end_sequence, ended_at, end_transaction_hash)
  select c + 1, name, c % 5 + 1, 1, ${account}, ${amount}, ${size.tonnesEach}, 2025, 0, 'finalised', 'ZMB01', ${first}, ${first} + ${size.tonnesEach - 1}, ${sequence(`${conversionBlock} + 1`, 0)}, ${conversionBlock} + 1, 1, ${hash(15, "c")}, ${sequence(made, 0)}, 1, ${hash(16, "c")} from ${named};
insert into carbon_move (sequence, kind, from_account, to_account, amount, from_offset, to_offset, conversion, block_number, moved_at, transaction_hash)
  select ${sequence(`${conversionBlock} + 1`, 1)}, 'deposit', ${account}, name, ${amount}, (c / 5)::numeric * ${amount}, 0, c + 1, ${conversionBlock} + 1, 1, ${hash(15, "c")} from ${named}
  union all select ${sequence(made, 9)}, 'conversion', name, '${zero}', ${amount}, 0, c::numeric * ${amount}, c + 1, ${made}, 1, ${hash(16, "c")} from ${named};
insert into carbon_account select name, ${amount}, ${amount} from ${named};
insert into itmo_lot (conversion, start_offset, amount, first_serial, last_serial, certificate, redemption, voucher, release)
  select i / ${perConversion} + 1, (i % ${perConversion})::numeric * 20000000, 20000000, i / ${perConversion} * ${size.tonnesEach} + 1 + (i % ${perConversion}) / 50, i / ${perConversion} * ${size.tonnesEach} + 1 + (i % ${perConversion}) / 50, ${certificate(`i % ${size.vouchers}`)}, ${redemption("i")}, ${voucher(`(i % ${size.vouchers})`)}, ${sequence(paid, 1)} from ${series("i", redemptions)};
insert into itmo_block (id, public_id, unique_id, conversion, itmo_authorization, cooperative_approach_id, first_transferring_party, registry_id, first_id, last_id, quantity, vintage, status, party, first_transfer, split_from, held_since, sequence, block_number, created_at, transaction_hash, change_sequence)
  select ${block}, 'ITMO-' || c || '-' || b, 'CA0001-ZMB01-ZMB-' || ${start} || '-' || ${start} + ${tonnes - 1} || '-2025', c + 1, 1, 'CA0001', 'ZMB', 'ZMB01', ${start}, ${start} + ${tonnes - 1}, ${tonnes}, 2025, 'used-for-ndc', 'CHE', 'First transfer to another Party', null, null, ${sequence(made, 1)}, ${made}, 1, ${hash(16, "c")}, ${sequence(made, 1)} from ${series("c", size.conversions)}, ${series("b", blocks)};
insert into itmo_action (sequence, block, conversion, itmo_authorization, action, subtype, cooperative_approach_id, authorization_id, first_transferring_party, registry_id, first_id, last_id, quantity, vintage, transferring_party, acquiring_party, using_party, ndc_year, note, block_number, acted_at, transaction_hash)
  select ${sequence(`${conversionBlock} + 4`, 0)} + b * 4 + a, ${block}, c + 1, 1, case a when 0 then 'First transfer' else 'Use' end, null, 'CA0001', 'AUTH-1', 'ZMB', 'ZMB01', ${start}, ${start} + ${tonnes - 1}, ${tonnes}, 2025, 'ZMB', 'CHE', null, null, '', ${conversionBlock} + 4, 1, ${hash(17, "c * 10 + b")} from ${series("c", size.conversions)}, ${series("b", blocks)}, generate_series(0, 1) a;
insert into event_log (sequence, event, conversion, itmo_block, itmo_authorization, block_number, timestamp, transaction_hash, log_index, data)
  select ${sequence(`${conversionBlock} + 4`, 0)} + b * 4 + a, 'ItmoAction', c + 1, ${block}, 1, ${conversionBlock} + 4, 1, ${hash(17, "c * 10 + b")}, b * 4 + a, '{}' from ${series("c", size.conversions)}, ${series("b", blocks)}, generate_series(0, 1) a;`;
}

/**
 * Fill an index's tables, in the connection's search path, with consistent rows for a million events, made by SQL.
 * Public ids that no query reads are numbered instead of encoded. Triggers must be off.
 */
export async function fillIndex(client: pg.Client, places: { pool: string; vouchers: string }): Promise<void> {
  for (const part of [
    participants,
    deliveries,
    carbon(places.pool.toLowerCase(), places.vouchers.toLowerCase()),
    conversions(),
  ]) {
    for (const statement of part.split(";\n")) await client.query(statement);
  }
  await client.query("vacuum analyze");
}
