import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { repeatRoom } from "../../../../scripts/repeat/repeat-room.ts";
import { python, skip } from "../../../../test/second-opinion/python.ts";
import {
  claimsOf,
  exampleCampaign as describedCampaign,
  inventedTotals,
} from "../../../../test/support/campaign-result.ts";
import { exampleCampaign, implementerDid, registerFrames, registerPlans } from "../../../../test/support/campaigns.ts";
import { testAdminKey } from "../../../../test/support/core.ts";
import {
  type Caller,
  openRegistryTest,
  type RegistryTest,
  requireStatus,
  rulesOf,
} from "../../../../test/support/registry.ts";
import { drawByTwoParties, openSecondParty, type SecondParty } from "../../../../test/support/second-party.ts";
import { decimal, type ProfileId } from "../../emissions/index.ts";
import { resultOf } from "../result/result.ts";
import type { CampaignResultResponse } from "../result/schemas.ts";
import type { CampaignResponse } from "../schemas.ts";
import { confidenceOf } from "./terms.ts";

let registry: RegistryTest;
let implementer: Caller;
let party: SecondParty;
before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  party = await openSecondParty(registry.world);
});
after(() => registry?.close());

test("proposes the sample of a profile, at least 30, with what may drop out", async () => {
  const sizeOf = async (query: string) => {
    const answer = await registry.admin("GET", `/campaigns/sample-size?population=10000&${query}`);
    const { sampleSize, level, precision } = requireStatus(answer, 200).body as Record<string, number>;
    return [sampleSize, level, precision];
  };
  assert.deepEqual(await sizeOf("coefficientOfVariation=0.5"), [68, 0.9, 0.1]);
  assert.deepEqual(await sizeOf("coefficientOfVariation=0.5&profile=90/10"), [68, 0.9, 0.1]);
  assert.deepEqual(await sizeOf("coefficientOfVariation=0.5&profile=90/30"), [30, 0.9, 0.3]);
  assert.deepEqual(await sizeOf("coefficientOfVariation=0.5&profile=95/5"), [370, 0.95, 0.05]);
  assert.deepEqual(await sizeOf("coefficientOfVariation=0.5&profile=90/10&dropOut=0.15"), [80, 0.9, 0.1]);
  const refused = await registry.admin(
    "GET",
    "/campaigns/sample-size?population=9&profile=90/10&precision=0.2&dropOut=0.6",
  );
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["precision-once", "range"]]);
  const alone = await registry.admin("GET", "/campaigns/sample-size?population=9&dropOut=0.1");
  assert.deepEqual([alone.status, rulesOf(alone)], [400, ["profile-given"]]);
});

const campaignOf = async (changes: Record<string, unknown>, size = 40) => {
  const { sampleSize: _, ...body } = await registerFrames(registry.admin, exampleCampaign(changes, size));
  return "sampleSize" in changes ? { ...body, sampleSize: changes.sampleSize } : body;
};

test("commits a profile with its figures, and plans the sample by it", async () => {
  const sampling = { profile: "90/10", coefficientOfVariation: 0.2, dropOut: 0.1 };
  const body = await campaignOf({ sampling });
  const made = requireStatus(await implementer("POST", "/campaigns", body), 201).body as CampaignResponse;
  assert.deepEqual(made.sampling, { ...sampling, secondParty: null, paired: null, strata: null });
  assert.deepEqual(made.confidence, { level: 0.9, precision: 0.1, convention: "two-sided-90" });
  // 30 at least, of which a tenth may drop out.
  assert.equal(made.sampleSize, 34);
  const path = `/campaigns/${body.campaignId}/amendments`;
  const amended = requireStatus(
    await implementer("POST", path, { reason: "surer", sampling: { profile: "95/5" } }),
    400,
  );
  assert.deepEqual(rulesOf(amended), ["sample-meets-profile"]);
  const surer = { profile: "95/5", coefficientOfVariation: 0.08 };
  const changed = requireStatus(await implementer("POST", path, { reason: "surer", sampling: surer }), 201)
    .body as CampaignResponse;
  assert.deepEqual(changed.sampling, { ...surer, dropOut: 0, secondParty: null, paired: null, strata: null });
  assert.deepEqual(changed.confidence, { level: 0.95, precision: 0.05, convention: "two-sided-95" });
  const twice = await implementer("POST", path, { reason: "other", confidence: { precision: 0.2 } });
  assert.deepEqual([twice.status, rulesOf(twice)], [400, ["precision-once"]]);
});

test("refuses a profile that is looser than the method, a smaller sample, and a second statement of the precision", async () => {
  const body = await campaignOf({
    sampleSize: 20,
    confidence: { precision: 0.1 },
    emissions: { method: "smec-4" },
    sampling: { profile: "90/30", secondParty: registry.deps.chain.senders.operator.address },
  });
  const refused = await implementer("POST", "/campaigns", body);
  assert.deepEqual(
    [refused.status, rulesOf(refused)],
    [400, ["party-independent", "precision-once", "profile-meets-method", "sample-meets-profile"]],
  );
  const fits = await campaignOf({ emissions: { method: "tpddtec-4" }, sampling: { profile: "90/30" } });
  const made = requireStatus(await implementer("POST", "/campaigns", fits), 201).body as CampaignResponse;
  assert.equal(made.sampleSize, 30);
});

test("draws only with the second party that the terms commit", async () => {
  const other = await openSecondParty(registry.world);
  const body = await campaignOf({ sampling: { profile: "90/10", secondParty: party.account } });
  requireStatus(await implementer("POST", "/campaigns", body), 201);
  const alone = await implementer("POST", `/campaigns/${body.campaignId}/draw`);
  assert.deepEqual([alone.status, rulesOf(alone)], [409, ["party-committed"]]);
  await assert.rejects(drawByTwoParties(other, implementer, body.campaignId), /party-committed/);
  const drawn = await drawByTwoParties(party, implementer, body.campaignId);
  assert.equal(drawn.draw?.twoParties, true);
  assert.equal(drawn.drawParties.secondParty?.account, party.account);
});

const phases = {
  before: { startDate: "2024-02-01", endDate: "2024-02-03" },
  after: { startDate: "2024-02-10", endDate: "2024-02-12" },
};
const pairedPeriod = { startDate: "2024-02-01", endDate: "2024-02-12" };

async function pairedCampaign(count: number, changes: object = {}) {
  const body = await campaignOf(
    { testPeriod: pairedPeriod, sampling: { profile: "90/10", paired: phases }, ...changes },
    count,
  );
  return { ...body, groups: { reference: body.groups.reference, intervention: body.groups.reference } };
}

test("refuses phases that are unequal, overlap or leave the period, and frames with other households", async () => {
  const paired = { before: phases.before, after: { startDate: "2024-02-03", endDate: "2024-02-13" } };
  const body = await campaignOf({ testPeriod: pairedPeriod, sampling: { profile: "90/10", paired } }, 2);
  const refused = await implementer("POST", "/campaigns", body);
  assert.equal(refused.status, 400);
  assert.deepEqual(
    (refused.body as { details: { path: string; rule: string }[] }).details.map(({ path, rule }) => `${path} ${rule}`),
    [
      "groups.reference.frame.0 pair-complete",
      "groups.reference.frame.1 pair-complete",
      "groups.intervention.frame.0 pair-complete",
      "groups.intervention.frame.1 pair-complete",
      "sampling.paired.after phase-in-period",
      "sampling.paired.after dates-ordered",
      "sampling.paired.after phases-equal",
    ],
  );
});

const evidence = "https://x.example/door.jpg";

test("measures the same households before and after, replaces pairs, and judges the differences", async () => {
  const emissions = { method: "tpddtec-4", fuel: "wood", area: "ZMB", units: 100, usage: 1, householdSize: 4 };
  const body = await pairedCampaign(32, { emissions, sampleSize: 30 });
  requireStatus(await implementer("POST", "/campaigns", body), 201);
  let campaign = await drawByTwoParties(party, implementer, body.campaignId);
  const path = `/campaigns/${body.campaignId}`;
  assert.deepEqual(campaign.groups.intervention.sample, campaign.groups.reference.sample);
  const [moved = ""] = campaign.groups.reference.sample;
  requireStatus(
    await implementer("POST", `${path}/replacements`, {
      group: "intervention",
      householdId: moved,
      reason: "moved",
      evidence,
    }),
    201,
  );
  campaign = requireStatus(await implementer("GET", path), 200).body as CampaignResponse;
  assert.deepEqual(campaign.groups.intervention.sample, campaign.groups.reference.sample);
  assert.ok(!campaign.groups.reference.sample.includes(moved));
  const file = (householdId: string, testGroup: string, grams: number, testPeriod?: object) =>
    implementer("POST", "/claims", {
      type: "KPTClaim",
      campaignId: body.campaignId,
      householdId,
      testGroup,
      testPeriod,
      fuelMeasurements: { total: (3 * grams) / 1_000, dailyLogs: [grams, grams, grams].map((each) => each / 1_000) },
      externalFactors: { season: "dry", culturalEvents: [], occupationalFactors: [] },
    });
  const [first = ""] = campaign.groups.reference.sample;
  const early = await file(first, "reference", 5_000, phases.after);
  assert.deepEqual([early.status, rulesOf(early)], [400, ["timing-aligned"]]);
  requireStatus(await file(first, "reference", 3_000), 201);
  for (const group of ["reference", "intervention"]) {
    const late = await implementer("POST", `${path}/replacements`, {
      group,
      householdId: first,
      reason: "moved",
      evidence,
    });
    assert.deepEqual([late.status, rulesOf(late)], [409, ["household-unmeasured"]], group);
  }
  const kept = requireStatus(await implementer("GET", path), 200).body as CampaignResponse;
  assert.deepEqual(kept.groups, { ...campaign.groups, reference: { ...campaign.groups.reference, claims: 1 } });
  // Before, households differ much; each saves two kilograms, and a little more or less.
  for (const [i, householdId] of campaign.groups.reference.sample.entries()) {
    const before = 3_000 + 400 * i;
    if (i > 0) requireStatus(await file(householdId, "reference", before), 201);
    requireStatus(await file(householdId, "intervention", before - 2_000 + 10 * (i % 3)), 201);
  }
  requireStatus(await implementer("POST", `${path}/close`, {}), 200);
  const result = requireStatus(await implementer("GET", `${path}/result`), 200).body as CampaignResultResponse;
  assert.deepEqual(result.sampling?.paired, phases);
  assert.deepEqual([result.groups.reference.n, result.groups.intervention.n], [30, 30]);
  const { mean, precision, degreesOfFreedom } = result.saving;
  assert.deepEqual([mean, degreesOfFreedom], [1.99, 29]);
  assert.ok((precision ?? 1) < 0.01, "differences of pairs vary little");
  const reduction = result.emissions.reductions.find(({ method }) => method === "tpddtec-4");
  const line = reduction?.lines?.find(({ source }) => /of the saving/.test(source));
  assert.match(line?.source ?? "", /^mean of the saving/);
  assert.ok((reduction?.er ?? 0) > 0);
  const folder = await mkdtemp(join(tmpdir(), "hearth-pairs-"));
  try {
    const room = join(folder, "room.zip");
    const headers = { authorization: `Bearer ${testAdminKey}` };
    const answer = await registry.app.request(`/v1${path}/data-room`, { headers });
    await writeFile(room, Buffer.from(await answer.arrayBuffer()));
    const { anvil, contracts } = registry.world;
    const node = { rpc: anvil.url, contract: contracts.addresses.campaigns };
    const { steps, faults } = await repeatRoom(room, "room.zip", { node });
    assert.equal(faults, 0, JSON.stringify(steps.filter((step) => step.faults.length + step.differences.length > 0)));
    if (skip === false) assert.deepEqual(JSON.parse((await python("rooms.py", [room])).toString()), [[]]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a pair that only one group still has counts as missing in the other", () => {
  const paired = { ...phases };
  const sampling = { profile: "90/10", coefficientOfVariation: "0.5", dropOut: "0", paired } as const;
  const campaign = describedCampaign({ sampling, frameSizes: { reference: 31, intervention: 31 } });
  const before = inventedTotals(31, { mean: 6_000, deviation: 900 });
  const after = before.slice(0, 30).map((grams) => grams - 9_000);
  const [smec] = resultOf(
    campaign,
    [...claimsOf("reference", before), ...claimsOf("intervention", after)],
    () => null,
  ).reductions;
  assert.deepEqual(smec?.broken, []);
  assert.ok(smec?.reduction?.er.gt(0));
});

test("a committed precision that is stricter than the method's decides between the mean and its bound", () => {
  const claims = [
    ...claimsOf("reference", inventedTotals(40, { mean: 6_000, deviation: 1_200 })),
    ...claimsOf("intervention", inventedTotals(40, { mean: 3_000, deviation: 700, seed: 2 })),
  ];
  const erOf = (profile?: ProfileId) => {
    const { precision, convention } = confidenceOf(profile ?? "90/10");
    const sampling = profile && { profile, coefficientOfVariation: "0.5", dropOut: "0" };
    const campaign = describedCampaign({ precision: decimal(precision), convention, sampling });
    const [smec] = resultOf(campaign, claims, () => null).reductions;
    return smec?.reduction?.er ?? assert.fail();
  };
  assert.ok(erOf("90/10").eq(erOf()));
  assert.ok(erOf("95/5").lt(erOf()));
});
