import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { otherImplementerDid } from "../../../../test/support/campaigns.ts";
import { type ClosedScene, certifiableTerms, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { createIssuer } from "../../../../test/support/credentials.ts";
import { type Caller, requireStatus, rulesOf } from "../../../../test/support/registry.ts";
import type { CertifiabilityResponse } from "./schemas.ts";

let scene: ClosedScene;
let evaluator: Caller;
const verifier = createIssuer();
before(async () => {
  scene = await openClosedScene();
  evaluator = await scene.registry.as("evaluator");
  const trusted = { did: verifier.did, credentialTypes: ["EmissionReductionCredential"] };
  requireStatus(await scene.registry.admin("POST", "/issuers", trusted), 201);
});
after(() => scene?.close());

async function certifiabilityOf(campaignId: string, call = evaluator): Promise<CertifiabilityResponse> {
  return requireStatus(await call("GET", `/campaigns/${campaignId}/certifiability`), 200)
    .body as CertifiabilityResponse;
}

let serial = 7_000_000;
async function certificateAnswer(campaignId: string) {
  serial += 100;
  const underlyingUnits = { registry: "Gold Standard", firstSerial: serial, lastSerial: serial + 99 };
  const body = { certificateId: `CERT-${campaignId}`, activityId: "ACT-KPT", underlyingUnits };
  return scene.regulator("POST", `/campaigns/${campaignId}/certificate`, body);
}

test("says for which reduction a certificate can be made, until there is one", async () => {
  const { campaignId } = await scene.closedCampaign();
  const found = await certifiabilityOf(campaignId);
  assert.partialDeepStrictEqual(found, {
    campaignId,
    status: "closed",
    method: "smec-4",
    basis: "measured",
    problems: [],
    certificateId: null,
  });
  const result = requireStatus(await evaluator("GET", `/campaigns/${campaignId}/result`), 200).body as {
    emissions: { reductions: { method: string; certifiable: { er: number } }[] };
  };
  assert.equal(found.er, result.emissions.reductions[0]?.certifiable.er);
  await scene.certify(campaignId);
  assert.partialDeepStrictEqual(await certifiabilityOf(campaignId), {
    er: found.er,
    problems: [],
    certificateId: `CERT-${campaignId}`,
  });
});

test("names every reason for which the certificate of a closed campaign is refused", async () => {
  const { campaignId } = await scene.closedCampaign({ sampleSize: 8 });
  const finding = { kind: "CL", text: "Which scale was used?" };
  requireStatus(await evaluator("POST", `/campaigns/${campaignId}/findings`, finding), 201);
  const refused = await certificateAnswer(campaignId);
  assert.equal(refused.status, 400);
  const { er, problems } = await certifiabilityOf(campaignId);
  assert.equal(er, null);
  assert.deepEqual(problems.map(({ rule }) => rule).sort(), rulesOf(refused));
  for (const rule of ["missing-at-most-tenth", "findings-closed", "data-room-verified"]) {
    assert.ok(
      problems.some((each) => each.rule === rule),
      rule,
    );
  }
});

test("names what an open campaign lacks, with the findings that are open already", async () => {
  const { campaignId } = await scene.openCampaign({ sampleSize: 4 });
  const finding = { kind: "CAR", text: "The frame has a village twice." };
  requireStatus(await evaluator("POST", `/campaigns/${campaignId}/findings`, finding), 201);
  const { status, er, problems } = await certifiabilityOf(campaignId);
  assert.deepEqual([status, er], ["drawn", null]);
  const rules = problems.map(({ rule }) => rule);
  for (const rule of ["campaign-closed", "sample-complete", "findings-closed"]) assert.ok(rules.includes(rule), rule);
});

test("names the certificate that the households of the same year are in", async () => {
  const first = await scene.closedCampaign();
  await scene.certify(first.campaignId);
  const { reference, intervention } = first.groups;
  const households = { reference: reference.sample, intervention: intervention.sample };
  const again = await scene.closedCampaign({ households, fuel: { reference: [], intervention: [] } });
  const { er, problems } = await certifiabilityOf(again.campaignId);
  assert.equal(er, null);
  const found = problems.find(({ rule }) => rule === "household-period-certified-once");
  assert.match(found?.message ?? "", new RegExp(`CERT-${first.campaignId}`));
});

test("makes no certificate of more units than households, unless devices are registered", async () => {
  const emissions = { ...certifiableTerms, units: 1_000_000, newUnits: 4 };
  const { campaignId } = await scene.closedCampaign({ emissions });
  const refused = await certificateAnswer(campaignId);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["units-within-frame", "units-within-frame"]]);
  assert.match(JSON.stringify(refused.body), /units 1000000, and the intervention frame has 3 households/);
  const { er, problems } = await certifiabilityOf(campaignId);
  assert.deepEqual([er, problems.map(({ path }) => path)], [null, ["emissions.units", "emissions.newUnits"]]);
});

test("makes no certificate of option B for more people than the measured households have", async () => {
  const register = async (group: string, householdSize?: object) =>
    Promise.all(
      [1, 2, 3].map(async (number) => {
        const did = `did:ixo:size/${group}/${number}`;
        requireStatus(await scene.registry.admin("POST", "/households", { did, householdSize }), 201);
        return did;
      }),
    );
  const optionB = (householdSize: number) => ({ ...certifiableTerms, baseline: "minimum-service", householdSize });
  const unknown = await scene.closedCampaign({ emissions: optionB(4) });
  const refused = await certificateAnswer(unknown.campaignId);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["household-size-on-record"]]);
  assert.match(JSON.stringify(refused.body), /members of 0 of the 3 measured reference households are registered/);

  const four = { men: 1, women: 1, children: 2, elderly: 0 };
  const frames = async (name: string) => ({
    reference: await register(`${name}/reference`, four),
    intervention: await register(`${name}/intervention`),
  });
  const crowded = await scene.closedCampaign({ emissions: optionB(40), households: await frames("crowded") });
  const { er, problems } = await certifiabilityOf(crowded.campaignId);
  assert.deepEqual([er, problems.map(({ rule }) => rule)], [null, ["household-size-on-record"]]);
  assert.match(problems[0]?.message ?? "", /householdSize 40, .* have 4 people on average/);

  const counted = await scene.closedCampaign({ emissions: optionB(4), households: await frames("counted") });
  assert.deepEqual((await certifiabilityOf(counted.campaignId)).problems, []);
});

test("is for those who may read findings", async () => {
  const { campaignId } = await scene.openCampaign();
  const path = `/campaigns/${campaignId}/certifiability`;
  const stranger = await scene.registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.equal((await stranger("GET", path)).status, 404);
  const supplier = await scene.registry.as("integrator", { scopes: ["campaigns:read"] });
  assert.equal((await supplier("GET", path)).status, 403);
});
