import assert from "node:assert/strict";
import { test } from "node:test";
import { type CertificateSpan, excludes } from "./reservations.ts";

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
