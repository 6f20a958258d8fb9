import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { concat, type Hex, keccak256 } from "viem";
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
import { interruptResponse, sendInterrupted } from "../../../../test/support/interrupted.ts";
import {
  type Caller,
  openRegistryTest,
  type RegistryTest,
  registerHouseholds,
  rulesOf,
} from "../../../../test/support/registry.ts";
import { openSecondParty, type SecondParty } from "../../../../test/support/second-party.ts";
import { openVerifier } from "../../../../test/support/verification.ts";
import { exactLowerBound } from "../../emissions/index.ts";
import type { CampaignResultResponse } from "../result/schemas.ts";
import type { CampaignResponse } from "../schemas.ts";
import type { UsagePositionResponse, UsageSurveyResponse } from "./schemas.ts";

const schemeKey = "5c".repeat(32);
let registry: RegistryTest;
let implementer: Caller;
let evaluator: Caller;
let regulator: Caller;
let party: SecondParty;
before(async () => {
  registry = await openRegistryTest({ SCHEME_KEY: schemeKey });
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  evaluator = await registry.as("evaluator");
  regulator = await registry.as("regulator");
  party = await openSecondParty(registry.world);
  await registerHouseholds(registry.admin, [outsider]);
});
after(() => registry?.close());

const terms = { method: "smec-4", fuel: "wood", area: "ZMB", householdSize: 4.5, life: 3, daf: 0.1, he: 0.9 };
const surveyor = "did:key:z6MkSurveyor";
const photo = [{ uri: "https://photos.example/1.jpg", sha256: "ab".repeat(32) }];

/** Rows of devices for the import, one for each household. */
const oneEach = (households: readonly string[], name: string, installedOn: string) =>
  households.map((did, i) => `${name}-${i},Jiko 2,${did},${installedOn}`);
const outsider = "did:ixo:household/with-stoves";

/**
 * Register a device for each household of an intervention frame: 123 in the first year of life, the others in the second. Ten of the
 * households have another one, and a household outside the frame has 180.
 */
async function registerDevices(frame: string[]): Promise<string[]> {
  const rows = [
    ...oneEach(frame.slice(0, 123), "NEW", "2024-01-01"),
    ...oneEach(frame.slice(123), "OLD", "2022-06-01"),
  ];
  const seconds = oneEach(frame.slice(0, 10), "SECOND", "2024-01-15");
  const outside = oneEach(new Array<string>(180).fill(outsider), "OUTSIDE", "2024-01-01");
  await importDevices([...rows, ...seconds, ...outside]);
  return rows.map((row) => row.split(",")[0] ?? "");
}

async function importDevices(rows: string[]): Promise<void> {
  const text = ["serial,model,householdDid,installedOn", ...rows].join("\n");
  const started = requireStatus(
    await implementer("POST", `/devices/import?planId=${planId}`, text, { "content-type": "text/csv" }),
    202,
  );
  const { url } = started.body as { url: string };
  for (;;) {
    const { status } = (await registry.admin("GET", url.replace("/v1", ""))).body as { status: string };
    if (status === "succeeded") return;
    assert.ok(["queued", "running"].includes(status), status);
    await sleep(100);
  }
}

const surveyOf = async (campaignId: string) =>
  requireStatus(await implementer("GET", `/campaigns/${campaignId}/usage-survey`), 200).body as UsageSurveyResponse;

async function positionsOf(campaignId: string): Promise<UsagePositionResponse[]> {
  const found: UsagePositionResponse[] = [];
  for (let cursor = ""; ; ) {
    const path = `/campaigns/${campaignId}/usage-survey/positions?limit=40${cursor}`;
    const page = requireStatus(await evaluator("GET", path), 200).body as {
      items: UsagePositionResponse[];
      nextCursor: string | null;
    };
    found.push(...page.items);
    if (page.nextCursor === null) return found;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

const recordOf = ({ position, householdId }: UsagePositionResponse, changes: object = {}) => ({
  position,
  householdId,
  deviceSeen: true,
  inUse: true,
  date: "2024-02-03",
  surveyorDid: surveyor,
  evidence: photo,
  ...changes,
});

async function fileClaims({ groups }: CampaignResponse): Promise<void> {
  const testPeriod = { startDate: "2024-02-01", endDate: "2024-02-04" };
  const externalFactors = { season: "dry", culturalEvents: [], occupationalFactors: [] };
  for (const [testGroup, kilograms] of [
    ["reference", 6],
    ["intervention", 3],
  ] as const) {
    for (const householdId of groups[testGroup].sample) {
      const fuelMeasurements = { total: kilograms * 4, dailyLogs: [kilograms, kilograms, kilograms, kilograms] };
      const claim = { type: "KPTClaim", householdId, testGroup, testPeriod, fuelMeasurements, externalFactors };
      requireStatus(await implementer("POST", "/claims", claim), 201);
    }
  }
}

test("a usage survey is drawn from registered devices, recorded position by position, and certified by its lower bound", async () => {
  const body = await registerFrames(registry.admin, exampleCampaign({ sampleSize: 30, emissions: terms }, 183));
  body.groups.reference.frame = body.groups.reference.frame.slice(0, 30);
  const serials = await registerDevices(body.groups.intervention.frame);

  const stated = { usage: 0.9, usageSurvey: undefined, usageSurveys: undefined };
  for (const usage of [
    stated,
    { usageSurvey: { surveyed: 100, inUse: 99 } },
    { usageSurveys: [{ age: 1, surveyed: 100, inUse: 99 }] },
  ]) {
    const refused = await implementer("POST", "/campaigns", { ...body, emissions: { ...terms, ...usage } });
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["usage-from-survey"]]);
  }

  const committed = requireStatus(await implementer("POST", "/campaigns", body), 201).body as CampaignResponse;
  const { campaignId } = committed;
  // 100 in all, in proportion, and 30 of each year of life at least.
  const cohorts = [
    { age: 1, devices: 123, sample: 68 },
    { age: 2, devices: 60, sample: 33 },
  ];
  assert.partialDeepStrictEqual(committed.usageFrame, { day: "2024-02-01", cohorts });
  const early = await surveyOf(campaignId);
  assert.partialDeepStrictEqual(early, { drawn: false, complete: false, root: committed.usageFrame?.root });
  assert.deepEqual(await positionsOf(campaignId), []);
  const tooEarly = await implementer("POST", `/campaigns/${campaignId}/usage-survey/missing`, {
    position: 0,
    reason: "absent",
  });
  assert.deepEqual([tooEarly.status, rulesOf(tooEarly)], [409, ["status-allows"]]);
  const transaction = await registry.deps.chain.client.getTransaction({ hash: committed.transactionHash as Hex });
  const onChain = Buffer.from(transaction.input.slice(2), "hex").toString("latin1");
  assert.ok(onChain.includes(committed.usageFrame?.root ?? "no root"));
  assert.doesNotMatch(onChain, /NEW-|OLD-|SECOND-|OUTSIDE-|did:/);

  await party.join(implementer, campaignId);
  requireStatus(await implementer("POST", `/campaigns/${campaignId}/draw`), 200);
  assert.deepEqual(await positionsOf(campaignId), []);
  const campaign = await party.reveal(implementer, campaignId);

  const drawn = await positionsOf(campaignId);
  const seed = campaign.draw?.seed as Hex;
  const rankOf = (serial: string, age: number) => {
    const leaf = createHmac("sha256", Buffer.from(schemeKey, "hex")).update(`usage-device ${age} ${serial}`).digest();
    return BigInt(keccak256(concat([seed, "0x02", `0x${leaf.toString("hex")}`])));
  };
  const expected = cohorts.flatMap(({ age, sample }) =>
    serials
      .filter((serial) => serial.startsWith("OLD") === (age === 2))
      .map((serial) => ({ serial, age, rank: rankOf(serial, age) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .slice(0, sample)
      .map(({ serial }) => serial),
  );
  assert.deepEqual(
    drawn.map(({ serial }) => serial),
    expected,
  );
  assert.ok(drawn.every(({ status, record }, i) => status === "open" && record === null && drawn[i]?.position === i));

  const records = `/campaigns/${campaignId}/usage-survey/records`;
  const first = drawn[0] as UsagePositionResponse;
  const wrong = recordOf(first, {
    householdId: body.groups.reference.frame[0],
    date: "2024-01-31",
    deviceSeen: false,
  });
  const refused = await implementer("POST", records, wrong);
  assert.deepEqual(
    [refused.status, rulesOf(refused)],
    [400, ["household-of-device", "seen-in-use", "visit-after-frame"]],
  );
  const future = await implementer("POST", records, recordOf(first, { date: "2199-01-01" }));
  assert.deepEqual([future.status, rulesOf(future)], [400, ["days-have-come"]]);
  const unknown = await implementer("POST", records, recordOf(first, { position: 101 }));
  assert.deepEqual([unknown.status, rulesOf(unknown)], [400, ["position-drawn"]]);
  const other = await registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.equal((await other("POST", records, recordOf(first))).status, 404);
  assert.equal((await implementer("POST", records, { ...recordOf(first), evidence: [] })).status, 400);

  const key = { "idempotency-key": "visited-once" };
  const made = requireStatus(await evaluator("POST", records, recordOf(first), key), 201).body as UsagePositionResponse;
  await interruptResponse(registry, key["idempotency-key"]);
  assert.deepEqual(requireStatus(await evaluator("POST", records, recordOf(first), key), 201).body, made);
  assert.partialDeepStrictEqual(made, {
    status: "surveyed",
    record: { inUse: true, deviceSeen: true, date: "2024-02-03", surveyorDid: surveyor, evidence: photo },
  });
  for (const body of [recordOf(first), recordOf(first, { inUse: false })]) {
    const again = await implementer("POST", records, body);
    assert.deepEqual([again.status, rulesOf(again)], [409, ["position-recorded-once"]]);
  }

  await fileClaims(campaign);
  const closing = await implementer("POST", `/campaigns/${campaignId}/close`, {});
  assert.deepEqual([closing.status, rulesOf(closing)], [409, ["usage-survey-complete"]]);
  const preliminary = requireStatus(await implementer("GET", `/campaigns/${campaignId}/result`), 200)
    .body as CampaignResultResponse;
  const problems = preliminary.emissions.reductions[0]?.certifiable.problems ?? [];
  assert.ok(problems.some(({ rule }) => rule === "usage-survey-complete"));
  assert.ok(problems.some(({ rule }) => rule === "cohort-reaches-minimum"));

  const missing = `/campaigns/${campaignId}/usage-survey/missing`;
  const last = drawn.at(-1) as UsagePositionResponse;
  const bare = await implementer("POST", missing, { position: last.position, reason: "other" });
  assert.deepEqual([bare.status, rulesOf(bare)], [400, ["evidence-given"]]);
  const end = { position: last.position, reason: "moved" };
  const gone = await sendInterrupted(registry, (headers) => implementer("POST", missing, end, headers), 201);
  assert.partialDeepStrictEqual(gone, { status: "missing", record: { reason: "moved", inUse: null } });
  const late = await implementer("POST", records, recordOf(last));
  assert.deepEqual([late.status, rulesOf(late)], [409, ["position-recorded-once"]]);
  for (const each of drawn.slice(1, -1)) {
    const inUse = each.position % 10 !== 0;
    requireStatus(await implementer("POST", records, recordOf(each, { inUse })), 201);
  }

  const survey = await surveyOf(campaignId);
  assert.equal(survey.complete, true);
  assert.deepEqual(
    survey.cohorts.map(({ age, inUse, notInUse, missing: gone, open }) => [age, inUse, notInUse, gone, open]),
    [
      [1, 62, 6, 0, 0],
      [2, 29, 3, 1, 0],
    ],
  );
  const bounds = [
    exactLowerBound({ surveyed: 68, inUse: 62 }, "two-sided-90"),
    exactLowerBound({ surveyed: 33, inUse: 29 }, "two-sided-90"),
  ];
  survey.cohorts.forEach(({ lowerBound }, i) => {
    assert.equal(lowerBound, Number(bounds[i]?.toFixed(12)));
  });

  // Nobody could draw them, so the survey says nothing about them.
  const { frame } = body.groups.intervention;
  await importDevices([...oneEach(frame, "LATE", "2024-01-01"), ...oneEach(frame, "LATER", "2024-02-10")]);
  const closed = requireStatus(await implementer("POST", `/campaigns/${campaignId}/close`, {}), 200)
    .body as CampaignResultResponse;
  const [reduction] = closed.emissions.reductions;
  const lineOf = (wanted: string) => reduction?.lines.find(({ name }) => name === wanted)?.value ?? 0;
  // By bisection of the binomial sum: 0.833263786… of the 123 devices and 0.743747308… of the 60.
  assert.equal(lineOf("U").toFixed(9), "0.803914121");
  // 183 households with a device each on the 366 days of 2024.
  assert.equal(lineOf("N").toFixed(9), ((183 * 366) / 365).toFixed(9));
  assert.equal(lineOf("N_new"), 123);
  assert.deepEqual(
    closed.flags.filter(({ rule }) => rule === "frame-covers-part-of-plan").map(({ message }) => message),
    [
      "The intervention frame has 183 of the 184 households of the plan with a device in the crediting year. Only their devices count.",
    ],
  );
  assert.deepEqual(reduction?.certifiable.problems, []);
  const underlyingUnits = { registry: "Gold Standard", firstSerial: 1, lastSerial: 99 };
  const certificate = { certificateId: `CERT-${campaignId}`, activityId: "ACT-USAGE", underlyingUnits };
  await (await openVerifier(registry))(campaignId);
  requireStatus(await regulator("POST", `/campaigns/${campaignId}/certificate`, certificate), 201);
  // The request that was interrupted before the campaign was closed gets its record; for others nothing is drawn any more.
  await interruptResponse(registry, key["idempotency-key"]);
  assert.deepEqual(requireStatus(await evaluator("POST", records, recordOf(first), key), 201).body, made);
  await registry.deps.db.execute(sql`delete from usage_positions`);
  const afterwards = await implementer("POST", records, recordOf(first));
  assert.deepEqual([afterwards.status, rulesOf(afterwards)], [409, ["status-allows"]]);
  assert.equal((await registry.deps.db.execute(sql`select 1 from usage_positions`)).rows.length, 0);
});

test("a campaign of a plan without devices has no usage survey and keeps its stated usage", async () => {
  const other = await registry.as("implementer", { implementerDid: otherImplementerDid });
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  const plan = { planId: "PLAN-STATED", implementerDid: otherImplementerDid, period };
  requireStatus(await registry.admin("POST", "/monitoring-plans", plan), 201);
  const emissions = { ...terms, usageSurvey: { surveyed: 100, inUse: 92 }, units: 1000, newUnits: 1000 };
  const body = await registerFrames(registry.admin, exampleCampaign({ planId: plan.planId, emissions }, 4));
  const campaign = await drawnCampaign(other, body);
  assert.equal(campaign.usageFrame, null);
  assert.equal((await other("GET", `/campaigns/${campaign.campaignId}/usage-survey`)).status, 404);
});
