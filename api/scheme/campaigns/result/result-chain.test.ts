import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  drawnCampaign,
  exampleCampaign,
  householdDids,
  implementerDid,
  otherImplementerDid,
  registerFrames,
  registerOwnPlan,
  registerPlans,
  requireStatus,
} from "../../../../test/support/campaigns.ts";
import { testAdminKey } from "../../../../test/support/core.ts";
import { countedPlanId, drawnWithDevices, registerCountedPlan } from "../../../../test/support/devices.ts";
import {
  type Answer,
  type Caller,
  openRegistryTest,
  type RegistryTest,
  registerHouseholds,
  rulesOf,
} from "../../../../test/support/registry.ts";
import { openSecondParty, type SecondParty } from "../../../../test/support/second-party.ts";
import { openVerifier } from "../../../../test/support/verification.ts";
import { parseJsonBody } from "../../../platform/values/json.ts";
import { certificatesReserving } from "../../certificates/reservations.ts";
import { readSchemeFile } from "../../scheme-files/scheme-files.ts";
import type { CampaignResponse } from "../schemas.ts";
import { certifyCampaign } from "./certificate/certificate.ts";
import { type CampaignCertificate, type CampaignResultResponse, certificateRequest } from "./schemas.ts";
import { equalShares } from "./shares.ts";

let registry: RegistryTest;
let regulator: Caller;
let implementer: Caller;
let party: SecondParty;
let verify: (campaignId: string) => Promise<void>;
before(async () => {
  registry = await openRegistryTest();
  party = await openSecondParty(registry.world);
  await registerPlans(registry);
  verify = await openVerifier(registry);
  await registerCountedPlan(registry);
  regulator = await registry.as("regulator");
  implementer = await registry.as("implementer", { implementerDid });
});
after(() => registry?.close());

const given = {
  method: "smec-4",
  fuel: "wood",
  area: "ZMB",
  householdSize: 4.5,
  life: 3,
  daf: 0.1,
  he: 0.9,
};

/** Kilograms of each group's three households over three days. */
type Fuel = { reference: number[][]; intervention: number[][] };
const saved: Fuel = {
  reference: [
    [5.9, 6, 6.1],
    [6, 6, 6],
    [6.1, 6.2, 5.7],
  ],
  intervention: [
    [3, 2.9, 3.1],
    [3, 3, 3],
    [2.8, 3, 3.2],
  ],
};

async function claim(
  campaign: CampaignResponse,
  group: "reference" | "intervention",
  logs: number[][],
  testPeriod = { startDate: "2024-02-01", endDate: "2024-02-03" },
): Promise<void> {
  const { sample } = campaign.groups[group];
  const file = async (dailyLogs: number[], index: number) => {
    const total = Number(dailyLogs.reduce((sum, each) => sum + each, 0).toFixed(3));
    const body = {
      type: "KPTClaim",
      householdId: sample[index],
      testGroup: group,
      testPeriod,
      fuelMeasurements: { total, dailyLogs },
      externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical"] },
    };
    requireStatus(await implementer("POST", "/claims", body), 201);
  };
  await Promise.all(logs.map(file));
}

/** A drawn campaign of three households a group, all of them measured; those of the intervention frame with their sizes. */
async function measuredCampaign(emissions: object, fuel = saved, hasDevices = true): Promise<CampaignResponse> {
  const example = exampleCampaign({ sampleSize: 3, emissions }, 3);
  const own = await registerOwnPlan(registry, example.campaignId);
  const body = hasDevices ? { ...example, planId: own } : example;
  await registerHouseholds(registry.admin, body.groups.reference.frame, own);
  const householdSize = { men: 1, women: 1, children: 2, elderly: 0 };
  await Promise.all(
    body.groups.intervention.frame.map(async (did) =>
      requireStatus(await registry.admin("POST", "/households", { did, region: own, householdSize }), 201),
    ),
  );
  const campaign = await (hasDevices ? drawnWithDevices : drawnCampaign)(implementer, body, party);
  await claim(campaign, "reference", fuel.reference);
  await claim(campaign, "intervention", fuel.intervention);
  return campaign;
}

let serial = 1_000_000;
function certificateOf({ campaignId }: { campaignId: string }, changes: object = {}) {
  serial += 100;
  const underlyingUnits = { registry: "Gold Standard", firstSerial: serial, lastSerial: serial + 99 };
  return { certificateId: `CERT-${campaignId}`, activityId: "ACT-KPT", underlyingUnits, ...changes };
}

/** Close a campaign, and sign its data room as its verifier. */
async function close(campaignId: string): Promise<Answer> {
  const answer = requireStatus(await implementer("POST", `/campaigns/${campaignId}/close`, {}), 200);
  await verify(campaignId);
  return answer;
}

const resultOf = async (call: Caller, campaignId: string) =>
  requireStatus(await call("GET", `/campaigns/${campaignId}/result`), 200).body as CampaignResultResponse;

test("goes from claims to result, close, certificate and vouchers", async () => {
  const campaign = await measuredCampaign(given);
  const { campaignId } = campaign;
  const open = await resultOf(implementer, campaignId);
  assert.deepEqual(
    [open.status, open.closing, open.groups.reference.n, open.groups.reference.mean],
    ["drawn", null, 3, 6],
  );
  assert.equal(open.perStandardAdult.groups.intervention.n, 3);
  assert.deepEqual(
    open.emissions.reductions[0]?.assumptions.map(({ parameter }) => parameter),
    [],
  );
  const early = await regulator("POST", `/campaigns/${campaignId}/certificate`, certificateOf(campaign));
  assert.equal(early.status, 409);
  const retried = { "Idempotency-Key": "close-once" };
  const closed = requireStatus(await implementer("POST", `/campaigns/${campaignId}/close`, undefined, retried), 200)
    .body as CampaignResultResponse;
  assert.equal(closed.status, "closed");
  assert.deepEqual(closed.closing?.claimsNotCounted, []);
  assert.deepEqual(await resultOf(regulator, campaignId), closed);
  assert.equal((await implementer("POST", `/campaigns/${campaignId}/close`, {})).status, 409);

  const hash = closed.closing?.resultHash ?? "";
  const file = await readSchemeFile(registry.deps, `/kpt/${campaignId}/result-${hash.slice(2, 34)}.json`);
  assert.equal(`0x${createHash("sha256").update(file).digest("hex")}`, hash);
  assert.doesNotMatch(new TextDecoder().decode(file), /did:/);

  const input = certificateOf(campaign);
  const unverified = await regulator("POST", `/campaigns/${campaignId}/certificate`, input);
  assert.deepEqual([unverified.status, rulesOf(unverified)], [400, ["data-room-verified"]]);
  await verify(campaignId);
  const stranger = await implementer("POST", `/campaigns/${campaignId}/certificate`, input);
  assert.equal(stranger.status, 403);
  const certificate = requireStatus(await regulator("POST", `/campaigns/${campaignId}/certificate`, input), 201)
    .body as CampaignCertificate;
  const er = closed.emissions.reductions[0]?.er ?? 0;
  assert.equal(certificate.verifiedReduction, Math.floor(er * 1e9) / 1e6);
  assert.partialDeepStrictEqual(certificate, {
    status: "valid",
    planId: campaign.planId,
    implementerDid,
    vintage: 2024,
    campaignId,
  });
  assert.deepEqual(
    [certificate.allocation?.count, certificate.credential.issuer],
    [3, registry.deps.credentials.issuer],
  );
  assert.equal((await resultOf(regulator, campaignId)).closing?.certificateId, input.certificateId);
  const again = await regulator("POST", `/campaigns/${campaignId}/certificate`, {
    ...input,
    certificateId: "CERT-other",
  });
  assert.deepEqual([again.status, rulesOf(again)], [409, ["campaign-not-certified"]]);

  const recipientDid = campaign.groups.intervention.sample[0];
  const share = Math.round((certificate.verifiedReduction * 1e6) / 3) / 1e6;
  const attributes = { batchId: "BATCH-KPT", issuanceDate: "2024-03-15", expiryDate: "2040-12-31" };
  const order = { recipientDid, emissionCertificateId: input.certificateId, attributes };
  const wrong = await implementer("POST", "/vouchers/issue", { ...order, value: share + 1 });
  assert.deepEqual(rulesOf(wrong), ["value-matches-reduction"]);
  const values = [share, share + 1e-6, share - 1e-6].map((value) => Number(value.toFixed(6)));
  const issued = await Promise.all(values.map((value) => implementer("POST", "/vouchers/issue", { ...order, value })));
  assert.equal(issued.filter(({ status }) => status === 201).length, 1, JSON.stringify(issued.map(({ body }) => body)));
});

test("answers before anything is measured, and closes only what was drawn", async () => {
  const body = await registerFrames(implementer, exampleCampaign({}, 5));
  requireStatus(await implementer("POST", "/campaigns", body), 201);
  const empty = await resultOf(implementer, body.campaignId);
  assert.deepEqual([empty.status, empty.groups.reference.n, empty.saving.mean], ["committed", 0, null]);
  const early = await implementer("POST", `/campaigns/${body.campaignId}/close`, {});
  assert.deepEqual([early.status, rulesOf(early)], [409, ["status-allows"]]);
  const evaluator = await registry.as("evaluator");
  assert.equal((await evaluator("POST", `/campaigns/${body.campaignId}/close`, {})).status, 403);
  assert.equal((await implementer("POST", "/campaigns/NONE/close", {})).status, 404);
});

test("shows the result as CSV and as a picture, to those who may see the campaign", async () => {
  const { campaignId } = await measuredCampaign(given);
  const read = (path: string, key = testAdminKey) =>
    registry.app.request(`/v1/campaigns/${campaignId}/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const csv = await read("result?format=csv");
  assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.match(csv.headers.get("content-disposition") ?? "", /^attachment; filename="KPT-\d+ result\.csv"/);
  assert.match(await csv.text(), /^group,reference,mean,6,kg\/household\/day,\r$/m);
  const svg = await read("result.svg");
  assert.equal(svg.headers.get("content-type"), "image/svg+xml; charset=utf-8");
  assert.match(svg.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.match(await svg.text(), /^<svg role="img".*n = 3 of 3 sampled/s);
  const other = await registry.as("implementer", { implementerDid: otherImplementerDid });
  for (const path of ["result", "result.svg"]) {
    assert.equal((await other("GET", `/campaigns/${campaignId}/${path}`)).status, 404);
  }
  assert.equal((await registry.admin("GET", `/campaigns/${campaignId}/result?format=xml`)).status, 400);
});

test("makes no certificate of assumed parameters, of no saving, nor for households that are not registered", async () => {
  const assumed = await measuredCampaign({ ...given, life: undefined });
  await close(assumed.campaignId);
  const ofAssumed = await regulator("POST", `/campaigns/${assumed.campaignId}/certificate`, certificateOf(assumed));
  assert.deepEqual([ofAssumed.status, rulesOf(ofAssumed)], [400, ["terms-committed"]]);

  const wasteful = await measuredCampaign(given, { reference: saved.intervention, intervention: saved.reference });
  await close(wasteful.campaignId);
  const ofNone = await regulator("POST", `/campaigns/${wasteful.campaignId}/certificate`, certificateOf(wasteful));
  assert.deepEqual([ofNone.status, rulesOf(ofNone)], [400, ["reduction-positive"]]);

  const campaign = await measuredCampaign(given);
  const { campaignId } = campaign;
  const closed = await close(campaignId);
  const er = (closed.body as CampaignResultResponse).emissions.reductions[0]?.er ?? 0;
  const whole = Math.floor(er * 1e9) / 1e6;
  const allocations = [{ householdDid: "did:ixo:household/nobody", amount: whole }];
  const path = `/campaigns/${campaignId}/certificate`;
  const unknown = await regulator("POST", path, certificateOf(campaign, { allocations }));
  assert.deepEqual([unknown.status, rulesOf(unknown)], [400, ["recipient-registered"]]);
});

test("finishes on a retry what was cut off between the registration and the link", async () => {
  const campaign = await measuredCampaign(given);
  const { campaignId } = campaign;
  await close(campaignId);
  const body = certificateOf(campaign);
  const { deps } = registry;
  const killedLedger = Object.assign(Object.create(deps.campaigns.ledger), {
    stateOf: () => Promise.reject(new Error("killed")),
  });
  const killed = new Proxy(deps.campaigns, {
    get(target, name) {
      if (name === "ledger") return killedLedger;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const actor = { keyId: "admin", role: "admin", scopes: [], dids: null } as const;
  const input = certificateRequest.parse(parseJsonBody(new TextEncoder().encode(JSON.stringify(body))));
  const cut = certifyCampaign({ ...deps, campaigns: killed }, { actor: { ...actor, scopes: [] } }, campaignId, input);
  await assert.rejects(cut, /killed/);
  assert.equal((await regulator("GET", `/certificates/${body.certificateId}`)).status, 200);
  assert.equal((await resultOf(regulator, campaignId)).closing?.certificateId, null);
  const other = { ...certificateOf(campaign), certificateId: "CERT-instead" };
  const doubled = await regulator("POST", `/campaigns/${campaignId}/certificate`, other);
  assert.deepEqual([doubled.status, rulesOf(doubled)], [409, ["campaign-not-certified"]]);
  const retried = await regulator("POST", `/campaigns/${campaignId}/certificate`, body);
  assert.equal(retried.status, 201, JSON.stringify(retried.body));
  assert.equal((await resultOf(regulator, campaignId)).closing?.certificateId, body.certificateId);
});

test("makes one certificate of a result, however many ask at the same time, with different ids", async () => {
  const campaign = await measuredCampaign(given);
  const { campaignId } = campaign;
  await close(campaignId);
  const bodies = ["A", "B", "C"].map((name) =>
    certificateOf(campaign, { certificateId: `CERT-${campaignId}-${name}` }),
  );
  const answers = await Promise.all(
    bodies.map((body) => regulator("POST", `/campaigns/${campaignId}/certificate`, body)),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  for (const refused of answers.filter(({ status }) => status === 409)) {
    assert.deepEqual(rulesOf(refused), ["campaign-not-certified"]);
  }
  const made = await Promise.all(bodies.map(({ certificateId }) => regulator("GET", `/certificates/${certificateId}`)));
  assert.equal(made.filter(({ status }) => status === 200).length, 1);
});

test("answers a repeated request as the first time, also when its first answer was lost", async () => {
  const campaign = await measuredCampaign(given);
  const { campaignId } = campaign;
  const once = { "Idempotency-Key": `certify-${campaignId}` };
  await close(campaignId);
  const body = certificateOf(campaign);
  const path = `/campaigns/${campaignId}/certificate`;
  const [first, second] = [await regulator("POST", path, body, once), await regulator("POST", path, body, once)];
  assert.deepEqual([first.status, second.status], [201, 201], JSON.stringify(first.body));
  assert.deepEqual(second.body, first.body);
});

test("makes no certificate while a claim that the result counts is revoked", async () => {
  const campaign = await measuredCampaign(given);
  const { campaignId } = campaign;
  await close(campaignId);
  const { items } = (await regulator("GET", `/campaigns/${campaignId}/claims`)).body as { items: { id: string }[] };
  const id = items[0]?.id ?? "";
  requireStatus(await regulator("POST", `/claims/${id}/revoke`, { reason: "forged" }), 200);
  assert.deepEqual((await resultOf(regulator, campaignId)).closing?.claimsRevokedSince, [id]);
  const refused = await regulator("POST", `/campaigns/${campaignId}/certificate`, certificateOf(campaign));
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["claims-stand", "data-room-current"]]);
});

test("takes no term at the close: whatever turns measurements into tonnes was committed before the draw", async () => {
  const campaign = await measuredCampaign({ method: "smec-4" }, saved, false);
  const path = `/campaigns/${campaign.campaignId}`;
  const added = { emissions: { units: 1_000_000, fnrb: 0.95 } };
  const refused = await implementer("POST", `${path}/close`, added);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["terms-committed", "terms-committed"]]);
  const { details } = refused.body as { details: { path: string }[] };
  assert.deepEqual(
    details.map((detail) => detail.path),
    ["emissions.units", "emissions.fnrb"],
  );
  const late = await implementer("POST", `${path}/amendments`, { reason: "the units are known now", ...added });
  assert.deepEqual([late.status, rulesOf(late)], [409, ["status-allows"]]);
  await close(campaign.campaignId);
  const [smec] = (await resultOf(implementer, campaign.campaignId)).emissions.reductions;
  assert.equal(smec?.certifiable.er, null);
  const uncommitted = ["fuel", "area", "units", "householdSize", "usage", "newUnits", "life", "daf", "he"];
  assert.deepEqual(smec?.certifiable.problems.map((problem) => `${problem.rule} ${problem.path}`).sort(), [
    ...uncommitted.map((name) => `terms-committed emissions.${name}`).sort(),
    "units-counted emissions.units",
    "usage-surveyed emissions.usage",
  ]);
  const certified = await regulator("POST", `${path}/certificate`, certificateOf(campaign));
  assert.deepEqual(
    [certified.status, new Set(rulesOf(certified))],
    [400, new Set(["terms-committed", "units-counted", "usage-surveyed"])],
  );
});

test("takes a change of terms before the draw as a new version with its reason", async () => {
  const body = await registerFrames(implementer, exampleCampaign({ emissions: { units: 10 } }, 5));
  requireStatus(await implementer("POST", "/campaigns", body), 201);
  const path = `/campaigns/${body.campaignId}`;
  const change = { reason: "the stoves were counted", emissions: { units: 12, fuel: "wood" }, season: "wet" };
  const amended = requireStatus(await implementer("POST", `${path}/amendments`, change), 201).body as CampaignResponse;
  assert.deepEqual(
    [amended.termsVersion, amended.season, JSON.stringify(amended.emissions)],
    [2, "wet", JSON.stringify({ fuel: "wood", units: 12 })],
  );
  assert.partialDeepStrictEqual(amended.amendments, [{ version: 2, reason: change.reason }]);
  const same = await implementer("POST", `${path}/amendments`, change);
  assert.deepEqual([same.status, rulesOf(same)], [400, ["terms-changed"]]);
  const silent = await implementer("POST", `${path}/amendments`, { season: "dry" });
  assert.equal(silent.status, 400);
  const other = await registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.equal((await other("POST", `${path}/amendments`, change)).status, 404);
  requireStatus(await implementer("POST", `${path}/draw`), 200);
  const drawn = (await implementer("GET", path)).body as CampaignResponse;
  assert.deepEqual([drawn.season, drawn.emissions?.units], ["wet", 12]);
  assert.equal((await implementer("POST", `${path}/amendments`, { reason: "again", season: "dry" })).status, 409);
});

/** Ten drawn households a group; what a household saves depends on its place. */
async function tenAndTen(): Promise<{ campaign: CampaignResponse; fuel: Fuel }> {
  const changes = { planId: countedPlanId, sampleSize: 10, emissions: given };
  const body = await registerFrames(registry.admin, exampleCampaign(changes, 12));
  const campaign = await drawnWithDevices(implementer, body, party);
  const around = (kilograms: number) => [kilograms, kilograms, kilograms];
  const fuel = {
    reference: [9, 9.1, 8.9, 3, 3.1, 2.9, 3, 3.1, 2.9, 3].map(around),
    intervention: [2, 2.1, 1.9, 6, 6.1, 5.9, 6, 6.1, 5.9, 6].map(around),
  };
  return { campaign, fuel };
}

test("cannot be closed with the best three of ten households, nor certified when seven are missing", async () => {
  const { campaign, fuel } = await tenAndTen();
  const { campaignId, groups } = campaign;
  const path = `/campaigns/${campaignId}`;
  await claim(campaign, "reference", fuel.reference.slice(0, 3));
  await claim(campaign, "intervention", fuel.intervention.slice(0, 3));
  const early = await implementer("POST", `${path}/close`, {});
  assert.deepEqual([early.status, rulesOf(early)], [409, ["sample-complete"]]);
  const unexplained = { group: "reference", householdId: groups.reference.sample[9], reason: "other" };
  const refused = await implementer("POST", `${path}/missing`, unexplained);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["evidence-given"]]);
  for (const group of ["reference", "intervention"] as const) {
    for (const householdId of groups[group].sample.slice(3)) {
      const mark = { group, householdId, reason: "absent", note: "nobody at home" };
      requireStatus(await implementer("POST", `${path}/missing`, mark), 201);
    }
  }
  const closed = (await close(campaignId)).body as CampaignResultResponse;
  const [smec] = closed.emissions.reductions;
  assert.ok((smec?.er ?? 0) > 0, "the three best show a reduction");
  assert.equal(smec?.certifiable.er, null);
  const problems = ["missing-at-most-tenth", "minimum-sample"];
  assert.deepEqual(
    smec?.certifiable.problems.map(({ rule }) => rule),
    [...problems, ...problems, "reduction-positive"],
  );
  assert.deepEqual(closed.sensitivity.missing.intervention, [3, 4, 5, 6, 7, 8, 9]);
  assert.ok((closed.sensitivity.reductions[0]?.er ?? 0) < (smec?.er ?? 0));
  const certified = await regulator("POST", `${path}/certificate`, certificateOf(campaign));
  assert.equal(certified.status, 400);
  assert.deepEqual(new Set(rulesOf(certified)), new Set([...problems, "reduction-positive"]));
});

test("marks a household as missing permanently, with its reason and evidence", async () => {
  const { campaign } = await tenAndTen();
  const path = `/campaigns/${campaign.campaignId}`;
  const householdId = campaign.groups.intervention.sample[4];
  const mark = { group: "intervention", householdId, reason: "other", evidence: "https://example.org/flood.pdf" };
  const marked = requireStatus(await implementer("POST", `${path}/missing`, mark), 201);
  assert.partialDeepStrictEqual(marked.body, { ...mark, position: 4 });
  const again = await implementer("POST", `${path}/missing`, mark);
  assert.deepEqual([again.status, rulesOf(again)], [409, ["household-not-missing"]]);
  const replaced = await implementer("POST", `${path}/replacements`, mark);
  assert.deepEqual([replaced.status, rulesOf(replaced)], [409, ["household-not-missing"]]);
  const filed = await implementer("POST", "/claims", {
    type: "KPTClaim",
    campaignId: campaign.campaignId,
    householdId,
    testGroup: "intervention",
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-03" },
    fuelMeasurements: { total: 3, dailyLogs: [1, 1, 1] },
    externalFactors: { season: "dry", culturalEvents: [] },
  });
  assert.ok(rulesOf(filed).includes("random-selection-verified"));
  const { groups, openPositions } = (await implementer("GET", path)).body as CampaignResponse;
  assert.deepEqual([openPositions, groups.intervention.missing], [19, 1]);
  assert.partialDeepStrictEqual(groups.intervention.missingHouseholds, [{ householdId, reason: "other" }]);
  assert.equal((await implementer("POST", `${path}/missing`, { ...mark, householdId: "did:x:nobody" })).status, 400);
});

test("certifies the lower figure once more than one household in twenty is missing", async () => {
  const changes = { planId: countedPlanId, sampleSize: 32, emissions: given };
  const body = await registerFrames(registry.admin, exampleCampaign(changes, 40));
  const campaign = await drawnWithDevices(implementer, body, party);
  const fuel = (mean: number) => Array.from({ length: 30 }, (_, i) => [mean + (i % 3) / 100, mean, mean]);
  await claim(campaign, "reference", fuel(6));
  await claim(campaign, "intervention", [...fuel(3), [3, 3, 3]]);
  const path = `/campaigns/${campaign.campaignId}`;
  const markAs = async (group: "reference" | "intervention", position: number) => {
    const householdId = campaign.groups[group].sample[position];
    requireStatus(await implementer("POST", `${path}/missing`, { group, householdId, reason: "moved" }), 201);
  };
  await markAs("intervention", 31);
  await markAs("reference", 30);
  const almost = (await resultOf(implementer, campaign.campaignId)).emissions.reductions[0]?.certifiable;
  assert.deepEqual(
    almost?.problems.map(({ rule }) => rule),
    ["sample-complete"],
  );
  await markAs("reference", 31);
  const closed = (await close(campaign.campaignId)).body as CampaignResultResponse;
  const [smec] = closed.emissions.reductions;
  const low = closed.sensitivity.reductions[0]?.er ?? 0;
  assert.ok(low > 0 && low < (smec?.er ?? 0), `${low} is less than ${smec?.er}`);
  assert.deepEqual(smec?.certifiable, { er: low, basis: "sensitivity", problems: [] });
  const path2 = `${path}/certificate`;
  const certificate = requireStatus(await regulator("POST", path2, certificateOf(campaign)), 201).body;
  assert.equal((certificate as CampaignCertificate).verifiedReduction, Math.floor(low * 1e9) / 1e6);
});

test("refuses a second campaign over the same households and period while the first is open, and names it ever after", async () => {
  const body = await registerFrames(registry.admin, exampleCampaign({}, 5));
  requireStatus(await implementer("POST", "/campaigns", body), 201);
  const second = {
    ...body,
    campaignId: `${body.campaignId}-again`,
    testPeriod: { startDate: "2024-02-04", endDate: "2024-02-08" },
  };
  const refused = await implementer("POST", "/campaigns", second);
  assert.deepEqual([refused.status, rulesOf(refused)], [409, ["sibling-open"]]);
  assert.match(JSON.stringify(refused.body), new RegExp(body.campaignId));
  const apart = {
    ...second,
    campaignId: `${body.campaignId}-later`,
    testPeriod: { startDate: "2024-02-05", endDate: "2024-02-08" },
  };
  requireStatus(await implementer("POST", "/campaigns", apart), 201);
  const swapped = {
    ...second,
    campaignId: `${body.campaignId}-swapped`,
    groups: {
      reference: body.groups.intervention,
      intervention: { frame: householdDids(`${body.campaignId}-new`, 5) },
    },
  };
  await registerHouseholds(registry.admin, swapped.groups.intervention.frame);
  assert.equal((await implementer("POST", "/campaigns", { ...swapped, testPeriod: body.testPeriod })).status, 409);

  const path = `/campaigns/${body.campaignId}`;
  requireStatus(await implementer("POST", `${path}/draw`), 200);
  assert.equal((await implementer("POST", `${path}/abandonment`, {})).status, 400);
  const abandoned = requireStatus(await implementer("POST", `${path}/abandonment`, { reason: "the rains came" }), 201);
  assert.partialDeepStrictEqual(abandoned.body, { status: "abandoned", abandonment: { reason: "the rains came" } });
  assert.equal((await implementer("POST", `${path}/abandonment`, { reason: "again" })).status, 409);
  assert.equal((await implementer("POST", `${path}/close`, {})).status, 409);
  assert.equal((await implementer("POST", `${path}/draw`)).status, 409);
  const { body: later } = requireStatus(
    await implementer("POST", "/campaigns", { ...second, testPeriod: body.testPeriod }),
    201,
  );
  const named = (each: { campaignId: string; status: string }) => `${each.campaignId} ${each.status}`;
  // The one at another time of the year is named as well, and need not end first.
  const siblings = [`${body.campaignId} abandoned`, `${apart.campaignId} committed`];
  assert.deepEqual((later as CampaignResponse).siblings.map(named), siblings);
  const result = await resultOf(implementer, second.campaignId);
  assert.deepEqual(result.siblings, [
    {
      campaignId: body.campaignId,
      status: "abandoned",
      discardedBy: registry.deps.chain.senders.operator.address,
    },
    { campaignId: apart.campaignId, status: "committed", isRival: false },
  ]);
  assert.ok(!JSON.stringify(result.emissions).includes("siblings-ended"));
});

test("refuses the second campaign under another plan too, and names one of another implementer", async () => {
  const body = await registerFrames(registry.admin, exampleCampaign({}, 5));
  requireStatus(await implementer("POST", "/campaigns", body), 201);
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  for (const [plan, did] of Object.entries({ "PLAN-SECOND": implementerDid, "PLAN-OTHER": otherImplementerDid })) {
    requireStatus(
      await registry.admin("POST", "/monitoring-plans", { planId: plan, implementerDid: did, period }),
      201,
    );
  }
  const under = (plan: string) => ({ ...body, planId: plan, campaignId: `${body.campaignId}-${plan}` });
  const refused = await implementer("POST", "/campaigns", under("PLAN-SECOND"));
  assert.deepEqual([refused.status, rulesOf(refused)], [409, ["sibling-open"]]);
  // Anybody could commit one to hold this campaign up.
  const other = under("PLAN-OTHER");
  requireStatus(await registry.admin("POST", "/campaigns", other), 201);
  const path = `/campaigns/${body.campaignId}`;
  requireStatus(await implementer("POST", `${path}/draw`), 200);
  const result = await resultOf(implementer, body.campaignId);
  assert.deepEqual(result.siblings, [{ campaignId: other.campaignId, status: "committed", isRival: false }]);
  requireStatus(await implementer("POST", `${path}/abandonment`, { reason: "the rains came" }), 201);
  const later = requireStatus(await implementer("POST", "/campaigns", under("PLAN-SECOND")), 201)
    .body as CampaignResponse;
  assert.deepEqual(
    later.siblings.map(({ campaignId, status }) => [campaignId, status]),
    [
      [body.campaignId, "abandoned"],
      [other.campaignId, "committed"],
    ],
  );
});

test("lets only the first of two campaigns draw that were committed at one moment", async () => {
  const body = await registerFrames(registry.admin, exampleCampaign({}, 5));
  const twin = { ...body, campaignId: `${body.campaignId}-twin` };
  const answers = await Promise.all([body, twin].map((each) => implementer("POST", "/campaigns", each)));
  const made = answers.filter(({ status }) => status === 201).map(({ body: each }) => each as CampaignResponse);
  const [first, ...others] = made.sort((a, b) => a.index - b.index);
  for (const { campaignId } of others) {
    const refused = await implementer("POST", `/campaigns/${campaignId}/draw`);
    assert.deepEqual([refused.status, rulesOf(refused)], [409, ["sibling-open"]]);
  }
  requireStatus(await implementer("POST", `/campaigns/${first?.campaignId}/draw`), 200);
});

test("certifies no result whose draw one party alone could have chosen", async () => {
  const body = await registerFrames(registry.admin, exampleCampaign({ sampleSize: 3, emissions: given }, 3));
  const campaign = await drawnCampaign(implementer, body);
  await claim(campaign, "reference", saved.reference);
  await claim(campaign, "intervention", saved.intervention);
  const path = `/campaigns/${campaign.campaignId}`;
  const closed = (await close(campaign.campaignId)).body as CampaignResultResponse;
  for (const { certifiable } of closed.emissions.reductions) {
    assert.equal(certifiable.er, null);
    assert.ok(certifiable.problems.some(({ rule }) => rule === "draw-by-two-parties"));
  }
  const certified = await regulator("POST", `${path}/certificate`, certificateOf(campaign));
  assert.equal(certified.status, 400);
  assert.ok(rulesOf(certified).includes("draw-by-two-parties"));
});

test("names a campaign of another year over the same households as a sibling where the vintage is the same", async () => {
  const body = await registerFrames(
    implementer,
    exampleCampaign(
      { testPeriod: { startDate: "2023-02-01", endDate: "2023-02-04" }, emissions: { vintage: 2024 } },
      5,
    ),
  );
  requireStatus(await implementer("POST", "/campaigns", body), 201);
  const later = { ...body, testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04" } };
  const siblingsOf = async (campaignId: string, emissions: object) => {
    const answer = await implementer("POST", "/campaigns", { ...later, campaignId, emissions });
    return (requireStatus(answer, 201).body as CampaignResponse).siblings.map((each) => each.campaignId);
  };
  const same = `${body.campaignId}-same`;
  assert.deepEqual(await siblingsOf(same, {}), [body.campaignId]);
  requireStatus(await implementer("POST", `/campaigns/${same}/abandonment`, { reason: "the rains came" }), 201);
  assert.deepEqual(await siblingsOf(`${body.campaignId}-next`, { vintage: 2025 }), [same]);
});

test("takes a vintage next to the years of the test only, and certifies none that has not begun", async () => {
  const body = await registerFrames(implementer, exampleCampaign({}, 5));
  const commit = (vintage: number, changes: object = {}) =>
    implementer("POST", "/campaigns", { ...body, emissions: { vintage }, ...changes });
  for (const vintage of [2022, 2026, 2031]) {
    const refused = await commit(vintage);
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["vintage-near-test"]]);
  }
  requireStatus(await commit(2025), 201);
  const path = `/campaigns/${body.campaignId}`;
  const amended = await implementer("POST", `${path}/amendments`, {
    reason: "a later year",
    emissions: { vintage: 2026 },
  });
  assert.deepEqual([amended.status, rulesOf(amended)], [400, ["vintage-near-test"]]);
  requireStatus(await implementer("POST", `${path}/abandonment`, { reason: "the rains came" }), 201);

  const year = new Date(Number(await registry.deps.chain.now()) * 1000).getUTCFullYear();
  const testPeriod = { startDate: `${year}-02-01`, endDate: `${year}-02-04` };
  const campaignId = `${body.campaignId}-ahead`;
  requireStatus(await commit(year + 1, { campaignId, testPeriod }), 201);
  const { body: shown } = await regulator("GET", `/campaigns/${campaignId}/certifiability`);
  const rules = (shown as { problems: { rule: string }[] }).problems.map(({ rule }) => rule);
  assert.ok(rules.includes("vintage-has-begun"), JSON.stringify(rules));

  const measured = await measuredCampaign(given);
  await close(measured.campaignId);
  const certificate = certificateOf(measured, { vintage: 2022 });
  const refused = await regulator("POST", `/campaigns/${measured.campaignId}/certificate`, certificate);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["vintage-near-test"]]);
});

test("makes one certificate of a household's year, whichever campaign measured it", async () => {
  const first = await measuredCampaign(given);
  await close(first.campaignId);
  requireStatus(await regulator("POST", `/campaigns/${first.campaignId}/certificate`, certificateOf(first)), 201);
  const groups = {
    reference: { frame: householdDids(`${first.campaignId}-other`, 3) },
    intervention: { frame: first.groups.intervention.sample },
  };
  const testPeriod = { startDate: "2024-06-01", endDate: "2024-06-03" };
  const campaignId = `${first.campaignId}-wet`;
  await registerHouseholds(registry.admin, groups.reference.frame, `${first.planId}-wet`);
  const second = await drawnWithDevices(
    implementer,
    {
      ...exampleCampaign(),
      campaignId,
      planId: first.planId,
      sampleSize: 3,
      groups,
      testPeriod,
      emissions: given,
    } as never,
    party,
  );
  await claim(second, "reference", saved.reference, testPeriod);
  await claim(second, "intervention", saved.intervention, testPeriod);
  await close(campaignId);
  const refused = await regulator("POST", `/campaigns/${campaignId}/certificate`, certificateOf(second));
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["household-period-certified-once"]]);
});

/** The operation's answer, once it ended well. */
async function ended(answer: Answer): Promise<unknown> {
  const { url } = requireStatus(answer, 202).body as { url: string };
  for (let i = 0; i < 1_200; i++) {
    const operation = (await registry.admin("GET", url.replace("/v1", ""))).body as { status: string; result: unknown };
    if (operation.status === "succeeded") return operation.result;
    assert.ok(["queued", "running"].includes(operation.status), JSON.stringify(operation));
    await sleep(100);
  }
  throw new Error("The operation did not end.");
}

// 8 193 households take a while to register.
const isLong = process.env.HEARTH_LONG === "1";
test("links a certificate whose allocation takes several transactions once they are mined", {
  skip: !isLong,
}, async () => {
  const campaign = await measuredCampaign(given);
  const { campaignId } = campaign;
  const closed = (await close(campaignId)).body;
  const [smec] = (closed as CampaignResultResponse).emissions.reductions;
  const dids = householdDids("large", 8_193);
  await ended(
    await registry.admin("POST", "/households/import", ["did", ...dids].join("\n"), { "content-type": "text/csv" }),
  );
  const shares = equalShares(BigInt(Math.floor((smec?.er ?? 0) * 1e9)), dids.length);
  const allocations = dids.map((householdDid, i) => ({ householdDid, amount: Number(shares[i]) / 1e6 }));
  const body = certificateOf(campaign, { allocations });
  const path = `/campaigns/${campaignId}/certificate`;
  const once = { "Idempotency-Key": `large-${campaignId}` };
  const result = await ended(await regulator("POST", path, body, once));
  assert.partialDeepStrictEqual(result, { certificateId: body.certificateId });
  assert.equal((await resultOf(regulator, campaignId)).closing?.certificateId, body.certificateId);
  const { status } = (await regulator("GET", `/certificates/${body.certificateId}`)).body as { status: string };
  assert.equal(status, "valid");
  assert.equal((await regulator("POST", path, body)).status, 409);
  // The frame's households are reserved too, although the allocation is for others.
  const { db, registry: participants } = registry.deps;
  const frame = await participants.households.byDids(campaign.groups.intervention.sample);
  const counted = {
    certificateId: "CERT-of-another",
    households: new Set([...frame.values()].map(({ household }) => household)),
    vintage: 2024,
    period: { startDate: "2024-01-01", endDate: "2024-12-31" },
    isOfCampaign: false,
    isUnallocated: false,
    implementer: 0,
  };
  assert.deepEqual(await certificatesReserving(db, counted, 0), [body.certificateId]);
});
