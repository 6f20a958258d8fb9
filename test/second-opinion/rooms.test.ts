import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { before, test } from "node:test";
import { makeZip } from "client-zip";
import type { Hex } from "viem";
import { writeDocument } from "../../api/scheme/campaigns/result/document.ts";
import { smallGroups } from "../../api/scheme/campaigns/result/flags/small-frames.ts";
import { type EmissionsTerms, readEmissionsTerms } from "../../api/scheme/campaigns/result/inputs/emissions-terms.ts";
import type { ResultRecord } from "../../api/scheme/campaigns/result/record.ts";
import type { CampaignResultFigures } from "../../api/scheme/campaigns/result/schemas.ts";
import { confidenceOf } from "../../api/scheme/campaigns/sampling/terms.ts";
import { driedFuels } from "../../wire/src/kpt-visits.ts";
import { openClosedScene } from "../support/closed-campaign.ts";
import { readZip } from "../support/zip.ts";
import { python, skip } from "./python.ts";

const count = 500;
type RecordedFuels = NonNullable<ResultRecord["claims"][number]["fuels"]>;
type Difference = { what: string; stated: string; repeated: string };

/** Random numbers from 0 to 1; the same seed gives the same (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = randomFrom(20_261_127);
const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
const pick = <T>(all: readonly T[]): T => all[whole(0, all.length - 1)] as T;
const share = (from: number, to: number) => `0.${String(whole(from, to)).padStart(3, "0")}`;
const groups = ["reference", "intervention"] as const;

const metered = "mecd-specific-energy";

/** Energy of a cooking test on both sides, the cap on a person's energy and the error of the meters. */
function cookingTests() {
  return { SC_b: share(2, 9), SC_p: "0.001", P_CAP: share(1, 20), MPE: share(0, 50) };
}

/** Factors that a metered method has no default for. */
function randomParameters({ area = "SSA" }: EmissionsTerms): ResultRecord["parameters"] {
  const upstream = (["wood", "charcoal", "lpg", "dung", "pellets"] as const).map((key) => {
    return { id: `PRM-${key}`, kind: "ef-upstream", key, value: String(whole(0, 9)), source: "a random example" };
  });
  return [
    ...upstream,
    { id: "PRM-101", kind: "ef-grid", key: area, value: share(100, 900), source: "a random example" },
    { id: "PRM-102", kind: "grid-losses", key: area, value: share(50, 200), source: "a random example" },
  ];
}

function randomTerms(): EmissionsTerms {
  const method = pick(["smec-4", "tpddtec", "tpddtec-4", "vm0050-1", metered] as const);
  const surveyed = whole(100, 200);
  return readEmissionsTerms({
    method,
    fuel: pick(["wood", "charcoal"]),
    area: pick(["ZMB", "MWI", "KEN", "SSA"]),
    gwp: pick(["AR4", "AR5", "AR6"]),
    units: String(whole(50, 5_000)),
    newUnits: String(method === metered ? whole(0, 1) : whole(0, 5_000)),
    ...(random() < 0.5 ? { householdSize: String(whole(2, 9)) } : {}),
    ...(random() < 0.5 ? { usage: share(400, 999) } : { usageSurvey: { surveyed, inUse: whole(50, surveyed) } }),
    life: String(whole(1, 9)),
    daf: share(0, 200),
    he: share(500, 999),
    ...(method === metered ? {} : { valuePer: pick(["household", "person", "standard-adult"]) }),
    ...(random() < 0.3 ? { leakage: String(whole(0, 20)) } : {}),
    ...(method === metered ? { meteredFuel: pick(["electricity", "lpg"]), methodParameters: cookingTests() } : {}),
    ...(method === "vm0050-1" ? { methodParameters: { eta_new: share(250, 900), eta_old: share(100, 240) } } : {}),
  });
}

/** What visits of a household weighed: the campaign's fuel and others. */
function randomFuels({ terms }: ResultRecord, totalGrams: string): RecordedFuels {
  return {
    [terms.fuel ?? "wood"]: totalGrams,
    lpg: String(whole(0, 2_000)),
    ...(random() < 0.5 ? { dung: String(whole(0, 5_000)) } : {}),
    ...(random() < 0.5 ? { pellets: String(whole(0, 5_000)) } : {}),
  };
}

/** Terms that count dry mass, with the calorific values that they need; some of them only stated. */
function driedTerms(record: ResultRecord): ResultRecord {
  const dryNcv = { dung: share(14, 17), pellets: share(16, 19) };
  const recorded = driedFuels
    .filter((fuel) => !Object.hasOwn(dryNcv, fuel))
    .map((key) => ({ id: `PRM-dry-${key}`, kind: "ncv-dry", key, value: share(15, 19), source: "random" }));
  const terms = readEmissionsTerms({ ...record.terms, fuelMass: "dry", dryNcv });
  return { ...record, terms, parameters: [...(record.parameters ?? []), ...recorded] };
}

/** Solid biomass as it was weighed before its water was subtracted. */
function weighedBefore(fuels: RecordedFuels): RecordedFuels {
  return Object.fromEntries(
    driedFuels.flatMap((fuel) => {
      const dry = fuels[fuel];
      return dry === undefined ? [] : [[fuel, String(Math.ceil((Number(dry) * 1_000) / whole(750, 950)))]];
    }),
  );
}

/** The meters of the project's devices count electricity; the LPG of both groups is weighed. */
function meteredFuels(group: (typeof groups)[number], logs: number): RecordedFuels {
  return group === "reference" ? {} : { electricity: String(logs * whole(500, 1_500)) };
}

function randomSampling(): Pick<ResultRecord, "confidence" | "sampling"> {
  const convention = pick(["two-sided-90", "one-sided-90"] as const);
  if (random() < 0.6) return { confidence: { level: "0.9", precision: "0.1", convention } };
  const profile = pick(["90/10", "95/5"] as const);
  const phase = { startDate: "2024-02-01", endDate: "2024-02-04" };
  const paired = random() < 0.5 ? { paired: { before: phase, after: phase } } : {};
  const before = { campaignId: "KPT-A", group: pick(groups), coefficientOfVariation: share(300, 900) };
  const measured = random() < 0.5 ? { measured: before } : {};
  const sampling = { profile, coefficientOfVariation: "0.5", dropOut: share(0, 200), ...paired, ...measured };
  return { confidence: confidenceOf(profile), sampling };
}

/** Divides the sample and both frames among strata, whose replacements took the place of the first positions. */
function stratified(record: ResultRecord): ResultRecord {
  const { sampling, sampleSize, frameSizes } = record;
  if (sampling === undefined || sampling.paired !== undefined || record.terms.method === metered) return record;
  const first = whole(2, sampleSize - 2);
  const root = `0x${"0".repeat(64)}`;
  const strata = [first, sampleSize - first].map((drawn, index) => {
    const frameOf = (group: (typeof groups)[number]) => {
      const spare = Math.floor((frameSizes[group] - sampleSize) * 0.4);
      return { root, size: index === 0 ? first + spare : frameSizes[group] - first - spare };
    };
    const frames = { reference: frameOf("reference"), intervention: frameOf("intervention") };
    return { id: ["town", "village"][index] as string, region: `region ${index}`, sampleSize: drawn, frames };
  });
  return { ...record, sampling: { ...sampling, strata }, replaced: { reference: [], intervention: [] } };
}

/** SHA-256 of the URIs of evidence, few enough that some are named twice. */
const randomEvidence = Array.from({ length: 12 }, (_, i): Hex => `0x${String(i).padStart(64, "0")}`);

function randomRecord(): ResultRecord {
  const size = pick([whole(3, 40), whole(36, 50)]);
  const record = stratified({
    campaignId: `KPT-${whole(1, 1_000_000)}`,
    ...randomSampling(),
    sampleSize: size,
    twoParties: true,
    frameSizes: { reference: size + pick([0, whole(0, 20)]), intervention: size + pick([0, whole(0, 20)]) },
    terms: randomTerms(),
    parameters: [],
    ...(random() < 0.2 ? { requiresRegistry: true } : {}),
    test: { startDate: "2024-02-01", endDate: "2024-02-04", dayCount: "calendar" },
    missing: { reference: [], intervention: [] },
    open: { reference: [], intervention: [] },
    siblings: [],
    claims: [],
    members: [],
  });
  const isMetered = record.terms.method === metered;
  if (isMetered) record.parameters = randomParameters(record.terms);
  if (size % 3 === 0) {
    const precision = { key: `${record.terms.method}/precision`, value: `0.0${20 + size}` };
    record.parameters?.push({ id: "PRM-precision", kind: "method-minimum", source: "random", ...precision });
  }
  const isDry = random() < 0.2;
  if (isDry) Object.assign(record, driedTerms(record));
  const hasVisits = isMetered || isDry || random() < 0.2;
  const isSized = random() < 0.7;
  const isAsked = hasVisits && random() < 0.6;
  const isLargeReference = random() < 0.6;
  const { replaced } = record;
  const left = replaced === undefined ? pick([0, 0, 0, 1, 3, Math.floor(size * 0.2), size + 1]) : 0;
  const replacements: NonNullable<ResultRecord["replacements"]> = { reference: [], intervention: [] };
  // Up to a twentieth, up to a tenth, and more: each has its own rule.
  const absent = Math.floor(size * pick([0, 0.03, 0.09, 0.09, 0.25]));
  for (const group of groups) {
    const mean = group === "reference" ? whole(3_000, 9_000) : whole(500, 4_000);
    if (replaced !== undefined) replaced[group].push(...[0, 1].slice(0, whole(0, 2)));
    const dropped = replaced?.[group] ?? Array.from({ length: left }, (_, position) => position);
    replacements[group].push(...dropped.map((position) => ({ position, evidence: pick([null, ...randomEvidence]) })));
    for (let position = dropped.length; position < size + dropped.length; position++) {
      if (position >= size + dropped.length - absent) {
        record.missing?.[group].push(position);
        continue;
      }
      for (let number = 1; number <= pick([1, 1, 1, 2]); number++) {
        const logs = whole(3, 7);
        const totalGrams = String(logs * whole(Math.floor(mean * 0.6), Math.floor(mean * 1.4)));
        const claim = { id: `${group}-${position}-${number}`, group, position, totalGrams, logs };
        const fuels = { ...randomFuels(record, totalGrams), ...(isMetered ? meteredFuels(group, logs) : {}) };
        const weighed = isDry ? { weighed: weighedBefore(fuels) } : {};
        const fed = isAsked ? { fed: randomPeople(logs) } : {};
        record.claims.push(hasVisits ? { ...claim, fuels, ...weighed, ...fed } : claim);
      }
      const more = isLargeReference && group === "reference" ? whole(2, 9) : 0;
      const counts = { men: whole(0, 3) + more, women: whole(0, 3), children: whole(0, 5), elderly: whole(0, 2) };
      if (isSized) counts.men += 1;
      if (isSized || random() < 0.8) record.members.push({ group, position, ...counts });
    }
  }
  if (!isSized && size % 2 === 0) record.members = [];
  record.remeasured = {
    reference: remeasuredIn(record, "reference"),
    intervention: remeasuredIn(record, "intervention"),
  };
  if (random() < 0.5) {
    const { area = "SSA", fuel = "wood" } = record.terms;
    record.planRecords = pick([
      {},
      { area: { id: "PRM-201", choice: area } },
      { area: { id: "PRM-201", choice: pick(["ZMB", "MWI"]) }, fuel: { id: "PRM-202", choice: fuel } },
      { area: { id: "PRM-201", choice: area }, fuel: { id: "PRM-202", choice: pick(["wood", "charcoal"]) } },
    ]);
  }
  if (random() < 0.15) record.days = 3;
  if (random() < 0.5) record.beforeDraw = beforeDrawIn(record);
  if (random() < 0.5) record.sharedSurveyEvidence = pick([[], [0, 3]]);
  if (random() < 0.5) record.sharedEvidence = sharedIn(record);
  if (random() < 0.5) {
    const named = pick([[], ["KPT-A"], ["KPT-A", "KPT-B"]]);
    record.evidenceElsewhere = named.map((campaignId) => ({ campaignId, ...sharedIn(record) }));
  }
  if (random() < 0.5) record.deviceHouseholds = { inFrame: size, ofPlan: size + whole(0, 20) };
  if (random() < 0.8) record.leftOut = leftOutIn(record);
  record.claims.sort((a, b) => (a.id < b.id ? -1 : 1));
  // Results that were closed before have none.
  const { remeasured: _, ...earlier } = record;
  const isOfToday = random() < 0.8;
  return isOfToday ? { ...record, replacements } : earlier;
}

/** Most small frames have every household that could be in them; of some it is not known. */
function leftOutIn(record: ResultRecord): NonNullable<ResultRecord["leftOut"]> {
  const counts = smallGroups(record).map((group) => [group, pick([0, 0, 0, 0, whole(1, 400)])] as const);
  return random() < 0.1 ? {} : Object.fromEntries(counts);
}

/** Whom the visits of a claim fed: on all its days, on some of them, or nobody on one. */
function randomPeople(logs: number): NonNullable<ResultRecord["claims"][number]["fed"]> {
  const days = pick([logs, logs, logs, whole(0, logs)]);
  const most = 4 * days;
  const fed = { children: whole(0, most), women: whole(0, most), men: whole(0, most), elderly: whole(0, days) };
  const guests = pick([0, 0, whole(0, most)]);
  return { days, nobody: days < logs ? pick([0, 1]) : 0, ...fed, guests };
}

/** Some measured positions, with the claims of them that were revoked before. */
function remeasuredIn({ claims, sampleSize }: ResultRecord, group: (typeof groups)[number]) {
  const places = [...new Set(claims.filter((claim) => claim.group === group).map(({ position }) => position))];
  const most = Math.floor(sampleSize * pick([0, 0, 0, 0.1, 0.3]));
  return places.slice(0, most).map((position) => ({ position, claimIds: [`${group}-${position}-revoked`] }));
}

/** All, some or none of the measured positions as measured before the draw. */
function beforeDrawIn({ claims }: ResultRecord): NonNullable<ResultRecord["beforeDraw"]> {
  const early = (group: (typeof groups)[number]) => {
    const places = [...new Set(claims.filter((claim) => claim.group === group).map(({ position }) => position))];
    return places.slice(0, pick([0, 1, places.length]));
  };
  return {
    drawnOn: "2024-03-01",
    reference: early("reference"),
    intervention: early("intervention"),
    surveyed: pick([[], [0, 2]]),
  };
}

/** Some of the measured positions, and devices, as those with the evidence of others. */
function sharedIn({ claims }: ResultRecord): NonNullable<ResultRecord["sharedEvidence"]> {
  const some = (group: (typeof groups)[number]) => {
    const places = [...new Set(claims.filter((claim) => claim.group === group).map(({ position }) => position))];
    return places.sort((a, b) => a - b).slice(0, pick([0, 1, 2]));
  };
  return { reference: some("reference"), intervention: some("intervention"), surveyed: pick([[], [1]]) };
}

let documents: string[];
let found: Difference[][];
before(async () => {
  if (skip !== false) return;
  documents = Array.from({ length: count }, () => new TextDecoder().decode(writeDocument(randomRecord()).bytes));
  found = JSON.parse((await python("rooms.py", [], Buffer.from(`{"rooms":[${documents}]}`))).toString());
});

test("a second implementation in Python repeats 500 random closed results from their records", { skip }, () => {
  assert.equal(found.length, count);
  assert.deepEqual(
    found.flatMap((differences, index) => differences.map((each) => ({ index, ...each }))),
    [],
  );
});

test("the random results reach every method, both bases and a household with two claims", { skip }, () => {
  const parsed = documents.map((text) => JSON.parse(text));
  const certified = parsed.flatMap(({ figures }) =>
    figures.emissions.reductions.map((each: { certifiable: { er: number | null; basis: string } }) => each.certifiable),
  );
  assert.ok(certified.filter(({ er }) => er !== null).length >= 10);
  assert.ok(certified.filter(({ er, basis }) => er !== null && basis === "sensitivity").length >= 2);
  const ofMethod = (method: string) => parsed.filter(({ record }) => record.terms.method === method);
  const certifiedByMeters = ofMethod(metered).filter(({ figures }) =>
    figures.emissions.reductions.some((each: { certifiable: { er: number | null } }) => each.certifiable.er !== null),
  );
  assert.ok(certifiedByMeters.length >= 3);
  const withStrata = parsed.filter(({ record }) => record.replaced?.reference.length > 0);
  assert.ok(withStrata.length >= 20);
  assert.ok(withStrata.filter(({ figures }) => figures.groups.reference.strata[0].precision !== null).length >= 10);
  const dried = parsed.filter(({ record }) => record.terms.fuelMass === "dry");
  assert.ok(dried.length >= 50);
  assert.ok(dried.filter(({ figures }) => figures.emissions.reductions[0].er !== null).length >= 20);
  const flagged = (name: string) =>
    parsed.filter(({ figures }) => figures.flags.some(({ rule }: { rule: string }) => rule === name));
  assert.ok(flagged("same-evidence").length >= 20);
  assert.ok(flagged("replacements-many").length >= 20);
  for (const rule of [
    "measured-after-revocation",
    "frame-is-sample",
    "household-sizes-differ",
    "measured-before-draw",
    "surveyed-before-draw",
    "same-survey-evidence",
    "shared-evidence",
    "evidence-of-other-campaign",
    "people-differ",
    "cv-below-measured",
    "area-stated",
    "gwp-stated",
    "household-sizes-unknown",
  ]) {
    assert.ok(flagged(rule).length >= 20, rule);
  }
  const problems = parsed.flatMap(({ figures }) =>
    figures.emissions.reductions.flatMap((each: { certifiable: { problems: { rule: string }[] } }) =>
      each.certifiable.problems.map(({ rule }) => rule),
    ),
  );
  for (const rule of [
    "one-claim-of-fixed-days",
    "remeasured-at-most-tenth",
    "saving-per-adult-positive",
    "area-of-plan",
    "fuel-of-plan",
    "small-frame-complete",
  ]) {
    assert.ok(problems.filter((each) => each === rule).length >= 20, rule);
  }
  for (const method of ["smec-4", "tpddtec", "tpddtec-4", "vm0050-1", metered]) {
    assert.ok(ofMethod(method).length >= 50, method);
  }
  for (const unit of ["household", "person", "standard-adult"]) {
    const own = parsed.filter(({ record }) => (record.terms.valuePer ?? "household") === unit);
    const known = own.filter(({ figures }) => figures.emissions.reductions[0].er !== null);
    assert.ok(known.length >= 40, `${unit}: ${known.length} of ${own.length} with a reduction`);
  }
  const broken = parsed.flatMap(({ figures }) => figures.emissions.reductions[0].broken.map(ruleOf));
  assert.ok(broken.filter((rule) => rule === "people-known").length >= 20);
});

const ruleOf = ({ rule }: { rule: string }) => rule;

/** Whether a result has a reduction by a value of a person. */
const isOfPerson = ({ record, figures }: { record: ResultRecord; figures: CampaignResultFigures }) =>
  record.terms.valuePer === "person" && figures.emissions.reductions[0]?.er != null;

test("it finds a figure, a claim or a term that was altered", { skip }, async () => {
  const index = documents.findIndex((text) => JSON.parse(text).figures.emissions.reductions[0].be !== null);
  const original = documents[index] ?? assert.fail("no result has a reduction");
  const ofPerson = documents.find((text) => isOfPerson(JSON.parse(text))) ?? assert.fail("no value is of a person");
  const altered = [
    original.replace(/"mean":\d/, '"mean":9'),
    original.replace(/"er":(-?)\d/, '"er":$17'),
    original.replace(/"totalGrams":"\d/, '"totalGrams":"77'),
    original.replace(/"units":"\d/, '"units":"77'),
    ofPerson.replace('"valuePer":"person"', '"valuePer":"household"'),
    ofPerson.replace('"valuePer":"person"', '"valuePer":"standard-adult"'),
  ];
  for (const text of altered) assert.ok(!documents.includes(text));
  const differences: Difference[][] = JSON.parse(
    (await python("rooms.py", [], Buffer.from(`{"rooms":[${altered}]}`))).toString(),
  );
  for (const [i, each] of differences.entries()) assert.ok(each.length > 0, `alteration ${i}`);
});

test("it repeats the data room of a real campaign", { skip }, async () => {
  const scene = await openClosedScene();
  const folder = await mkdtemp(join(tmpdir(), "hearth-room-"));
  try {
    const plain = await scene.closedCampaign({ sampleSize: 5, frameSize: 6, withMonitors: true });
    const surer = await scene.closedCampaign({ profile: "95/5" });
    const replaced = await scene.closedCampaign({ sampleSize: 4, frameSize: 6, replaced: 2 });
    const withDevices = await scene.closedCampaign({
      sampleSize: 4,
      devices: "missing",
      withSecondDevice: true,
    });
    const retired = await scene.closedCampaign({ withSecondDevice: true, retiresLate: true });
    const stated = await scene.closedCampaign({ devices: false });
    const again = await scene.closedCampaign({ remeasured: 1, days: 3 });
    const lately = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10);
    const current = await scene.closedCampaign({ firstDay: lately });
    const paths: string[] = [];
    for (const { campaignId } of [plain, withDevices, stated, surer, replaced, again, retired, current]) {
      const path = join(folder, `${campaignId}.zip`);
      await writeFile(path, await scene.dataRoom(campaignId));
      paths.push(path);
    }
    assert.deepEqual(JSON.parse((await python("rooms.py", paths)).toString()), [[], [], [], [], [], [], [], []]);
    const earlier = join(import.meta.dirname, "../support/rooms/before-device-households.zip");
    assert.deepEqual(JSON.parse((await python("rooms.py", [earlier])).toString()), [[]]);
    const files = await readZip(await readFile(paths[1] ?? ""));
    const devices = files.get("devices.json")?.toString() ?? "";
    // The second device of the first household becomes that of a household outside the frame.
    const place = devices.match(/"household":(\d)[^}]*"serial":"[^"]*second"/)?.[1];
    files.set("devices.json", Buffer.from(devices.replaceAll(`"household":${place}`, '"household":9')));
    const altered = join(folder, "altered.zip");
    await writeFile(
      altered,
      await buffer(makeZip([...files].map(([name, input]) => ({ name, input }))) as unknown as NodeJS.ReadableStream),
    );
    const found: Difference[][] = JSON.parse((await python("rooms.py", [altered])).toString());
    assert.deepEqual(
      found[0]?.map(({ what }) => what),
      ["devices.json", "devices", "deviceHouseholds", "leftOut"],
    );
  } finally {
    await scene.close();
    await rm(folder, { recursive: true, force: true });
  }
});
