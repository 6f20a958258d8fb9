import assert from "node:assert/strict";
import { test } from "node:test";
import { corsiaCsv, exceptionsCsv, ndcAccountingCsv } from "../../../indexer/reports/csv.ts";
import { exact } from "../../../indexer/reports/exact.ts";

const agreed = (amount: bigint) => ({ byEvents: exact(amount, 6), byChain: exact(amount, 6), agree: true });
const certificate = {
  certificateId: "CERT-1",
  status: "revoked" as const,
  reason: '=HYPERLINK("x"), and more',
  since: "2026-11-26T00:00:00.000Z",
  revocationFinalAt: null,
  implementerDid: "did:x:stoves",
  vintage: 2025,
  verified: exact(60_000_000n, 6),
  issued: agreed(60_500_000n),
  unspent: exact(1n, 6),
  openRedemptions: exact(0n, 6),
  released: exact(0n, 6),
  burned: exact(0n, 6),
  inConversions: exact(0n, 6),
  converted: exact(2_000_000n, 6),
  bufferCancelled: 1n,
  units: [],
};

test("exceptions have a row for each block, exact amounts, and no text that a spreadsheet runs", () => {
  const block = { status: "held", firstTransferred: true, carbon: exact(2_000_000n, 6), party: null };
  const blocks = [
    {
      ...block,
      id: "ITMO-1",
      uniqueId: "CA0001-1",
      authorizationId: "AUTH-1",
      authorizationStatus: "revoked" as const,
    },
  ];
  const csv = exceptionsCsv([
    { ...certificate, blocks },
    { ...certificate, certificateId: "CERT-2", blocks: [] },
  ]);
  const [header, first, second, last] = csv.split("\r\n");
  assert.match(
    header ?? "",
    /^certificateId,status,reason,since,.*,block_party,block_authorizationId,block_authorizationStatus$/,
  );
  assert.equal(
    first,
    `CERT-1,revoked,"'=HYPERLINK(""x""), and more",2026-11-26T00:00:00.000Z,,did:x:stoves,2025,60,60.5,0.000001,0,0,0,0,2,1,ITMO-1,CA0001-1,held,true,2,,AUTH-1,revoked`,
  );
  assert.match(second ?? "", /^CERT-2,.*,2,1,,,,,,,,$/);
  assert.equal(last, "");
});

test("NDC accounting has a row for each year", () => {
  const year = { firstTransferred: 60n, used: 0n, cumulative: 60n, adjustment: exact(37_500_000n, 6) };
  const rest = { averageOf: null, indicative: true, emissions: null, adjustedEmissions: null, level: null };
  const years = [{ year: 2022, ...year, ...rest, aboveLevel: null }];
  const sums = { used: 0n, net: 60n, adjustedEmissions: null, level: null, aboveLevel: null };
  const total = { firstTransferred: { byEvents: 60n, byChain: 60n, agree: true }, ...sums };
  const csv = ndcAccountingCsv({
    party: "ZMB",
    year: 2022,
    block: 1n,
    period: null,
    method: "averaging",
    record: null,
    years,
    total,
    problems: [],
  });
  assert.equal(csv.split("\r\n")[1], "ZMB,averaging,2022,60,0,60,37.5,true,,,,");
});

test("CORSIA has a row for each phase of each unit", () => {
  const label = { firstYear: 2024, lastYear: 2026, record: { parameterId: "PRM-9", source: "ICAO" } };
  const missing = ["period-eligible", "purpose-authorized"] as const;
  const labels = [{ ...label, phase: "first-phase" as const, eligible: false, missing: [...missing] }];
  const unit = { certificateId: "CERT-1", registry: "Gold Standard", vintage: 2025, authorizationId: "AUTH-1" };
  const units = [{ ...unit, purpose: "NDC", status: "held", carbon: exact(4_000_000n, 6), labels }];
  const [, row] = corsiaCsv({ party: "ZMB", block: 1n, units }).split("\r\n");
  assert.equal(
    row,
    "ZMB,CERT-1,Gold Standard,2025,AUTH-1,NDC,held,4,first-phase,false,period-eligible purpose-authorized,PRM-9,ICAO",
  );
});
