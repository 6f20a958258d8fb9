import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  claimsOf,
  exampleCampaign as describedCampaign,
  inventedTotals,
} from "../../../../test/support/campaign-result.ts";
import { exampleCampaign, implementerDid, registerFrames, registerPlans } from "../../../../test/support/campaigns.ts";
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
  assert.deepEqual(made.sampling, { ...sampling, secondParty: null });
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
  assert.deepEqual(changed.sampling, { ...surer, dropOut: 0, secondParty: null });
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
