import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { repeatRoom } from "../../../../scripts/repeat/repeat-room.ts";
import {
  drawnCampaign,
  exampleCampaign,
  householdDids,
  otherImplementerDid,
  registerOwnPlan,
} from "../../../../test/support/campaigns.ts";
import { type ClosedScene, certifiableTerms, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { registerDevices, surveyDevices } from "../../../../test/support/devices.ts";
import { type Caller, registerHouseholds, requireStatus, rulesOf } from "../../../../test/support/registry.ts";
import { openSecondParty, type SecondParty } from "../../../../test/support/second-party.ts";
import type { CampaignResponse } from "../schemas.ts";
import type { CampaignResultResponse, CertifiabilityResponse } from "./schemas.ts";

let scene: ClosedScene;
let evaluator: Caller;
let party: SecondParty;
before(async () => {
  scene = await openClosedScene();
  evaluator = await scene.registry.as("evaluator");
  party = await openSecondParty(scene.registry.world);
});
after(() => scene?.close());

const groups = ["reference", "intervention"] as const;
type Group = (typeof groups)[number];
type Sizes = Record<Group, { men: number; women: number; children: number; elderly: number }>;

type Choice = { sizes?: Sizes; frameSize?: number; days?: number; leavesOut?: boolean };

/**
 * A drawn campaign of three households a group, which are all of its plan and region; with `leavesOut` there is one more with a device. With `sizes` the members of every household are registered.
 */
async function open({ sizes, frameSize = 3, leavesOut = false, ...changes }: Choice = {}) {
  const testPeriod = { startDate: "2024-02-01", endDate: "2024-02-28" };
  const terms = { sampleSize: 3, emissions: certifiableTerms, testPeriod };
  const example = exampleCampaign({ ...terms, ...changes }, frameSize);
  const planId = await registerOwnPlan(scene.registry, example.campaignId);
  const body = { ...example, planId };
  for (const group of groups) {
    const { frame } = body.groups[group];
    if (sizes === undefined && group === "reference") await registerHouseholds(scene.registry.admin, frame, planId);
    else {
      const householdSize = sizes?.[group] ?? { men: 1, women: 1, children: 2, elderly: 0 };
      for (const did of frame) {
        requireStatus(await scene.registry.admin("POST", "/households", { did, region: planId, householdSize }), 201);
      }
    }
  }
  const others = leavesOut ? householdDids(`${body.campaignId}-out`, 1) : [];
  if (leavesOut) await registerHouseholds(scene.registry.admin, others, planId);
  const households = [...body.groups.intervention.frame, ...others];
  await registerDevices(scene.implementer, { planId, households });
  return drawnCampaign(scene.implementer, body, party);
}

type Measured = { group: Group; position: number; kilograms: number; firstDay?: number };
async function claim(
  { campaignId, groups: drawn }: CampaignResponse,
  { group, position, kilograms, firstDay = 1 }: Measured,
  call = scene.implementer,
): Promise<string> {
  const body = {
    type: "KPTClaim",
    campaignId,
    householdId: drawn[group].sample[position],
    testGroup: group,
    testPeriod: { startDate: `2024-02-0${firstDay}`, endDate: `2024-02-0${firstDay + 2}` },
    fuelMeasurements: { total: Number((3 * kilograms).toFixed(3)), dailyLogs: [kilograms, kilograms, kilograms] },
    externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical"] },
  };
  return (requireStatus(await call("POST", "/claims", body), 201).body as { id: string }).id;
}

async function claims(campaign: CampaignResponse, values: Record<Group, number[]>, call = scene.implementer) {
  const ids: Record<Group, string[]> = { reference: [], intervention: [] };
  for (const group of groups) {
    for (const [position, kilograms] of values[group].entries()) {
      // Both groups share the third day, and leave days for further claims.
      const firstDay = group === "reference" ? 1 : 3;
      ids[group].push(await claim(campaign, { group, position, kilograms, firstDay }, call));
    }
  }
  return ids;
}

const revoke = async (id: string) =>
  requireStatus(await evaluator("POST", `/claims/${encodeURIComponent(id)}/revoke`, { reason: "wrong scale" }), 200);

async function close({ campaignId }: CampaignResponse, call = scene.implementer): Promise<CampaignResultResponse> {
  await surveyDevices(call, campaignId);
  const closed = await call("POST", `/campaigns/${campaignId}/close`, {});
  return requireStatus(closed, 200).body as CampaignResultResponse;
}

let serial = 3_000_000;
async function certificateAnswer({ campaignId }: CampaignResponse) {
  await scene.verify(campaignId);
  serial += 100;
  const underlyingUnits = { registry: "Gold Standard", firstSerial: serial, lastSerial: serial + 99 };
  const body = { certificateId: `CERT-${campaignId}`, activityId: "ACT-KPT", underlyingUnits };
  return scene.regulator("POST", `/campaigns/${campaignId}/certificate`, body);
}

const flagsOf = ({ flags }: CampaignResultResponse) =>
  flags.map(({ group, rule, positions }) => [group, rule, ...positions].join(" "));
const flaggedBy = (result: CampaignResultResponse, rule: string) =>
  flagsOf(result).filter((flag) => flag.split(" ")[1] === rule);

test("shows a second claim of a household, and certifies none where the terms fix the days", async () => {
  const values = { reference: [5, 5.1, 4.9], intervention: [4, 4.1, 3.9] };
  for (const [days, expected] of [
    [undefined, [201, []]],
    [3, [400, ["one-claim-of-fixed-days", "one-claim-of-fixed-days"]]],
  ] as const) {
    const campaign = await open(days === undefined ? {} : { days });
    await claims(campaign, values);
    for (const group of groups) {
      for (const [position, kilograms] of values[group].entries()) {
        await claim(campaign, { group, position, kilograms, firstDay: group === "reference" ? 4 : 6 });
      }
    }
    const result = await close(campaign);
    assert.deepEqual(flaggedBy(result, "measured-again"), ["reference measured-again", "intervention measured-again"]);
    assert.notEqual(result.emissions.reductions[0]?.er, null);
    const answer = await certificateAnswer(campaign);
    assert.deepEqual([answer.status, answer.status === 201 ? [] : rulesOf(answer)], expected);
  }
});

test("records, flags and does not certify households that were measured again after their claims were revoked", async () => {
  const campaign = await open();
  const ids = await claims(campaign, { reference: [5.9, 6, 6.1], intervention: [2.9, 3, 3.1] });
  const [first, , third] = ids.reference as [string, string, string];
  await revoke(first);
  await revoke(third);
  const again = await claim(campaign, { group: "reference", position: 0, kilograms: 6.3 });
  await revoke(again);
  await claim(campaign, { group: "reference", position: 0, kilograms: 6.2 });
  await claim(campaign, { group: "reference", position: 2, kilograms: 6.1, firstDay: 4 });
  const result = await close(campaign);
  assert.deepEqual(result.groups.reference.remeasured, [
    { position: 0, claimIds: [first, again].sort() },
    { position: 2, claimIds: [third] },
  ]);
  assert.deepEqual(result.groups.intervention.remeasured, []);
  assert.deepEqual(flaggedBy(result, "measured-after-revocation"), ["reference measured-after-revocation 0 2"]);
  const answer = await certificateAnswer(campaign);
  assert.deepEqual([answer.status, rulesOf(answer)], [400, ["remeasured-at-most-tenth"]]);
});

const family = { men: 6, women: 6, children: 2, elderly: 0 };
const single = { men: 1, women: 0, children: 0, elderly: 0 };
/** The terms state 4.5 people, which may not be above the registered mean. */
const five = { men: 2, women: 2, children: 1, elderly: 0 };

test("does not certify the saving of small households that is none of a standard adult, and flags picked groups", async () => {
  const campaign = await open({ sizes: { reference: family, intervention: single }, leavesOut: true });
  await claims(campaign, { reference: [11.9, 12, 12.1], intervention: [2.9, 3, 3.1] });
  const result = await close(campaign);
  assert.deepEqual(flaggedBy(result, "frame-is-sample"), ["reference frame-is-sample", "intervention frame-is-sample"]);
  assert.deepEqual(flaggedBy(result, "household-sizes-differ"), ["reference household-sizes-differ"]);
  const answer = await certificateAnswer(campaign);
  assert.deepEqual([answer.status, rulesOf(answer)], [400, ["saving-per-adult-positive", "small-frame-complete"]]);

  const alike = await open({ sizes: { reference: five, intervention: five } });
  await claims(alike, { reference: [5.9, 6, 6.1], intervention: [2.9, 3, 3.1] });
  const fair = await close(alike);
  assert.deepEqual(
    flagsOf(fair).filter((flag) => flag.includes("household-sizes-differ")),
    [],
  );
  assert.equal((await certificateAnswer(alike)).status, 201);
});

test("certifies a frame below the minimum sample only if it has every household that could be in it", async () => {
  const picked = await open({ leavesOut: true });
  await claims(picked, { reference: [5.9, 6, 6.1], intervention: [2.9, 3, 3.1] });
  const path = `/campaigns/${picked.campaignId}/certifiability`;
  const preliminary = requireStatus(await scene.regulator("GET", path), 200).body as CertifiabilityResponse;
  const messages = preliminary.problems
    .filter(({ rule }) => rule === "small-frame-complete")
    .map(({ message }) => message);
  assert.equal(preliminary.er, null);
  assert.equal(messages.length, 1);
  assert.match(
    messages[0] ?? "",
    /^The intervention frame has 3 households, fewer than the 30 .* and leaves out 1 that/,
  );
  const result = await close(picked);
  assert.deepEqual(
    result.emissions.reductions.map(({ certifiable }) => certifiable.er),
    [null, null],
  );
  const answer = await certificateAnswer(picked);
  assert.deepEqual([answer.status, rulesOf(answer)], [400, ["small-frame-complete"]]);
  const { faults } = await repeated(picked.campaignId);
  assert.equal(faults, 0);

  // A household that got its device while the test ran could not be in the frame.
  const whole = await open();
  const late = `did:ixo:household/${whole.campaignId}-late`;
  await registerHouseholds(scene.registry.admin, [late], `${whole.planId} elsewhere`);
  await registerDevices(scene.implementer, {
    planId: whole.planId,
    households: [late],
    installedOn: "2024-02-02",
  });
  await claims(whole, { reference: [5.9, 6, 6.1], intervention: [2.9, 3, 3.1] });
  await close(whole);
  assert.equal((await certificateAnswer(whole)).status, 201);
});

/** Repeats the data room of a closed campaign. */
async function repeated(campaignId: string) {
  const folder = await mkdtemp(join(tmpdir(), "hearth-chosen-"));
  try {
    const path = join(folder, "room.zip");
    await writeFile(path, await scene.dataRoom(campaignId));
    const { anvil, contracts } = scene.registry.world;
    return await repeatRoom(path, "room.zip", { node: { rpc: anvil.url, contract: contracts.addresses.campaigns } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("names campaigns of other implementers over the same households in the same year as siblings of both and of the certificate", async () => {
  const first = await open();
  await claims(first, { reference: [5, 5.1, 4.9], intervention: [3, 3.1, 2.9] });
  await close(first);
  const other = await scene.registry.as("implementer", { implementerDid: otherImplementerDid });
  const period = { startDate: "2023-01-01", endDate: "2025-12-31" };
  const plan = { planId: "PLAN-OTHER", implementerDid: otherImplementerDid, period };
  requireStatus(await scene.registry.admin("POST", "/monitoring-plans", plan), 201);
  const frames = {
    reference: { frame: first.groups.reference.sample },
    intervention: { frame: first.groups.intervention.sample },
  };
  const commit = async (testPeriod: object, emissions: object = {}) => {
    const changes = { planId: plan.planId, sampleSize: 3, testPeriod, groups: frames, emissions };
    const answer = await other("POST", "/campaigns", exampleCampaign(changes));
    return requireStatus(answer, 201).body as CampaignResponse;
  };
  const siblingsOf = async (campaignId: string) => {
    const { body } = requireStatus(await scene.registry.admin("GET", `/campaigns/${campaignId}`), 200);
    return (body as CampaignResponse).siblings.map((sibling) => sibling.campaignId);
  };
  const later = await commit({ startDate: "2024-05-01", endDate: "2024-05-04" });
  assert.deepEqual(
    later.siblings.map((sibling) => sibling.campaignId),
    [first.campaignId],
  );
  assert.deepEqual(await siblingsOf(first.campaignId), [later.campaignId]);
  const certificate = await certificateAnswer(first);
  assert.partialDeepStrictEqual(certificate, { status: 201, body: { siblings: [later.campaignId] } });
  const { hash } = (certificate.body as { credential: { hash: string } }).credential;
  const stored = await scene.registry.deps.certificates.store.credential(hash);
  const { vc } = JSON.parse(Buffer.from(stored?.token.split(".")[1] ?? "", "base64url").toString());
  assert.deepEqual(vc.credentialSubject.siblings, [later.campaignId]);
});
