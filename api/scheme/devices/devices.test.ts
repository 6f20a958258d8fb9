import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  otherImplementerDid,
  planId,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../../../test/support/campaigns.ts";
import { interruptResponse, sendInterrupted } from "../../../test/support/interrupted.ts";
import {
  type Answer,
  type Caller,
  openRegistryTest,
  type RegistryTest,
  registerHouseholds,
  rulesOf,
} from "../../../test/support/registry.ts";
import { migrationsFolder } from "../../platform/db/migrations-folder.ts";
import type { CampaignResultResponse } from "../campaigns/result/schemas.ts";
import type { CampaignResponse } from "../campaigns/schemas.ts";
import type { DeviceResponse } from "./schemas.ts";
import { spellingOf } from "./spelling.ts";

let registry: RegistryTest;
let implementer: Caller;
let regulator: Caller;
before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  regulator = await registry.as("regulator");
  implementer = await registry.as("implementer", { implementerDid });
});
after(() => registry?.close());

const householdDid = "did:ixo:household/with-stove";
let serials = 0;
function deviceOf(changes: object = {}) {
  serials += 1;
  const serial = `STOVE-${String(serials).padStart(6, "0")}`;
  return { serial, model: "Jiko 2", planId, householdDid, installedOn: "2024-01-01", ...changes };
}

type Row = { answer: { serial: string | null; status: string; details?: { rule: string }[] } };
async function importedRows(answer: Answer): Promise<Row[]> {
  const { url } = requireStatus(answer, 202).body as { url: string };
  const path = url.replace("/v1", "");
  for (let i = 0; i < 600; i++) {
    const { status } = (await registry.admin("GET", path)).body as { status: string };
    if (["succeeded", "partial", "failed"].includes(status)) {
      return ((await registry.admin("GET", `${path}/rows?limit=100`)).body as { items: Row[] }).items;
    }
    assert.ok(["queued", "running"].includes(status), status);
    await sleep(100);
  }
  throw new Error("The import did not end.");
}
const importCsv = (call: Caller, text: string, plan = planId) =>
  call("POST", `/devices/import?planId=${plan}`, text, { "content-type": "text/csv" });

test("registers a device once, shows it to those of its plan, and retires it once", async () => {
  await registerHouseholds(registry.admin, [householdDid]);
  const body = deviceOf();
  const made = requireStatus(await implementer("POST", "/devices", body), 201).body as DeviceResponse;
  assert.partialDeepStrictEqual(made, { ...body, retiredOn: null });
  const path = `/devices/${body.serial}`;
  assert.deepEqual((await regulator("GET", path)).body, made);
  const again = await implementer("POST", "/devices", { ...body, model: "other" });
  assert.deepEqual([again.status, rulesOf(again)], [409, ["not-registered-before"]]);
  const other = await registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.equal((await other("GET", path)).status, 404);
  assert.equal((await other("POST", "/devices", deviceOf())).status, 403);
  assert.equal((await other("PATCH", path, { retiredOn: "2024-05-01" })).status, 404);
  const early = await implementer("PATCH", path, { retiredOn: "2023-05-01" });
  assert.deepEqual([early.status, rulesOf(early)], [400, ["dates-ordered"]]);
  const retired = requireStatus(await implementer("PATCH", path, { retiredOn: "2024-05-01" }), 200).body;
  assert.partialDeepStrictEqual(retired, { serial: body.serial, retiredOn: "2024-05-01" });
  const twice = await implementer("PATCH", path, { retiredOn: "2024-06-01" });
  assert.deepEqual([twice.status, rulesOf(twice)], [409, ["retired-once"]]);
});

test("records devices and their ends at the time of the latest block, whatever this machine's clock says", async () => {
  const { chain, clock } = registry.deps;
  const { now } = clock;
  const blockTime = async () => new Date(Number(await chain.now()) * 1_000).toISOString();
  const first = await blockTime();
  for (const ahead of [3_600_000, -3_600_000]) {
    clock.now = () => new Date(Date.now() + ahead);
    const [one, imported] = [deviceOf(), deviceOf()];
    try {
      requireStatus(await implementer("POST", "/devices", one), 201);
      requireStatus(await implementer("PATCH", `/devices/${one.serial}`, { retiredOn: "2024-05-01" }), 200);
      const { serial, model, householdDid: household } = imported;
      await importedRows(
        await importCsv(
          implementer,
          `serial,model,householdDid,installedOn\n${serial},${model},${household},2024-01-01`,
        ),
      );
    } finally {
      clock.now = now;
    }
    const show = async ({ serial }: { serial: string }) =>
      requireStatus(await implementer("GET", `/devices/${serial}`), 200).body as DeviceResponse;
    const { createdAt, retirementRecordedAt } = await show(one);
    const last = await blockTime();
    for (const time of [createdAt, retirementRecordedAt ?? "", (await show(imported)).createdAt]) {
      assert.ok(first <= time && time <= last, `${first} ${time} ${last}`);
    }
  }
});

test("lists the devices of one household", async () => {
  const other = "did:x:household/listed";
  await registerHouseholds(registry.admin, [householdDid, other]);
  const plan = { planId: "PLAN-LISTED", implementerDid, period: { startDate: "2024-01-01", endDate: "2024-12-31" } };
  requireStatus(await registry.admin("POST", "/monitoring-plans", plan), 201);
  const [first, second, third] = [householdDid, other, other].map((did) =>
    deviceOf({ planId: plan.planId, householdDid: did }),
  );
  for (const body of [first, second, third]) requireStatus(await implementer("POST", "/devices", body), 201);
  const listed = async (query: string) => {
    const { body } = requireStatus(await implementer("GET", `/devices?planId=${plan.planId}${query}`), 200);
    return (body as { items: DeviceResponse[] }).items.map(({ serial }) => serial);
  };
  const serials = [second?.serial, third?.serial].sort();
  assert.deepEqual(await listed(`&householdDid=${other}`), serials);
  assert.deepEqual(await listed(`&householdDid=${other}&limit=1`), serials.slice(0, 1));
  assert.deepEqual(await listed("&householdDid=did:x:household/unknown"), []);
  assert.equal((await listed("")).length, 3);
});

test("registers the device of an interrupted request once, and no other request's", async () => {
  await registerHouseholds(registry.admin, [householdDid]);
  // Other tests count the devices of the first plan.
  const plan = { planId: "PLAN-ONCE", implementerDid, period: { startDate: "2024-01-01", endDate: "2024-12-31" } };
  requireStatus(await registry.admin("POST", "/monitoring-plans", plan), 201);
  const body = deviceOf({ planId: plan.planId });
  const key = { "idempotency-key": "installed-once" };
  const made = requireStatus(await implementer("POST", "/devices", body, key), 201).body;
  await interruptResponse(registry, key["idempotency-key"]);
  const again = requireStatus(await implementer("POST", "/devices", body, key), 201);
  assert.deepEqual([again.body, again.headers.get("idempotency-replayed")], [made, null]);
  const other = await implementer("POST", "/devices", body, { "idempotency-key": "another" });
  assert.deepEqual([other.status, rulesOf(other)], [409, ["not-registered-before"]]);
});

test("retires a device, and records a scale's calibration, once also when a kill came before the response", async () => {
  await registerHouseholds(registry.admin, [householdDid]);
  const plan = { planId: "PLAN-RETIRED", implementerDid, period: { startDate: "2024-01-01", endDate: "2024-12-31" } };
  requireStatus(await registry.admin("POST", "/monitoring-plans", plan), 201);
  const body = deviceOf({ planId: plan.planId });
  requireStatus(await implementer("POST", "/devices", body), 201);
  const change = { retiredOn: "2024-05-01" };
  const path = `/devices/${body.serial}`;
  await sendInterrupted(registry, (headers) => implementer("PATCH", path, change, headers), 200);
  const other = await implementer("PATCH", path, change, { "idempotency-key": "another-retirement" });
  assert.deepEqual([other.status, rulesOf(other)], [409, ["retired-once"]]);

  const certificate = "https://example.org/scale-7";
  const days = { calibratedOn: "2024-01-10", validUntil: "2025-01-09" };
  const calibration = { planId: plan.planId, serial: "SCALE-7", ...days, certificate };
  await sendInterrupted(registry, (headers) => implementer("POST", "/scales", calibration, headers), 201);
  const second = await implementer("POST", "/scales", calibration, { "idempotency-key": "another-calibration" });
  assert.deepEqual([second.status, rulesOf(second)], [409, ["not-registered-before"]]);
});

test("knows a serial in another spelling, also of devices that were registered before it compared them", async () => {
  const serial = "JIKO-2.7 A";
  requireStatus(await implementer("POST", "/devices", deviceOf({ serial })), 201);
  for (const spelling of ["jiko-2.7 a", "JIKO 2-7_A", "Jiko/2.7-A", "\uff2aIKO-2.7 A"]) {
    const again = await implementer("POST", "/devices", deviceOf({ serial: spelling }));
    assert.deepEqual([again.status, rulesOf(again)], [409, ["not-registered-before"]], spelling);
  }
  requireStatus(await implementer("POST", "/devices", deviceOf({ serial: "JIKO-27 A" })), 201);
  const row = (name: string) => `${name},Jiko 2,${householdDid},2024-01-01`;
  const csv = ["serial,model,householdDid,installedOn", row("K 1"), row("k-1"), row("jiko-2.7-a")].join("\n");
  const rows = await importedRows(await importCsv(implementer, csv));
  assert.deepEqual(
    rows.map(({ answer }) => answer.details?.map(({ rule }) => rule) ?? answer.status),
    ["registered", ["serial-once"], ["not-registered-before"]],
  );

  const { db } = registry.deps;
  await db.execute(sql`alter table devices drop column spelling`);
  await db.execute(sql`insert into devices (serial, model, plan, household, installed_on, created_at)
    select 'jiko-2.7_a', model, plan, household, installed_on, created_at + interval '1 hour' from devices where serial = ${serial}`);
  const migration = await readFile(join(migrationsFolder, "0086_device_spellings.sql"), "utf8");
  for (const statement of migration.split("--> statement-breakpoint")) await db.execute(sql.raw(statement));
  const { rows: found } = await db.execute(
    sql`select serial, spelling from devices where serial in (${serial}, 'jiko-2.7_a')`,
  );
  assert.deepEqual(Object.fromEntries(found.map((each) => [each.serial, each.spelling])), {
    [serial]: spellingOf(serial),
    "jiko-2.7_a": null,
  });
});

test("refuses a device with every broken rule", async () => {
  const wrong = deviceOf({ householdDid: "did:ixo:household/nobody", retiredOn: "2020-01-01" });
  const refused = await implementer("POST", "/devices", wrong);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["dates-ordered", "household-registered"]]);
  const unknown = await implementer("POST", "/devices", deviceOf({ planId: "NO-PLAN" }));
  assert.deepEqual([unknown.status, rulesOf(unknown)], [400, ["plan-registered"]]);
  assert.equal((await implementer("GET", "/devices?planId=NO-PLAN")).status, 404);
});

test("registers no device that is installed later than the day after the latest block's, by request or by file", async () => {
  await registerHouseholds(registry.admin, [householdDid]);
  const today = Date.parse(new Date(Number(await registry.deps.chain.now()) * 1_000).toISOString().slice(0, 10));
  const day = (later: number) => new Date(today + later * 86_400_000).toISOString().slice(0, 10);
  const plan = { planId: "PLAN-FUTURE", implementerDid, period: { startDate: "2024-01-01", endDate: "2024-12-31" } };
  requireStatus(await registry.admin("POST", "/monitoring-plans", plan), 201);
  const { planId: own } = plan;
  for (const installedOn of [day(3), "2099-01-01"]) {
    const refused = await implementer("POST", "/devices", deviceOf({ planId: own, installedOn }));
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["installed-not-in-future"]], installedOn);
  }
  requireStatus(await implementer("POST", "/devices", deviceOf({ planId: own, installedOn: day(1) })), 201);
  const row = (serial: string, installedOn: string) => `${serial},Jiko 2,${householdDid},${installedOn}`;
  const csv = ["serial,model,householdDid,installedOn", row("F-1", day(3)), row("F-2", day(0))].join("\n");
  const rows = await importedRows(await importCsv(implementer, csv, own));
  assert.deepEqual(
    rows.map(({ answer }) => answer.details?.map(({ rule }) => rule) ?? answer.status),
    [["installed-not-in-future"], "registered"],
  );
});

test("retires no device, and records no calibration, later than the day after the latest block's, by request or by file", async () => {
  await registerHouseholds(registry.admin, [householdDid]);
  const today = Date.parse(new Date(Number(await registry.deps.chain.now()) * 1_000).toISOString().slice(0, 10));
  const day = (later: number) => new Date(today + later * 86_400_000).toISOString().slice(0, 10);
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  const own = "PLAN-RETIRED-LATER";
  requireStatus(await registry.admin("POST", "/monitoring-plans", { planId: own, implementerDid, period }), 201);
  const device = deviceOf({ planId: own });
  const path = `/devices/${device.serial}`;
  requireStatus(await implementer("POST", "/devices", device), 201);
  for (const retiredOn of [day(3), "2099-01-01"]) {
    const made = await implementer("POST", "/devices", deviceOf({ planId: own, retiredOn }));
    assert.deepEqual([made.status, rulesOf(made)], [400, ["retired-not-in-future"]], retiredOn);
    const changed = await implementer("PATCH", path, { retiredOn });
    assert.deepEqual([changed.status, rulesOf(changed)], [400, ["retired-not-in-future"]], retiredOn);
  }
  requireStatus(await implementer("PATCH", path, { retiredOn: day(1) }), 200);
  const row = (serial: string, retiredOn: string) => `${serial},Jiko 2,${householdDid},2024-01-01,${retiredOn}`;
  const csv = ["serial,model,householdDid,installedOn,retiredOn", row("R-1", day(3)), row("R-2", day(0))].join("\n");
  const rows = await importedRows(await importCsv(implementer, csv, own));
  assert.deepEqual(
    rows.map(({ answer }) => answer.details?.map(({ rule }) => rule) ?? answer.status),
    [["retired-not-in-future"], "registered"],
  );

  const calibration = { planId: own, serial: "SCALE-LATER", certificate: "https://example.org/scale" };
  const early = { ...calibration, calibratedOn: day(3), validUntil: day(0) };
  const refused = await implementer("POST", "/scales", early);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["calibrated-not-in-future", "dates-ordered"]]);
  const made = { ...calibration, calibratedOn: day(1), validUntil: day(400) };
  requireStatus(await implementer("POST", "/scales", made), 201);
});

test("imports devices from CSV, each row with its answer", async () => {
  await registerHouseholds(registry.admin, ["did:ixo:household/csv"]);
  const text = [
    "Serial,model,householdDid,installedOn,retiredOn",
    "CSV-1,Jiko 2,did:ixo:household/csv,2024-01-01,",
    "CSV-2,Jiko 2,did:ixo:household/csv,2024-01-01,2024-12-31",
    "CSV-1,Jiko 2,did:ixo:household/csv,2024-01-01,",
    "CSV-3,Jiko 2,did:ixo:household/unknown,2024-01-01,",
    "CSV-4,Jiko 2,did:ixo:household/csv,yesterday,",
    "CSV-5,Jiko 2",
  ].join("\n");
  const rows = await importedRows(await importCsv(implementer, text));
  assert.deepEqual(
    rows.map(({ answer }) => [answer.serial, answer.status, (answer.details ?? []).map(({ rule }) => rule)]),
    [
      ["CSV-1", "registered", []],
      ["CSV-2", "registered", []],
      ["CSV-1", "refused", ["serial-once"]],
      ["CSV-3", "refused", ["household-registered"]],
      ["CSV-4", "refused", rows[4]?.answer.details?.map(({ rule }) => rule) ?? []],
      ["CSV-5", "refused", ["cell-count"]],
    ],
  );
  const repeated = await importedRows(await importCsv(implementer, text.split("\n").slice(0, 2).join("\n")));
  assert.deepEqual(
    repeated.map(({ answer }) => answer.details?.map(({ rule }) => rule)),
    [["not-registered-before"]],
  );
  type Page = { items: DeviceResponse[]; nextCursor: string | null };
  const page = (await implementer("GET", `/devices?planId=${planId}&limit=1`)).body as Page;
  assert.equal(page.items[0]?.serial, "CSV-1");
  const next = (await implementer("GET", `/devices?planId=${planId}&limit=1&cursor=${page.nextCursor}`)).body as Page;
  assert.equal(next.items[0]?.serial, "CSV-2");
  const header = await importCsv(implementer, "serial,colour\nX,red");
  assert.deepEqual(
    [header.status, rulesOf(header)],
    [400, ["column-present", "column-present", "column-present", "known-column"]],
  );
  assert.equal((await importCsv(implementer, text, "NO-PLAN")).status, 400);
  assert.equal((await implementer("POST", `/devices/import?planId=${planId}`, "{}")).status, 400);
});

test("a campaign of a plan with devices needs them in its intervention frame, and counts one at a time for each household", async () => {
  const terms = { method: "smec-4", fuel: "wood", area: "ZMB", householdSize: 4.5, life: 3, daf: 0.1, he: 0.9 };
  const body = await registerFrames(registry.admin, exampleCampaign({ sampleSize: 3, emissions: terms }, 3));
  const [first, second, third] = body.groups.intervention.frame;
  const stove = (did: string | undefined, changes: object = {}) =>
    implementer("POST", "/devices", deviceOf({ householdDid: did, ...changes }));
  requireStatus(await stove(first), 201);
  requireStatus(await stove(second, { installedOn: "2024-02-02" }), 201);
  requireStatus(await stove(third, { retiredOn: "2024-02-03" }), 201);
  const bare = await implementer("POST", "/campaigns", body);
  assert.deepEqual([bare.status, rulesOf(bare)], [400, ["device-installed", "device-installed"]]);
  requireStatus(await stove(second, { installedOn: "2024-01-31" }), 201);
  requireStatus(await stove(third), 201);
  const typed = { ...body, emissions: { ...terms, units: 1000, newUnits: 1000 } };
  const refused = await implementer("POST", "/campaigns", typed);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["counted-from-devices", "counted-from-devices"]]);

  const campaign: CampaignResponse = await drawnCampaign(implementer, body);
  const result = (await implementer("GET", `/campaigns/${campaign.campaignId}/result`)).body as CampaignResultResponse;
  assert.deepEqual(
    result.emissions.reductions[0]?.assumptions.map(({ parameter }) => parameter),
    [],
  );
  const claim = async (testGroup: "reference" | "intervention", kilograms: number) => {
    for (const householdId of campaign.groups[testGroup].sample) {
      const dailyLogs = [kilograms, kilograms, kilograms];
      const fuelMeasurements = { total: kilograms * 3, dailyLogs };
      const testPeriod = { startDate: "2024-02-01", endDate: "2024-02-03" };
      const externalFactors = { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical"] };
      const claimed = { type: "KPTClaim", householdId, testGroup, testPeriod, fuelMeasurements, externalFactors };
      requireStatus(await implementer("POST", "/claims", claimed), 201);
    }
  };
  await claim("reference", 6);
  await claim("intervention", 3);
  type Positions = { items: { position: number; householdId: string }[] };
  const survey = `/campaigns/${campaign.campaignId}/usage-survey`;
  const { items } = (await implementer("GET", `${survey}/positions?limit=100`)).body as Positions;
  assert.deepEqual(items.map(({ householdId }) => householdId).sort(), [...body.groups.intervention.frame].sort());
  for (const { position, householdId } of items) {
    const evidence = [{ uri: "https://photos.example/1.jpg" }];
    const visit = { deviceSeen: true, inUse: true, date: "2024-02-03", surveyorDid: "did:key:z6MkSurveyor", evidence };
    requireStatus(await implementer("POST", `${survey}/records`, { position, householdId, ...visit }), 201);
  }
  const closed = requireStatus(await implementer("POST", `/campaigns/${campaign.campaignId}/close`, {}), 200)
    .body as CampaignResultResponse;
  const lines = closed.emissions.reductions[0]?.lines ?? [];
  const value = (name: string) => lines.find((each) => each.name === name)?.value;
  // Days in 2024, a leap year: the first household has one device since 1 January, the second has counted since 31 January, and of the
  // third's two of 1 January the one counts that was not retired. Other tests' devices are in households outside the frame.
  assert.equal(value("N")?.toFixed(9), ((366 + 336 + 366) / 365).toFixed(9));
  assert.equal(value("N_new"), 3);
  const devices = (await implementer("GET", `/devices?planId=${planId}&limit=100`)).body as { items: DeviceResponse[] };
  const households = new Set(devices.items.map(({ householdDid: did }) => did));
  assert.equal(households.size, 5);
  assert.deepEqual(
    closed.flags.filter(({ rule }) => rule === "frame-covers-part-of-plan").map(({ message }) => message),
    [
      "The intervention frame has 3 of the 5 households of the plan with a device in the crediting year. Only their devices count.",
    ],
  );
});

test("a survey by age needs registered devices", async () => {
  const emissions = { usageSurveys: [{ age: 1, surveyed: 30, inUse: 30 }] };
  const other = await registry.as("implementer", { implementerDid: otherImplementerDid });
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  const plan = { planId: "PLAN-WITHOUT-DEVICES", implementerDid: otherImplementerDid, period };
  requireStatus(await registry.admin("POST", "/monitoring-plans", plan), 201);
  const body = await registerFrames(registry.admin, exampleCampaign({ planId: plan.planId, emissions }, 3));
  const refused = await other("POST", "/campaigns", { ...body, sampleSize: 3 });
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["devices-registered"]]);
});
