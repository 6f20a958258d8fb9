import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  otherImplementerDid,
  planId,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../../../../test/support/campaigns.ts";
import { testAdminKey } from "../../../../test/support/core.ts";
import { exifPhoto, type PhotoChoice } from "../../../../test/support/exif-photo.ts";
import { type Caller, openRegistryTest, type RegistryTest, rulesOf } from "../../../../test/support/registry.ts";
import type { CampaignResponse } from "../../campaigns/schemas.ts";
import { readPhotoFacts } from "../../photos/exif.ts";
import type { KptClaim } from "../schemas.ts";
import type { CampaignFlags, ClaimChecks } from "./schemas.ts";

/** The scale of visits that name no other. */
const usualScale = "SCALE-1";
let registry: RegistryTest;
let implementer: Caller;
let evaluator: Caller;
let campaign: CampaignResponse;
before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  evaluator = await registry.as("evaluator");
  const emissions = { area: "ZMB", fuel: "wood" };
  const body = await registerFrames(registry.admin, exampleCampaign({ sampleSize: 24, emissions }, 24));
  campaign = await drawnCampaign(implementer, body);
  const calibration = { serial: usualScale, planId, calibratedOn: "2023-12-01", validUntil: "2024-12-01" };
  const certificate = "https://lab.example/1.pdf";
  requireStatus(await implementer("POST", "/scales", { ...calibration, certificate }), 201);
});
after(() => registry?.close());

const lusaka = { latitude: -15.4167, longitude: 28.2833 };
const photo = (choice: PhotoChoice) => `data:image/jpeg;base64,${exifPhoto(choice).toString("base64")}`;

type VisitChoice = {
  collector?: string;
  hour?: number;
  used?: number[];
  /** Null: the visit names none. */
  scaleId?: string | null;
  gps?: object;
  late?: number;
};

function visitsOf({ collector, hour = 17, used = [3, 3, 3, 3], scaleId = usualScale, gps, late = 0 }: VisitChoice) {
  return used.map((kilograms, day) => ({
    day,
    at: new Date(Date.UTC(2024, 1, day + 1, hour + (day === 2 ? late : 0))).toISOString(),
    collector: collector ?? `did:key:z6MkCollector${households}`,
    fuels: [
      { fuel: "wood", start: 20, added: 0, end: Number((20 - kilograms).toFixed(3)), scaleId: scaleId ?? undefined },
    ],
    gps,
  }));
}

let households = 0;
/** File a claim of the next reference household. */
async function file(changes: object): Promise<KptClaim> {
  const householdId = campaign.groups.reference.sample[households++];
  const claim = {
    type: "KPTClaim",
    campaignId: campaign.campaignId,
    householdId,
    testGroup: "reference",
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04" },
    externalFactors: { season: "dry", culturalEvents: [], occupationalFactors: [] },
    evidence: [`https://photos.example/${households}.jpg`],
    ...changes,
  };
  return requireStatus(await implementer("POST", "/claims", claim), 201).body as KptClaim;
}
const fuelMeasurements = { total: 12, dailyLogs: [3, 3, 3, 3] };

const checksOf = async ({ id }: KptClaim) =>
  requireStatus(await evaluator("GET", `/claims/${id}/checks`), 200).body as ClaimChecks;
const flagsOf = async (claim: KptClaim) => (await checksOf(claim)).flags.map(({ rule, path }) => `${rule} ${path}`);

test("keeps a photo's hash, time, place and camera for evaluators, and no photo's place in what others see", async () => {
  const claim = await file({
    fuelMeasurements,
    evidence: [photo({ takenAt: "2024-02-02T10:00:00", ...lusaka, mark: "good" }), "https://example.org/photo.jpg"],
  });
  const checks = await checksOf(claim);
  assert.deepEqual(checks.flags, []);
  assert.equal(checks.photos.length, 1);
  const [kept] = checks.photos;
  assert.partialDeepStrictEqual(kept, { item: 0, takenAt: "2024-02-02T10:00:00", device: "Acme Phone 3" });
  assert.equal(kept?.latitude?.toFixed(4), "-15.4167");
  assert.equal(kept?.longitude?.toFixed(4), "28.2833");
  for (const [call, path] of [
    [implementer, `/claims/${claim.id}/checks`],
    [implementer, `/campaigns/${campaign.campaignId}/claim-flags`],
  ] as const) {
    assert.equal((await call("GET", path)).status, 403);
  }
  for (const path of [`/claims/${claim.id}`, `/campaigns/${campaign.campaignId}/claims`]) {
    assert.doesNotMatch(JSON.stringify((await implementer("GET", path)).body), /15\.416|28\.283|Acme/);
  }
});

test("flags a photo from another time or place, and one that another claim has", async () => {
  const early = photo({ takenAt: "2024-01-15T10:00:00", latitude: 51.5, longitude: 0.1, mark: "early" });
  const claim = await file({ fuelMeasurements, evidence: [early] });
  assert.deepEqual(await flagsOf(claim), ["photo-outside-period evidence.0", "photo-outside-area evidence.0"]);
  const copy = await file({ fuelMeasurements, evidence: ["https://example.org/a", early] });
  assert.deepEqual(await flagsOf(copy), [
    "photo-outside-period evidence.1",
    "photo-outside-area evidence.1",
    "photo-twice evidence.1",
  ]);
  const twice = (await checksOf(claim)).flags.find(({ rule }) => rule === "photo-twice");
  assert.deepEqual(twice?.others, [copy.id]);
  requireStatus(await evaluator("POST", `/claims/${copy.id}/revoke`, { reason: "same-photo" }), 200);
  assert.ok(!(await flagsOf(claim)).includes("photo-twice evidence.0"));
});

test("flags the same photo where one claim sends it and another states its hash", async () => {
  const sent = await file({ fuelMeasurements, evidence: [photo({ mark: "stated" })] });
  const [kept] = (await checksOf(sent)).photos;
  const stated = { type: "photo", uri: "https://example.org/b.jpg", sha256: `0x${kept?.sha256.toUpperCase()}` };
  const other = await file({ fuelMeasurements, evidence: [stated] });
  assert.deepEqual(await flagsOf(other), ["photo-twice evidence.0"]);
});

test("reads a kept photo itself where a claim states the hash of another with its link", async () => {
  const send = async (bytes: Buffer, query = "") => {
    const answer = await registry.app.request(`http://localhost/v1/photos${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${testAdminKey}`, "content-type": "image/jpeg" },
      body: new Uint8Array(bytes),
    });
    assert.equal(answer.status, 201, await answer.clone().text());
    return (await answer.json()) as { uri: string; sha256: string };
  };
  // Its CID does not tell the hash of its bytes, as it has more than one block.
  const large = Buffer.alloc(2 * 1024 * 1024, "A");
  const kept = await send(Buffer.concat([exifPhoto({ takenAt: "2024-01-15T10:00:00", mark: "kept" }), large]));
  const clean = await send(exifPhoto({ takenAt: "2024-02-02T10:00:00", mark: "clean" }), "?keep=false");
  const stated = (uri: string) => [{ type: "photo", uri, sha256: clean.sha256 }];
  const claim = await file({ fuelMeasurements, evidence: stated(kept.uri) });
  assert.deepEqual(await flagsOf(claim), ["photo-outside-period evidence.0"]);
  const again = await file({ fuelMeasurements, evidence: stated(`${kept.uri}?x=1`) });
  assert.deepEqual(await flagsOf(again), ["photo-outside-period evidence.0", "photo-twice evidence.0"]);
});

test("flags visits in one second, gaps, sudden changes, scales without calibration, and places outside the area", async () => {
  const calibration = {
    serial: "SCALE-7",
    planId,
    calibratedOn: "2023-12-01",
    validUntil: "2024-02-03",
    certificate: "https://lab.example/7.pdf",
  };
  requireStatus(await implementer("POST", "/scales", calibration), 201);
  const collector = "did:key:z6MkBusy";
  const claim = await file({
    visits: visitsOf({ collector, hour: 15, scaleId: "SCALE-7", used: [3, 3, 10, 3], late: 9, gps: lusaka }),
  });
  assert.deepEqual(await flagsOf(claim), [
    "scale-uncalibrated visits.3",
    "visit-gap visits.2",
    "use-changed-threefold visits.2",
    "visit-gap visits.3",
    "use-changed-threefold visits.3",
  ]);
  const other = await file({
    visits: visitsOf({ collector, hour: 15, scaleId: "SCALE-8", gps: { latitude: -15.4, longitude: 5.25 } }),
  });
  const rules = await flagsOf(other);
  for (const day of [0, 1, 2, 3]) {
    assert.ok(rules.includes(`scale-uncalibrated visits.${day}`));
    assert.ok(rules.includes(`visit-outside-area visits.${day}`));
    assert.equal(rules.includes(`visits-in-one-second visits.${day}`), day !== 2, `day ${day}`);
  }
  const seen = await checksOf(other);
  assert.partialDeepStrictEqual(seen.visits[0], {
    day: 0,
    collector,
    latitude: -15.4,
    longitude: 5.25,
    fuels: [{ fuel: "wood", used: 3, scaleId: "SCALE-8" }],
  });
  const past = await file({
    visits: visitsOf({}).map((visit) => ({ ...visit, at: visit.at.replace("2024-02", "2024-01") })),
  });
  assert.deepEqual(
    await flagsOf(past),
    [0, 1, 2, 3].map((day) => `visit-outside-period visits.${day}`),
  );
  const all = requireStatus(await evaluator("GET", `/campaigns/${campaign.campaignId}/claim-flags`), 200)
    .body as CampaignFlags;
  assert.equal(all.count, all.items.length);
  assert.ok(new Set(all.items.map(({ claimId }) => claimId)).size >= 5);
});

test("flags a claim that brings no evidence, and a visit that names no scale", async () => {
  const bare = await file({ fuelMeasurements, evidence: undefined });
  assert.deepEqual(await flagsOf(bare), ["evidence-absent evidence"]);
  const linked = await file({ fuelMeasurements, evidence: ["https://example.org/kitchen.jpg"] });
  assert.deepEqual(await flagsOf(linked), []);
  const unscaled = await file({ visits: visitsOf({ scaleId: null }) });
  assert.deepEqual(
    await flagsOf(unscaled),
    [0, 1, 2, 3].map((day) => `scale-not-named visits.${day}`),
  );
  assert.equal((await checksOf(unscaled)).flags[0]?.message, "The visit of 2024-02-01 names no scale for wood.");
});

const csvUri = (csv: string) => `data:text/csv;base64,${Buffer.from(csv).toString("base64")}`;
/** A monitor that is on for an hour on some days of the test, and reports every two hours. */
function monitor(days: number[], { until = 4, mark = "" } = {}): string {
  const rows = Array.from({ length: until * 12 }, (_, i) => {
    const [day, hour] = [Math.floor(i / 12), (i % 12) * 2];
    const isOn = hour === 12 && days.includes(day);
    return `2024-02-0${day + 1}T${String(hour).padStart(2, "0")}:0${mark || "0"}:00+02:00,${isOn ? 1 : 0}`;
  });
  return csvUri(["timestamp,on", ...rows].join("\n"));
}

test("keeps a stove-use monitor's series, counts its events, and flags each day that its logs contradict", async () => {
  const series = (uri: string, stove?: string) => ({ type: "stove-use-series", uri, stove });
  const agrees = await file({ fuelMeasurements, evidence: [series(monitor([0, 1, 2, 3]))] });
  const checks = await checksOf(agrees);
  assert.deepEqual(checks.flags, []);
  assert.deepEqual(checks.stoveSeries, [
    {
      item: 0,
      stove: null,
      measure: "state",
      readings: 48,
      firstAt: "2024-01-31T22:00:00.000Z",
      lastAt: "2024-02-04T20:00:00.000Z",
      events: 4,
      comparedWith: "fuel",
      days: [0, 1, 2, 3].map((day) => ({ day, logged: true, events: 1, hasReadings: true })),
    },
  ]);
  const differs = await file({
    fuelMeasurements,
    evidence: ["https://example.org/photo.jpg", series(monitor([0, 2], { until: 3 }))],
  });
  assert.deepEqual(
    (await checksOf(differs)).flags.map(({ rule, path, message }) => [rule, path, message]),
    [
      [
        "stove-use-differs",
        "evidence.1",
        "On 2024-02-02 the claim logs use of fuel, and the stove-use monitor saw no cooking.",
      ],
      ["stove-series-incomplete", "evidence.1", "The stove-use monitor has no readings on 2024-02-04."],
    ],
  );
  const visits = visitsOf({ hour: 15 }).map((visit, day) => ({
    ...visit,
    stoves: [{ serial: "STOVE-1", kind: "Jiko 2", used: day !== 3 }],
  }));
  const stacked = await file({
    visits,
    evidence: [
      series(monitor([1, 3]), "STOVE-1"),
      series(monitor([0, 2], { mark: "5" })),
      series(monitor([1, 3], { mark: "6" })),
    ],
  });
  assert.deepEqual(
    (await checksOf(stacked)).flags.map(({ rule, path, message }) => [rule, path, message]),
    [
      [
        "stove-use-differs",
        "evidence.0",
        "On 2024-02-01, 2024-02-03 the claim logs use of the stove STOVE-1, and the stove-use monitor saw no cooking. On 2024-02-04 the stove-use monitor saw cooking, and the claim logs no use of the stove STOVE-1.",
      ],
    ],
  );
});

test("flags a stove that the registry has in another household, or not in place on the day of the visit", async () => {
  const own = campaign.groups.reference.sample[households] ?? assert.fail("the sample is used up");
  const other = campaign.groups.intervention.sample[0];
  const device = { model: "Jiko 2", planId, installedOn: "2024-01-01" };
  for (const [serial, householdDid, changes] of [
    ["OWN-1", own, {}],
    ["LATE-1", own, { installedOn: "2024-02-03" }],
    ["OTHER-1", other, {}],
  ] as const) {
    requireStatus(await implementer("POST", "/devices", { ...device, serial, householdDid, ...changes }), 201);
  }
  const named = ["OWN-1", "late 1", "other_1", "UNKNOWN-1"];
  const visits = visitsOf({ hour: 14 }).map((visit) => ({
    ...visit,
    stoves: named.map((serial) => ({ serial, kind: "Jiko 2", used: true })),
  }));
  const evidence = [{ type: "stove-use-series", uri: monitor([0, 1, 2, 3], { mark: "7" }), stove: "OTHER-1" }];
  const { flags } = await checksOf(await file({ visits, evidence }));
  const [late, foreign] = [
    (date: string) => `The stove late 1 was not in place on ${date}.`,
    "The stove other_1 is registered in another household.",
  ];
  assert.deepEqual(
    flags.flatMap(({ rule, path, message }) => (rule === "stove-not-of-household" ? [[path, message]] : [])),
    [
      ["visits.0", late("2024-02-01")],
      ["visits.0", foreign],
      ["visits.1", late("2024-02-02")],
      ["visits.1", foreign],
      ["visits.2", foreign],
      ["visits.3", foreign],
      ["evidence.0", "The stove OTHER-1 is registered in another household."],
    ],
  );
});

/** A monitor's CSV with cooking at these minutes after midnight of the first day, for the given minutes each. */
function rhythm(events: readonly (readonly [at: number, minutes: number])[], { shift = 0, extra = "" } = {}): string {
  const time = (minute: number) =>
    new Date(Date.parse("2024-02-01T00:00:00Z") + (minute + shift) * 60_000).toISOString();
  const rows = events.flatMap(([at, minutes]) => [`${time(at)},on`, `${time(at + minutes)},off`]);
  return csvUri(["timestamp,on", `${time(0)},off`, ...rows, `${time(5_700)},off${extra}`, ""].join("\n"));
}

test("flags a copied series even if its clock was moved or a reading changed, and a stove that is always on", async () => {
  const original = [
    [410, 35],
    [1_090, 55],
    [1_815, 20],
    [2_600, 70],
    [3_350, 45],
    [4_900, 25],
  ] as const;
  const changedOnce = original.map((each, i) => (i === 2 ? ([1_830, 20] as const) : each));
  const honest = original.map(([at, minutes], i) => [at + 37 * i, minutes + 15] as const);
  const attached = (uri: string) => ({ fuelMeasurements, evidence: [{ type: "stove-use-series", uri }] });
  const first = await file(attached(rhythm(original)));
  const moved = await file(attached(rhythm(original, { shift: 31 })));
  const changed = await file(attached(rhythm(changedOnce, { extra: " " })));
  const other = await file(attached(rhythm(honest)));
  const copiesOf = async (claim: KptClaim) =>
    (await checksOf(claim)).flags.flatMap(({ rule, others }) => (rule === "stove-series-copied" ? others : []));
  assert.deepEqual((await copiesOf(first)).sort(), [moved.id, changed.id].sort());
  assert.ok((await copiesOf(moved)).includes(first.id));
  assert.ok((await copiesOf(changed)).includes(first.id));
  assert.deepEqual(await copiesOf(other), []);
  const constant = await file(attached(csvUri("timestamp,on\n2024-02-01T00:00:00Z,on\n2024-02-05T00:00:00Z,on\n")));
  const { flags } = await checksOf(constant);
  assert.deepEqual(
    flags.flatMap(({ rule, message }) => (rule === "stove-series-constant" ? [message] : [])),
    ["The stove-use monitor saw cooking for 96 hours without a pause."],
  );
});

test("changes no figure of the result by a series", async () => {
  const figures = async () => {
    const { groups, saving, emissions } = requireStatus(
      await implementer("GET", `/campaigns/${campaign.campaignId}/result`),
      200,
    ).body as { groups: { reference: { n: number; remeasured: object } }; saving: object; emissions: object };
    // The result also lists the claims that were revoked before another one.
    const { remeasured: _, ...reference } = groups.reference;
    return { groups: { ...groups, reference }, saving, emissions };
  };
  const evidence = [{ type: "stove-use-series", uri: monitor([]) }];
  const monitored = await file({ fuelMeasurements, evidence });
  assert.deepEqual(await flagsOf(monitored), ["stove-use-differs evidence.0"]);
  const withSeries = await figures();
  assert.ok(withSeries.groups.reference.n > 1);
  requireStatus(await evaluator("POST", `/claims/${monitored.id}/revoke`, { reason: "test" }), 200);
  households -= 1;
  await file({ fuelMeasurements });
  assert.deepEqual(await figures(), withSeries);
});

test("refuses a series that cannot be read, that is a link, or that is not CSV, and a stove of other evidence", async () => {
  const answer = await implementer("POST", "/claims", {
    type: "KPTClaim",
    campaignId: campaign.campaignId,
    householdId: campaign.groups.reference.sample[households],
    testGroup: "reference",
    fuelMeasurements,
    evidence: [
      { type: "stove-use-series", uri: csvUri("timestamp,on\n2024-02-01T10:00:00Z,on\nlater,off\n") },
      { type: "stove-use-series", uri: "https://example.org/series.csv" },
      { type: "stove-use-series", uri: "data:text/plain,timestamp" },
      { type: "photo", uri: "https://example.org/b.jpg", stove: "STOVE-1" },
    ],
  });
  assert.equal(answer.status, 400);
  const { details } = answer.body as { error?: unknown; details: { path: string; rule: string }[] };
  assert.deepEqual(
    details.map(({ path, rule }) => `${path} ${rule}`),
    [
      "evidence.0 series-timestamp",
      "evidence.0 series-length",
      "evidence.1 series-sent",
      "evidence.2 series-csv",
      "evidence.3.stove stove-of-series",
    ],
  );
});

test("records each calibration of a scale once, for the plan's implementer", async () => {
  const calibration = {
    serial: "SCALE-9",
    planId,
    calibratedOn: "2024-01-10",
    validUntil: "2025-01-09",
    certificate: "https://lab.example/9.pdf",
    sha256: "cd".repeat(32),
  };
  const made = requireStatus(await implementer("POST", "/scales", calibration), 201).body;
  assert.partialDeepStrictEqual(made, calibration);
  const again = await implementer("POST", "/scales", { ...calibration, validUntil: "2030-01-01" });
  assert.deepEqual([again.status, rulesOf(again)], [409, ["not-registered-before"]]);
  const reversed = await implementer("POST", "/scales", { ...calibration, validUntil: "2024-01-09" });
  assert.deepEqual([reversed.status, rulesOf(reversed)], [400, ["dates-ordered"]]);
  const later = { ...calibration, calibratedOn: "2025-01-10", validUntil: "2026-01-09" };
  requireStatus(await implementer("POST", "/scales", later), 201);
  const other = await registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.equal((await other("POST", "/scales", calibration)).status, 403);
  assert.equal((await other("GET", `/scales?planId=${planId}`)).status, 404);
  type Page = { items: { serial: string; calibratedOn: string }[]; nextCursor: string | null };
  const listed: string[] = [];
  for (let cursor = ""; ; ) {
    const page = requireStatus(await evaluator("GET", `/scales?planId=${planId}&limit=1${cursor}`), 200).body as Page;
    listed.push(...page.items.map(({ serial, calibratedOn }) => `${serial} ${calibratedOn}`));
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assert.deepEqual(listed.slice(-2), ["SCALE-9 2024-01-10", "SCALE-9 2025-01-10"]);
});

test("bytes that are not a photo, or whose EXIF is damaged, have no facts", async () => {
  const none = { takenAt: null, latitude: null, longitude: null, device: null };
  const whole = exifPhoto({ takenAt: "2024-02-02T10:00:00", ...lusaka });
  assert.deepEqual(await readPhotoFacts(whole, "text/plain", "sender"), none);
  assert.deepEqual(await readPhotoFacts(Buffer.from("no photo"), "image/jpeg", "sender"), none);
  assert.deepEqual(await readPhotoFacts(Buffer.alloc(0), "image/png", "sender"), none);
  for (let cut = 0; cut < whole.length; cut += 7) {
    await assert.doesNotReject(readPhotoFacts(whole.subarray(0, cut), "image/jpeg", "sender"), `cut at ${cut}`);
  }
  const impossible = exifPhoto({ takenAt: "2024-13-45T99:00:00", latitude: 89, longitude: 28 });
  assert.equal((await readPhotoFacts(impossible, "image/jpeg", "sender")).takenAt, null);
});
