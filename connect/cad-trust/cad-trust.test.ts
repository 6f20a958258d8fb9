import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { and, eq, like } from "drizzle-orm";
import { type CadTrustPeer, peerApiKey, startCadTrustPeer } from "../../test/support/cad-trust-peer.ts";
import { examplePicklist } from "../../test/support/cad-trust-schemas.ts";
import { type ItmoIndexTest, openItmoIndex } from "../../test/support/itmo-index.ts";
import { requireStatus } from "../../test/support/registry.ts";
import { untilFound } from "../../test/support/until.ts";
import { rulesOf } from "../../test/support/vouchers.ts";
import type { Plan, Publication, RecordAnswer } from "./publications/schemas.ts";
import type { Settings } from "./settings/schemas.ts";
import { cadTrustRecords, cadTrustRuns, cadTrustSettings } from "./tables.ts";

const verifierDid = "did:web:verifier.example";
let t: ItmoIndexTest;
let peer: CadTrustPeer;
/** The chain's year, which is not over. */
let year: number;
/** How the index writes the activity of the story's approach. */
let activity: string;

before(async () => {
  t = await openItmoIndex();
  const read = async (path: string) => (await fetch(`${t.indexer.url}/reports/${path}`)).json();
  year = new Date(((await read("summary")) as { asOf: string }).asOf).getUTCFullYear();
  const report = (await read(`aef?party=ZMB&year=${year}`)) as {
    tables: { authorizations: { ActivityType: string }[] };
  };
  activity = report.tables.authorizations[0]?.ActivityType ?? "";
});
after(async () => {
  peer?.close();
  await t?.close();
});
// Every record is sent again to another server.
beforeEach(async () => {
  peer?.close();
  peer = await startCadTrustPeer();
});

const project = {
  activityId: "ACT-1",
  name: "Stoves of Lusaka",
  link: "https://stoves.example",
  sectors: ["Energy demand"],
  types: ["Energy Efficiency"],
  status: "Registered",
  statusDate: "2024-02-01",
  locations: [{ country: "ZMB", region: "Lusaka" }],
  methodologyCode: "GS-TPDDTEC",
  validation: {
    id: "VAL-1",
    type: "Validation of Project Design Document",
    body: "Example Assurance",
    date: "2024-01-15",
    creditingPeriod: { startDate: "2024-01-01", endDate: "2028-12-31" },
  },
  estimations: [{ referenceNo: "EST-1", startDate: "2024-01-01", endDate: "2024-12-31", unitCount: "12000.5" }],
  coBenefits: ["SDG 7 - Affordable and clean energy"],
};
const profileOf = () => ({
  party: "ZMB",
  author: "Registry of Zambia",
  registryName: "Zambia National Registry",
  program: { name: "Clean cooking", registry: "Zambia National Registry", registryActivityId: "ZMB-CC" },
  methodologies: [{ code: "GS-TPDDTEC", name: "Thermal energy consumption", version: "3.1", date: "2017-08-24" }],
  projects: [project],
  verifiers: [{ did: verifierDid, body: "Other Assurance" }],
  submissions: [{ year, version: "1.0", date: `${year}-01-20` }],
  values: { locationCountry: { ZMB: "Republic of Zambia" }, ...activityNamed() },
});
const activityNamed = () => ({ aefT2AuthorizationsActivityType: { [activity]: "Energy Efficiency Households" } });

async function set(changes: Record<string, unknown> = {}, of: Record<string, unknown> = {}) {
  const body = {
    serverUrl: peer.url,
    apiKey: peerApiKey,
    dryRun: false,
    profile: { ...profileOf(), ...of },
    ...changes,
  };
  return await t.regulator("PUT", "/cad-trust/settings", body);
}
const plan = async () => requireStatus(await t.regulator("GET", "/cad-trust/plan"), 200).body as Plan;
const start = async () => requireStatus(await t.regulator("POST", "/cad-trust/publications"), 202).body as Publication;
const ended = (id: string) =>
  untilFound(async () => {
    const run = requireStatus(await t.regulator("GET", `/cad-trust/publications/${id}`), 200).body as Publication;
    return run.endedAt === null ? undefined : run;
  });
const publish = async () => await ended((await start()).id);
const records = async (query = "") =>
  (
    requireStatus(await t.regulator("GET", `/cad-trust/records?limit=500${query}`), 200).body as {
      items: RecordAnswer[];
    }
  ).items;
const posted = (table: string) => peer.requests.filter((each) => each === `POST ${table}`).length;
const byStart = (serial: number) => peer.rows("unit").find((row) => row.unitStartBlock === `ZMB01-${serial}`);

describe("the settings of the publisher", () => {
  it("are the regulator's, and never show the API key", async () => {
    assert.equal((await t.implementer("PUT", "/cad-trust/settings", {})).status, 403);
    const answer = requireStatus(await set(), 200);
    assert.partialDeepStrictEqual(answer.body, { serverUrl: peer.url, hasApiKey: true, version: "v2", dryRun: false });
    const stored = await t.deps.db.select().from(cadTrustSettings);
    for (const body of [answer.body, (await t.regulator("GET", "/cad-trust/settings")).body, stored])
      assert.ok(!JSON.stringify(body).includes(peerApiKey));
  });

  it("keep the API key for the same server only", async () => {
    requireStatus(await set(), 200);
    assert.partialDeepStrictEqual((await set({ apiKey: undefined })).body, { hasApiKey: true });
    const moved = await set({ apiKey: undefined, serverUrl: "https://other.example" });
    assert.partialDeepStrictEqual(moved.body, { hasApiKey: false });
  });

  it("are not stored over others than those that were read", async () => {
    const { changedAt } = requireStatus(await set(), 200).body as Settings;
    requireStatus(await set({ changedAt }, { author: "First" }), 200);
    for (const known of [changedAt, null]) {
      const late = await set({ changedAt: known }, { author: "Second" });
      assert.deepEqual([late.status, rulesOf(late)], [409, ["settings-unchanged"]]);
    }
    const { body } = await t.regulator("GET", "/cad-trust/settings");
    assert.equal((body as Settings).profile.author, "First");
    requireStatus(await set({}, { author: "Third" }), 200);
  });

  it("are refused with an address to which no path can be added, or that has a password", async () => {
    const before = await t.deps.db.select().from(cadTrustSettings);
    const refusedFor = async (serverUrl: string) => {
      const answer = await set({ serverUrl });
      assert.equal(answer.status, 400);
      assert.ok(!JSON.stringify(answer.body).includes("hunter2"));
      return rulesOf(answer);
    };
    const all = ["url-without-fragment", "url-without-query", "url-without-user"];
    assert.deepEqual(await refusedFor("http://someone:hunter2@127.0.0.1:31310/?to=1#end"), all);
    assert.deepEqual(await refusedFor("http://127.0.0.1:31310/#"), ["url-without-fragment"]);
    assert.deepEqual(await refusedFor("http://127.0.0.1:31310/?"), ["url-without-query"]);
    assert.deepEqual(await refusedFor("http://127.0.0.1:31310/#?"), ["url-without-fragment"]);
    assert.deepEqual(await t.deps.db.select().from(cadTrustSettings), before);
  });

  it("are refused with every contradiction", async () => {
    const backwards = { referenceNo: "E", startDate: "2024-02-01", endDate: "2024-01-01", unitCount: "1" };
    const answer = await set(
      {},
      { projects: [project, { ...project, methodologyCode: "NONE", estimations: [backwards] }] },
    );
    assert.deepEqual([answer.status, rulesOf(answer)], [400, ["dates-ordered", "given-once", "methodology-given"]]);
  });
});

describe("the plan", () => {
  it("names every value that the server's lists lack, with the nearest, and sends nothing", async () => {
    const projects = [{ ...project, sectors: ["Energy distribution"], types: ["Solar"] }];
    requireStatus(await set({}, { values: activityNamed(), projects }), 200);
    const { problems } = await plan();
    const found = problems.map(({ path, rule, message }) => [path, rule, message.split(". ").slice(0, 2).join(". ")]);
    assert.deepEqual(found, [
      [
        "project/ACT-1.projectSector",
        "value-in-picklist",
        'The server\'s list of projectSector has no "Energy distribution". The nearest is "Enegry distribution"',
      ],
      [
        "project/ACT-1.projectType",
        "value-in-picklist",
        'The server\'s list of projectType has no "Solar". The nearest is "Energy Efficiency"',
      ],
      [
        "location/ACT-1/ZMB/Lusaka.locationCountry",
        "value-in-picklist",
        'The server\'s list of locationCountry has no "Zambia". The nearest is "Zimbabwe"',
      ],
    ]);
    const run = await publish();
    assert.deepEqual([run.status, run.problems.length, peer.requests], ["failed", 3, []]);
  });

  it("names a verifier whose verification body nobody named; it is never the Party", async () => {
    requireStatus(await set({}, { verifiers: [] }), 200);
    const { problems } = await plan();
    const unnamed = problems.filter(({ rule }) => rule === "verification-body-named");
    assert.ok(unnamed.length >= 2);
    for (const { message } of unnamed) assert.match(message, new RegExp(verifierDid));
  });

  it("leaves out certificates of projects that the settings do not name, and says so", async () => {
    requireStatus(await set({}, { projects: [{ ...project, activityId: "OTHER" }] }), 200);
    const { notes, changes } = await plan();
    assert.match(notes.join("\n"), /^\d+ certificates of ACT-1 are left out: the settings name no such project\.$/);
    assert.deepEqual(
      changes.filter(({ table }) => table === "unit"),
      [],
    );
  });

  it("sends nothing in a dry run", async () => {
    requireStatus(await set({ dryRun: true }), 200);
    const { changes, problems, records: count } = await plan();
    assert.deepEqual(problems, []);
    assert.equal(changes.length, count);
    const answer = await t.regulator("POST", "/cad-trust/publications");
    assert.deepEqual([answer.status, rulesOf(answer), peer.requests], [409, ["not-dry-run"], []]);
  });
});

describe("a publication", () => {
  it("sends everything in the order of its references, commits once, and reads it back", async () => {
    requireStatus(await set(), 200);
    const foreign = peer.stage("methodology", "INSERT", "c0ffee00-0000-4000-8000-000000000000", {
      methodologyCode: "OTHER",
    });
    const run = await publish();
    assert.deepEqual([run.status, run.problems, run.message], ["published", [], null]);
    const order = [...new Set(peer.requests)];
    assert.deepEqual(
      order,
      [
        ..."methodology program project location estimation co-benefit project-methodology validation verification".split(
          " ",
        ),
        ..."issuance unit label unit-label aef-t5-authorized-entities aef-t2-authorizations aef-t1-submission".split(
          " ",
        ),
        ..."aef-t3-actions aef-t4-holdings commit".split(" "),
      ].map((table) => `POST ${table}`),
    );
    assert.equal(peer.requests.filter((each) => each === "POST commit").length, 1);
    // What another program staged stays in the staging area.
    assert.deepEqual(
      peer.staging.map(({ uuid }) => uuid),
      [foreign],
    );
    const states = new Set((await records()).map(({ state }) => state));
    assert.deepEqual([...states], ["published"]);
    assert.equal((await records()).length, run.created);
  });

  it("publishes what the index says: verification, units of one certificate each, and days of UTC", async () => {
    requireStatus(await set(), 200);
    await publish();
    const [place] = peer.rows("location");
    assert.partialDeepStrictEqual(place, { locationCountry: "Republic of Zambia", locationRegion: "Lusaka" });
    const verification = peer.rows("verification").find((row) => row.verificationId === "CERT-LPG-1");
    assert.partialDeepStrictEqual(verification, {
      verificationStartDate: "2023-01-01T00:00:00.000Z",
      verificationEndDate: "2023-12-31T00:00:00.000Z",
      verificationBody: "Other Assurance",
      cadTrustProjectId: peer.rows("project")[0]?.cadTrustProjectId,
      cadTrustValidationId: peer.rows("validation")[0]?.cadTrustValidationId,
    });
    assert.partialDeepStrictEqual(byStart(201), {
      unitSerialId: "CA0001-ZMB01-ZMB-201-202-2023",
      unitEndBlock: "ZMB01-202",
      unitCount: 2,
      unitVintageYear: 2023,
      unitStatus: "Held",
      unitCurrentOwner: "ZMB",
      unitMetric: "tCO2e",
    });
    const shown = [1, 101, 102].map((serial) => [byStart(serial)?.unitStatus, byStart(serial)?.unitCurrentOwner]);
    assert.deepEqual(shown, [
      ["Cancelled", "ZMB"],
      ["Retired", "CHE"],
      ["Held", "ZMB"],
    ]);
    assert.match(String(byStart(101)?.unitRetirementDetail), /^Used towards an NDC: NDC of 2026$/);
    const total = peer.rows("unit").reduce((sum, { unitCount }) => sum + Number(unitCount), 0);
    assert.equal(total, 7);
    assert.equal(peer.rows("estimation")[0]?.estimationUnitCount, 12000.5);
    const [authorization] = peer.rows("aef-t2-authorizations");
    assert.equal(authorization?.aefT2AuthorizationsId, "ZMB-2026-0001");
    assert.equal(authorization?.aefT2AuthorizationsDate, new Date(19_000 * 86_400_000).toISOString());
    const [submission] = peer.rows("aef-t1-submission");
    assert.partialDeepStrictEqual(submission, { aefT1SubmissionParty: "ZMB", aefT1SubmissionReportYear: year });
    const held = peer.rows("aef-t4-holdings").map((row) => row.aefT4HoldingsItmoFirstId);
    assert.deepEqual(held.sort(), ["102", "201"]);
  });

  it("sends nothing again when nothing changed", async () => {
    requireStatus(await set(), 200);
    await publish();
    const before = peer.requests.length;
    const again = await publish();
    assert.deepEqual([again.status, again.created, again.edited, peer.requests.length], ["published", 0, 0, before]);
  });

  it("is one at a time", async () => {
    requireStatus(await set(), 200);
    const [one, other] = await Promise.all([start(), start()]);
    assert.equal(one.id, other.id);
    await ended(one.id);
  });

  it("edits with all fields what changed, and nothing else", async () => {
    requireStatus(await set(), 200);
    await publish();
    requireStatus(
      await set(
        {},
        {
          projects: [{ ...project, name: "Stoves of Zambia", validation: { ...project.validation, date: undefined } }],
        },
      ),
      200,
    );
    const { changes } = await plan();
    assert.deepEqual(
      changes.map(({ key, action, changes: fields }) => [key, action, fields.map(({ field }) => field)]),
      [
        ["project/ACT-1", "edit", ["projectName"]],
        ["validation/VAL-1", "edit", ["validationDate"]],
      ],
    );
    const before = peer.requests.length;
    const refused = await publish();
    // The server's validator takes no blank day: it says so, and the record names it.
    assert.equal(refused.status, "failed");
    assert.match(refused.problems[0]?.message ?? "", /validationDate/);
    assert.deepEqual(
      (await records("&state=refused")).map(({ key }) => key),
      ["validation/VAL-1"],
    );
    requireStatus(await set({}, { projects: [{ ...project, name: "Stoves of Zambia" }] }), 200);
    assert.equal((await publish()).status, "published");
    assert.equal(peer.rows("project")[0]?.projectName, "Stoves of Zambia");
    assert.deepEqual(
      peer.requests.slice(before).filter((each) => each.startsWith("POST")),
      ["POST commit"],
    );
  });

  it("reports a record that the server has otherwise, and corrects it", async () => {
    requireStatus(await set(), 200);
    await publish();
    const [row] = await t.deps.db
      .select()
      .from(cadTrustRecords)
      .where(and(eq(cadTrustRecords.server, peer.url), eq(cadTrustRecords.key, "project/ACT-1")));
    const stored = peer.tables.get("project")?.get(row?.remoteId ?? "");
    Object.assign(stored ?? {}, { projectName: "Somebody's" });
    await t.deps.db
      .update(cadTrustRecords)
      .set({ state: "staged" })
      .where(and(eq(cadTrustRecords.server, peer.url), eq(cadTrustRecords.key, "project/ACT-1")));
    const found = await publish();
    assert.equal(found.status, "failed");
    assert.deepEqual(
      found.problems.map(({ path, rule, message }) => [path, rule, message]),
      [["project/ACT-1", "read-back-equal", 'projectName: sent "Stoves of Lusaka", the server has "Somebody\'s"']],
    );
    assert.equal((await publish()).status, "published");
    assert.equal(peer.rows("project")[0]?.projectName, "Stoves of Lusaka");
  });

  it("speaks to servers that misspell the cooperative approach", async () => {
    peer.close();
    peer = await startCadTrustPeer({ spelling: "old" });
    requireStatus(await set(), 200);
    assert.equal((await publish()).status, "published");
    assert.equal(peer.rows("aef-t4-holdings")[0]?.aefT4HoldingsCoopoerativeApproachId, "CA0001");
  });

  it("says which value a server refused", async () => {
    peer.close();
    const { projectStatus: _, ...picklist } = examplePicklist;
    peer = await startCadTrustPeer({ picklist });
    requireStatus(await set({}, { projects: [{ ...project, status: "Unheard of" }] }), 200);
    const run = await publish();
    assert.equal(run.status, "failed");
    assert.match(run.problems[0]?.message ?? "", /projectStatus/);
  });
});

describe("a record is created once", () => {
  for (const [fault, table] of [
    ["lost", "project"],
    ["error-after", "unit"],
    ["error-before", "issuance"],
    ["lost", "unit-label"],
    ["lost", "commit"],
    ["error-after", "aef-t2-authorizations"],
  ] as const) {
    it(`though POST ${table} ended with: ${fault}`, async () => {
      requireStatus(await set(), 200);
      peer.faults.set(`POST ${table}`, fault);
      const { id } = await start();
      await untilFound(async () => (peer.faults.size === 0 ? true : undefined));
      await hurry(id);
      assert.equal((await ended(id)).status, "published");
      assertOnce();
    });
  }

  it("though the database failed after the server's answer, or the process was killed", async () => {
    requireStatus(await set(), 200);
    await publish();
    // What is left then: the records were begun, and their ids were never stored.
    await t.deps.db
      .update(cadTrustRecords)
      .set({ state: "sending", remoteId: null, publishedAt: null })
      .where(eq(cadTrustRecords.server, peer.url));
    const before = peer.requests.length;
    const run = await publish();
    assert.deepEqual([run.status, run.created, peer.requests.slice(before)], ["published", 0, []]);
    assertOnce();
  });

  it("though the publication was left in the middle by a process that ended", async () => {
    requireStatus(await set(), 200);
    peer.faults.set("POST unit", "error-before");
    const { id } = await start();
    await untilFound(async () => (peer.faults.size === 0 ? true : undefined));
    await untilFound(async () => {
      const [row] = await t.deps.db.select().from(cadTrustRuns).where(eq(cadTrustRuns.id, id));
      return row?.status === "waiting" ? row : undefined;
    });
    await t.deps.db
      .update(cadTrustRuns)
      .set({ status: "running", worker: "a process that ended" })
      .where(eq(cadTrustRuns.id, id));
    await hurry(id);
    assert.equal((await ended(id)).status, "published");
    assertOnce();
  });

  it("though a process that was stopped for minutes wakes while its successor works", async () => {
    requireStatus(await set(), 200);
    const { promise, resolve: wake } = Promise.withResolvers<void>();
    peer.holds.set("POST project", promise);
    const { id } = await start();
    await untilFound(() => (peer.staging.some(({ table }) => table === "project") ? true : undefined));
    // The successor takes the publication, and stages the record again before the first request was seen.
    const ofRun = eq(cadTrustRuns.id, id);
    await t.deps.db.update(cadTrustRuns).set({ worker: "the successor" }).where(ofRun);
    const key = like(cadTrustRecords.key, "project/%");
    const ofProject = and(eq(cadTrustRecords.server, peer.url), key);
    await t.deps.db.update(cadTrustRecords).set({ state: "staged", remoteId: "of-the-successor" }).where(ofProject);
    const asked = peer.requests.length;
    const before = await runsOfPublisher();
    wake();
    // The first process finds that it lost the publication, and ends its run.
    await untilFound(async () => ((await runsOfPublisher()) > before ? true : undefined));
    const [row] = await t.deps.db.select().from(cadTrustRecords).where(ofProject);
    assert.equal(row?.remoteId, "of-the-successor");
    assert.deepEqual(peer.requests.slice(asked), []);
    await t.deps.db.delete(cadTrustRecords).where(ofProject);
    await t.deps.db.update(cadTrustRuns).set({ worker: "a process that ended" }).where(ofRun);
    await hurry(id);
    assert.equal((await ended(id)).status, "published");
    assertOnce();
  });

  async function runsOfPublisher(): Promise<number> {
    const metrics = await t.deps.metrics.metrics();
    const runs = /hearth_worker_runs_total\{worker="cad-trust-publisher",outcome="success"\} (\d+)/.exec(metrics);
    return Number(runs?.[1] ?? 0);
  }

  /** Makes the next attempt due now, instead of after its pause. */
  const hurry = (id: string) =>
    untilFound(async () => {
      const [row] = await t.deps.db.select().from(cadTrustRuns).where(eq(cadTrustRuns.id, id));
      if (row?.failures === 0 && row.status !== "running") return true;
      if (row?.status !== "waiting" && row?.worker !== "a process that ended") return undefined;
      await t.deps.db
        .update(cadTrustRuns)
        .set({ nextTryAt: new Date(0) })
        .where(eq(cadTrustRuns.id, id));
      return true;
    });

  function assertOnce() {
    for (const [table, own] of [
      ["project", "projectId"],
      ["issuance", "issuanceId"],
      ["unit", "unitStartBlock"],
      ["unit-label", "cadTrustUnitId"],
      ["aef-t2-authorizations", "aefT2AuthorizationsId"],
    ] as const) {
      const ids = peer.rows(table).map((row) => row[own]);
      assert.ok(ids.length > 0, table);
      assert.equal(new Set(ids).size, ids.length, `${table}: ${ids}`);
    }
  }
});

describe("the file for UNDP's national registry", () => {
  it("has each project under the registry's names, with times of UTC", async () => {
    requireStatus(await set({}, { values: { undpSector: { "Energy demand": "Energy" } } }), 200);
    const { body } = requireStatus(await t.regulator("GET", "/cad-trust/undp-programmes"), 200);
    assert.deepEqual(body, [
      {
        title: "Stoves of Lusaka",
        externalId: "ACT-1",
        sector: "Energy",
        startTime: Date.UTC(2024, 0, 1) / 1_000,
        endTime: Date.UTC(2029, 0, 1) / 1_000 - 1,
        article6trade: true,
        programmeProperties: { geographicalLocation: ["Lusaka"], greenHouseGasses: ["CO2", "CH4", "N2O"] },
        creditEst: 12000.5,
      },
    ]);
  });

  it("names what a project lacks", async () => {
    requireStatus(await set({}, { projects: [{ ...project, estimations: [], validation: undefined }] }), 200);
    const answer = await t.regulator("GET", "/cad-trust/undp-programmes");
    assert.deepEqual([answer.status, rulesOf(answer)], [400, ["crediting-period-given", "estimation-given"]]);
  });
});

// The last, because it changes what the others find.
describe("ITMOs that move", () => {
  it("split and change the owner of their units; the tonnes stay the same", async () => {
    requireStatus(await set(), 200);
    await publish();
    await t.transfer(201n);
    const { changes } = await plan();
    const units = changes.filter(({ table }) => table === "unit").map(({ key, action }) => `${action} ${key}`);
    assert.deepEqual(units.sort(), ["create unit/ZMB01-202", "edit unit/ZMB01-201"]);
    const run = await publish();
    assert.deepEqual([run.status, run.problems], ["published", []]);
    assert.equal(posted("commit"), 2);
    const seen = [201, 202].map((serial) => {
      const { unitCount, unitStatus, unitCurrentOwner, unitEndBlock } = byStart(serial) ?? {};
      return [unitCount, unitStatus, unitCurrentOwner, unitEndBlock];
    });
    assert.deepEqual(seen, [
      [1, "Held", "CHE", "ZMB01-201"],
      [1, "Held", "ZMB", "ZMB01-202"],
    ]);
    const total = peer.rows("unit").reduce((sum, { unitCount }) => sum + Number(unitCount), 0);
    assert.equal(total, 7);
    // The holdings of a year that is not over follow: the one that ended is removed.
    const held = peer.rows("aef-t4-holdings").map((row) => row.aefT4HoldingsItmoFirstId);
    assert.deepEqual(held.sort(), ["102", "202"]);
    assert.equal(run.removed, 1);
  });
});
