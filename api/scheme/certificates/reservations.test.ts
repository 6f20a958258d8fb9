import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { placeDatabase } from "../../../test/support/database.ts";
import { chainTransactions } from "../../platform/chain/index.ts";
import { openDatabase } from "../../platform/db/client.ts";
import {
  type CertificateSpan,
  certificatesReserving,
  excludes,
  newestReservation,
  saveReservation,
} from "./reservations.ts";

const year = { startDate: "2024-01-01", endDate: "2024-12-31" };
const allocated: CertificateSpan = {
  implementer: 1,
  vintage: 2024,
  period: year,
  isOfCampaign: false,
  isUnallocated: false,
};
const voucher: CertificateSpan = { ...allocated, isUnallocated: true };
const campaign: CertificateSpan = { ...allocated, isOfCampaign: true };
const of = (implementer: number, span: CertificateSpan) => ({ ...span, implementer });
/** The last day of the period is the first day of the year. */
const before = { startDate: "2023-02-01", endDate: "2024-01-01" };
const earlier = { startDate: "2023-02-01", endDate: "2023-12-31" };

test("two certificates with allocations exclude each other if their periods share a day", () => {
  const touching = { ...allocated, vintage: 2023, period: before };
  assert.deepEqual([excludes(touching, allocated), excludes(allocated, touching)], [true, true]);
  const apart = { ...allocated, vintage: 2023, period: earlier };
  assert.deepEqual([excludes(apart, allocated), excludes(allocated, apart)], [false, false]);
  assert.equal(excludes({ ...apart, vintage: 2024 }, allocated), false);
});

test("a campaign's certificate and one with allocations exclude each other also by the vintage, of any implementer", () => {
  const spring = { ...allocated, period: { startDate: "2023-12-01", endDate: "2023-12-31" } };
  for (const other of [spring, of(2, spring)]) {
    assert.deepEqual([excludes(other, campaign), excludes(campaign, other)], [true, true]);
  }
  assert.equal(excludes({ ...spring, vintage: 2023 }, campaign), false);
  assert.equal(excludes(of(2, campaign), campaign), true);
});

test("every campaign's certificate excludes a voucher without allocation, by a day of its period or the vintage", () => {
  for (const period of [year, before]) {
    const wanted = { ...voucher, vintage: 2023, period };
    assert.deepEqual([excludes(campaign, wanted), excludes(of(2, campaign), wanted)], [true, true]);
  }
  assert.equal(excludes(campaign, { ...voucher, vintage: 2023, period: earlier }), false);
  assert.equal(excludes(campaign, { ...voucher, period: earlier }), true);
});

test("a voucher without allocation excludes the campaigns of its implementer, and no other certificate", () => {
  assert.equal(excludes(voucher, campaign), true);
  assert.equal(excludes({ ...voucher, vintage: 2023, period: before }, campaign), true);
  assert.equal(excludes({ ...voucher, vintage: 2023, period: earlier }, campaign), false);
  assert.equal(excludes(of(2, voucher), campaign), false);
  assert.deepEqual(
    [excludes(voucher, allocated), excludes(allocated, voucher), excludes(voucher, voucher)],
    [false, false, false],
  );
});

test("a check sees what is reserved after it, also by a transaction with an earlier id", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-reservations-"));
  await placeDatabase(dataDir);
  const { db, close } = await openDatabase({ dataDir, databaseUrl: undefined });
  try {
    const stored = [0, 1].map((nonce) => ({
      sender: "0x1",
      nonce,
      hash: `0x${nonce}`,
      raw: "0x",
      contract: "vouchers",
      functionName: "issue",
      purpose: "test",
      status: "open" as const,
    }));
    const [earlier, later] = await db.insert(chainTransactions).values(stored).returning();
    assert.ok(earlier !== undefined && later !== undefined && earlier.id < later.id);
    const reserved = (certificateId: string) => ({ ...campaign, certificateId, households: new Set([7]) });
    await db.transaction((tx) => saveReservation(tx, later.id, reserved("CERT-1")));
    const newest = await newestReservation(db);
    await db.transaction((tx) => saveReservation(tx, earlier.id, reserved("CERT-2")));
    assert.deepEqual(await certificatesReserving(db, reserved("CERT-3"), newest), ["CERT-2"]);
    assert.deepEqual(await certificatesReserving(db, reserved("CERT-3"), 0), ["CERT-1", "CERT-2"]);
  } finally {
    await close();
    await rm(dataDir, { recursive: true });
  }
});
