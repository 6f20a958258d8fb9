import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import { labelForCorsia } from "../../../indexer/reports/corsia.ts";
import { type ReportDatabase, shareReportDatabase } from "./database.ts";
import { insertScene, now } from "./scene.ts";

const day = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;

describe("the labels of CORSIA", () => {
  let database: ReportDatabase;
  before(async () => {
    database = await shareReportDatabase();
    await insertScene(database);
  });
  beforeEach(() => database.run("begin"));
  afterEach(() => database.run("rollback"));

  const record = (number: number, key: string, from: string, to: string | null) =>
    database.run("insert into parameter values ($1, 'corsia', $2, 0, 0, '', 'ICAO', null, $3, $4, null, $5, '0x')", [
      number,
      key,
      day(from),
      to === null ? null : day(to),
      now,
    ]);
  const labels = async () => {
    const { units } = await labelForCorsia(database.ask, { block: 40n, timestamp: now }, { party: "ZMB" });
    return units;
  };
  const firstPhase = async () => {
    const [unit] = await labels();
    const label = unit?.labels.find(({ phase }) => phase === "first-phase");
    return [label?.eligible, label?.missing];
  };

  it("make units eligible in the phase for which their registry and period are recorded", async () => {
    await record(1, "first-phase/Gold Standard", "2021-01-01", "2026-12-31");
    const units = await labels();
    assert.deepEqual(
      units.map(({ certificateId, status, carbon }) => [certificateId, status, `${carbon}`]),
      [
        ["CERT-1", "held", "6000"],
        ["CERT-1", "used-for-oimp", "2000"],
      ],
    );
    assert.deepEqual(
      units[0]?.labels.map(({ phase, firstYear, lastYear, eligible, missing }) => [
        phase,
        firstYear,
        lastYear,
        eligible,
        missing,
      ]),
      [
        ["pilot-phase", 2021, 2023, false, ["registry-recorded"]],
        ["first-phase", 2024, 2026, true, []],
        ["second-phase", 2027, 2035, false, ["registry-recorded"]],
      ],
    );
    assert.deepEqual(units[0]?.labels[1]?.record, { parameterId: "PRM-1", source: "ICAO" });
  });

  it("need the whole period of the certificate, by the newest record", async () => {
    await record(1, "first-phase/Gold Standard", "2021-01-01", null);
    assert.deepEqual(await firstPhase(), [true, []]);
    await record(2, "first-phase/Gold Standard", "2021-01-01", "2025-12-30");
    assert.deepEqual(await firstPhase(), [false, ["period-eligible"]]);
  });

  it("know a registry by every spelling that a registrar's own account recorded", async () => {
    await record(1, "first-phase/GOLD-STANDARD", "2021-01-01", null);
    assert.deepEqual(await firstPhase(), [true, []]);
    await record(2, "first-phase/gold standard", "2021-01-01", "2025-12-30");
    assert.deepEqual(await firstPhase(), [false, ["period-eligible"]]);
    await record(3, "first-phase/G\u03bfld Standard", "2021-01-01", null);
    assert.deepEqual(await firstPhase(), [false, ["period-eligible"]]);
  });

  it("need an authorization for international mitigation purposes, and name every reason", async () => {
    await record(1, "first-phase/Gold Standard", "2025-01-02", null);
    await database.run("update itmo_authorization set purpose = 'NDC'");
    assert.deepEqual(await firstPhase(), [false, ["period-eligible", "purpose-authorized"]]);
  });

  it("need a certificate that is neither suspended nor revoked", async () => {
    await record(1, "first-phase/Gold Standard", "2021-01-01", null);
    for (const status of ["suspended", "revoked"]) {
      await database.run("update certificate set status = $1", [status]);
      assert.deepEqual(await firstPhase(), [false, ["certificate-valid"]]);
    }
  });

  it("need what a reduction left, for units that were not first transferred", async () => {
    await record(1, "first-phase/Gold Standard", "2021-01-01", null);
    const purposes = async () => (await labels()).map(({ status, purpose, carbon }) => [status, purpose, `${carbon}`]);
    await database.run(
      `update itmo_authorization set left_purpose = 'NDC', left_quantity = 20, reduction_final_at = 1`,
    );
    const used = ["used-for-oimp", "NDC and OIMP", "2000"];
    assert.deepEqual(await purposes(), [["held", "NDC", "4000"], ["held", "NDC and OIMP", "2000"], used]);
    assert.deepEqual(await firstPhase(), [false, ["purpose-authorized"]]);
    // Six tonnes were first transferred: a reduction to six leaves the rest nothing.
    await database.run("update itmo_authorization set left_purpose = 'NDC and OIMP', left_quantity = 6");
    assert.deepEqual(await purposes(), [["held", "NDC and OIMP", "2000"], ["held", null, "4000"], used]);
    await database.run("update itmo_authorization set left_purpose = null");
    assert.deepEqual(await purposes(), [["held", "NDC and OIMP", "2000"], ["held", null, "4000"], used]);
  });
});
