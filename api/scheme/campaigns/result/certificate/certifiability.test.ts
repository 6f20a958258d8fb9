import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { repeatRoom } from "../../../../../scripts/repeat/repeat-room.ts";
import { otherImplementerDid } from "../../../../../test/support/campaigns.ts";
import {
  type ClosedScene,
  certifiableTerms,
  openClosedScene,
  statedTerms,
} from "../../../../../test/support/closed-campaign.ts";
import { createIssuer } from "../../../../../test/support/credentials.ts";
import { registerDevices, surveyDevices } from "../../../../../test/support/devices.ts";
import {
  type Caller,
  exampleCertificate,
  requireStatus,
  rulesOf,
  withCredential,
} from "../../../../../test/support/registry.ts";
import { openSecondParty, serviceAsParty } from "../../../../../test/support/second-party.ts";
import type { CampaignResponse } from "../../schemas.ts";
import type { CertifiabilityResponse } from "../schemas.ts";
import { getCertifiability } from "./certifiability.ts";

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
async function certificateAnswer(campaignId: string, more: object = {}) {
  serial += 100;
  const underlyingUnits = { registry: "Gold Standard", firstSerial: serial, lastSerial: serial + 99 };
  const body = { certificateId: `CERT-${campaignId}`, activityId: "ACT-KPT", underlyingUnits, ...more };
  return scene.regulator("POST", `/campaigns/${campaignId}/certificate`, body);
}

test("counts no account of the service as the second party of a draw", async () => {
  const { campaignId } = await scene.verifiedCampaign({ party: serviceAsParty(scene.registry) });
  const rules = (await certifiabilityOf(campaignId)).problems.map(({ rule }) => rule);
  assert.ok(rules.includes("draw-by-two-parties"), rules.join());
  const refused = await certificateAnswer(campaignId);
  assert.equal(refused.status, 400);
  assert.ok(rulesOf(refused).includes("draw-by-two-parties"), JSON.stringify(refused.body));
});

test("counts no account of which the service got the key after the close", async () => {
  const { deps, world } = scene.registry;
  const party = await openSecondParty(world);
  const { campaignId } = await scene.verifiedCampaign({ party });
  assert.deepEqual((await certifiabilityOf(campaignId)).problems, []);
  const evaluatorOfService = { ...deps.chain.senders.evaluator, address: party.account };
  const chain = { ...deps.chain, senders: { ...deps.chain.senders, evaluator: evaluatorOfService } };
  const ctx = { actor: { role: "evaluator" } } as unknown as Parameters<typeof getCertifiability>[1];
  const { er, problems } = await getCertifiability({ ...deps, chain } as typeof deps, ctx, campaignId);
  assert.equal(er, null);
  assert.deepEqual(
    problems.map(({ rule, message }) => [rule, /closed as drawn by two parties/.test(message)]),
    // The data room lists the service's accounts, so it is another one now.
    [
      ["draw-by-two-parties", true],
      ["data-room-current", false],
    ],
  );
});

/** Measures the fourth household of each group, on a number of days from the first of February. */
async function measureFourth({ campaignId, groups }: CampaignResponse, days: number) {
  const answers = [];
  for (const testGroup of ["reference", "intervention"] as const) {
    const claim = {
      type: "KPTClaim",
      campaignId,
      householdId: groups[testGroup].sample[3],
      testGroup,
      testPeriod: { startDate: "2024-02-01", endDate: `2024-02-0${days}` },
      fuelMeasurements: { total: 3 * days, dailyLogs: Array(days).fill(3) },
      externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical"] },
    };
    answers.push(await scene.implementer("POST", "/claims", claim));
  }
  return answers;
}

test("certifies no result of claims with unequal numbers of days", async () => {
  const campaign = await scene.openCampaign({ sampleSize: 4 });
  assert.deepEqual(
    (await measureFourth(campaign, 4)).map(({ status }) => status),
    [201, 201],
  );
  const open = (await certifiabilityOf(campaign.campaignId)).problems.map(({ rule }) => rule);
  assert.ok(open.includes("days-equal"), open.join());
  await surveyDevices(scene.implementer, campaign.campaignId);
  requireStatus(await scene.implementer("POST", `/campaigns/${campaign.campaignId}/close`, {}), 200);
  const { problems } = await certifiabilityOf(campaign.campaignId);
  const [problem] = problems.filter(({ rule }) => rule === "days-equal");
  assert.match(
    problem?.message ?? "",
    /^The claims have 3, 4 daily logs; a certificate needs claims with equally many/,
  );
  const refused = await certificateAnswer(campaign.campaignId);
  assert.equal(refused.status, 400);
  assert.ok(rulesOf(refused).includes("days-equal"));
});

test("takes claims with exactly the number of days that the terms fix", async () => {
  const campaign = await scene.openCampaign({ sampleSize: 4, days: 3 });
  assert.equal(campaign.days, 3);
  for (const refused of await measureFourth(campaign, 4)) {
    assert.equal(refused.status, 400);
    assert.deepEqual(rulesOf(refused), ["daily-span"]);
    assert.match(JSON.stringify(refused.body), /measures each household for 3 daily logs, not 4/);
  }
  assert.deepEqual(
    (await measureFourth(campaign, 3)).map(({ status }) => status),
    [201, 201],
  );
  await surveyDevices(scene.implementer, campaign.campaignId);
  requireStatus(await scene.implementer("POST", `/campaigns/${campaign.campaignId}/close`, {}), 200);
  await scene.verify(campaign.campaignId);
  assert.deepEqual((await certifiabilityOf(campaign.campaignId)).problems, []);
  const folder = await mkdtemp(join(tmpdir(), "hearth-days-"));
  try {
    const room = join(folder, "room.zip");
    await writeFile(room, await scene.dataRoom(campaign.campaignId));
    const { faults, steps } = await repeatRoom(room, "room.zip", {});
    assert.equal(faults, 0, JSON.stringify(steps.filter((step) => step.faults.length + step.differences.length > 0)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("says for which reduction a certificate can be made, until there is one", async () => {
  const { campaignId } = await scene.verifiedCampaign();
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
  requireStatus(await certificateAnswer(campaignId), 201);
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
  const again = await scene.verifiedCampaign({ households, fuel: { reference: [], intervention: [] } });
  const { er, problems } = await certifiabilityOf(again.campaignId);
  assert.equal(er, null);
  const found = problems.find(({ rule }) => rule === "household-period-certified-once");
  assert.match(found?.message ?? "", new RegExp(`CERT-${first.campaignId}`));
});

test("counts a household's year once, whether a certificate is a campaign's or was registered without one", async () => {
  const [measured, other] = [await scene.verifiedCampaign(), await scene.verifiedCampaign()];
  const implementerDid = measured.implementerDid ?? "";
  // A plan without open findings, which would prevent the certificate too.
  const plan = { planId: "PLAN-DIRECT", implementerDid, period: { startDate: "2023-01-01", endDate: "2024-12-31" } };
  requireStatus(await scene.registry.admin("POST", "/monitoring-plans", plan), 201);
  const direct = async (householdDid = "", vintage = 2024) => {
    const period = { startDate: `${vintage}-01-01`, endDate: `${vintage}-12-31` };
    const allocations = [{ householdDid, amount: 100 }];
    const body = exampleCertificate({ planId: plan.planId, vintage, period, allocations, implementerDid });
    const signed = await withCredential(verifier, body);
    return { id: body.certificateId, answer: await scene.regulator("POST", "/certificates", signed) };
  };
  const [first] = measured.groups.intervention.sample;
  const known = await direct(first);
  requireStatus(known.answer, 201);
  const refused = await certificateAnswer(measured.campaignId);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["household-period-certified-once"]]);
  assert.match(JSON.stringify(refused.body), new RegExp(known.id));

  requireStatus(await certificateAnswer(other.campaignId), 201);
  const again = (await direct(other.groups.intervention.sample[0])).answer;
  assert.deepEqual([again.status, rulesOf(again)], [400, ["household-period-certified-once"]]);
  assert.match(JSON.stringify(again.body), new RegExp(`CERT-${other.campaignId}`));
  requireStatus((await direct(other.groups.intervention.sample[0], 2023)).answer, 201);
});

test("names the certificate of a campaign that measured other households, if it allocates to one of these", async () => {
  const [measured, other] = [await scene.verifiedCampaign(), await scene.verifiedCampaign()];
  const er = (await certifiabilityOf(other.campaignId)).er ?? 0;
  const allocations = [{ householdDid: measured.groups.intervention.sample[0], amount: Math.floor(er * 1e9) / 1e6 }];
  requireStatus(await certificateAnswer(other.campaignId, { allocations }), 201);
  const { problems } = await certifiabilityOf(measured.campaignId);
  assert.deepEqual(
    problems.map(({ rule }) => rule),
    ["household-period-certified-once"],
  );
  assert.match(problems[0]?.message ?? "", new RegExp(`CERT-${other.campaignId}`));
});

test("counts a household's year again only once the revocation of its certificate is final", async () => {
  const first = await scene.closedCampaign();
  await scene.certify(first.campaignId);
  const { reference, intervention } = first.groups;
  const households = { reference: reference.sample, intervention: intervention.sample };
  const again = await scene.verifiedCampaign({ households, fuel: { reference: [], intervention: [] } });
  const isNamed = async () => {
    const { problems } = await certifiabilityOf(again.campaignId);
    return problems.some(({ rule }) => rule === "household-period-certified-once");
  };
  const revoked = { status: "revoked", reason: "The scales were wrong." };
  requireStatus(await scene.regulator("PATCH", `/certificates/CERT-${first.campaignId}`, revoked), 200);
  // Until then the guardian may veto it.
  assert.equal(await isNamed(), true);
  await scene.registry.world.anvil.rpc("evm_increaseTime", [3 * 86_400]);
  await scene.registry.world.anvil.rpc("evm_mine", []);
  assert.equal(await isNamed(), false);
});

test("makes no certificate of more units than households, unless devices are registered", async () => {
  const emissions = { ...statedTerms, units: 1_000_000, newUnits: 4 };
  const { campaignId } = await scene.verifiedCampaign({ emissions, devices: false });
  const refused = await certificateAnswer(campaignId);
  assert.deepEqual(
    [refused.status, rulesOf(refused)],
    [400, ["units-counted", "units-within-frame", "units-within-frame", "usage-surveyed"]],
  );
  assert.match(JSON.stringify(refused.body), /units 1000000, and the intervention frame has 3 households/);
  const { er, problems } = await certifiabilityOf(campaignId);
  assert.deepEqual(
    [er, problems.filter(({ rule }) => rule === "units-within-frame").map(({ path }) => path)],
    [null, ["emissions.units", "emissions.newUnits"]],
  );
});

test("shows the reduction of stated units and usage, and makes no certificate of it", async () => {
  const { campaignId } = await scene.verifiedCampaign({ devices: false });
  const result = requireStatus(await evaluator("GET", `/campaigns/${campaignId}/result`), 200).body as {
    emissions: { reductions: { er: number; certifiable: { er: number | null; problems: { rule: string }[] } }[] };
  };
  const [smec] = result.emissions.reductions;
  assert.ok((smec?.er ?? 0) > 0);
  const wanted = ["units-counted", "usage-surveyed"];
  assert.deepEqual([smec?.certifiable.er, smec?.certifiable.problems.map(({ rule }) => rule)], [null, wanted]);
  const { er, problems } = await certifiabilityOf(campaignId);
  assert.deepEqual(
    [er, problems.map(({ rule, path }) => `${rule} ${path}`)],
    [null, ["units-counted emissions.units", "usage-surveyed emissions.usage"]],
  );
  assert.match(problems[0]?.message ?? "", /^The terms state the number of units\. A certificate needs it counted/);
  const refused = await certificateAnswer(campaignId);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, wanted]);
});

test("makes no certificate of units that were stated before the first device was registered", async () => {
  const { campaignId, groups } = await scene.openCampaign({ devices: false });
  const planId = "PLAN-STATED";
  await registerDevices(scene.implementer, { planId, households: groups.intervention.sample });
  requireStatus(await scene.implementer("POST", `/campaigns/${campaignId}/close`, {}), 200);
  const { problems } = await certifiabilityOf(campaignId);
  assert.deepEqual(
    problems.map(({ rule }) => rule),
    ["units-counted", "usage-surveyed", "data-room-verified"],
  );
});

test("makes no certificate of option B for more people than the measured households have", async () => {
  const register = async (group: string, householdSize?: object) =>
    Promise.all(
      [1, 2, 3].map(async (number) => {
        const did = `did:ixo:size/${group}/${number}`;
        const region = group.split("/")[0];
        requireStatus(await scene.registry.admin("POST", "/households", { did, region, householdSize }), 201);
        return did;
      }),
    );
  const optionB = (householdSize: number) => ({ ...certifiableTerms, baseline: "minimum-service", householdSize });
  const unknown = await scene.verifiedCampaign({ emissions: optionB(4) });
  const refused = await certificateAnswer(unknown.campaignId);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["household-size-on-record"]]);
  assert.match(JSON.stringify(refused.body), /members of 0 of the 3 measured reference households are registered/);

  const four = { men: 1, women: 1, children: 2, elderly: 0 };
  const frames = async (name: string) => ({
    reference: await register(`${name}/reference`, four),
    intervention: await register(`${name}/intervention`),
  });
  const crowded = await scene.verifiedCampaign({ emissions: optionB(40), households: await frames("crowded") });
  const { er, problems } = await certifiabilityOf(crowded.campaignId);
  assert.deepEqual([er, problems.map(({ rule }) => rule)], [null, ["household-size-on-record"]]);
  assert.match(problems[0]?.message ?? "", /householdSize 40, .* have 4 people on average/);

  const counted = await scene.verifiedCampaign({ emissions: optionB(4), households: await frames("counted") });
  assert.deepEqual((await certifiabilityOf(counted.campaignId)).problems, []);
});

test("where the members of some households are registered, certifies no more people than these have", async () => {
  const register = (group: string, sizes: (number | undefined)[]) =>
    Promise.all(
      sizes.map(async (men, number) => {
        const did = `did:ixo:part-size/${group}/${number}`;
        const householdSize = men === undefined ? undefined : { men, women: 0, children: 0, elderly: 0 };
        const region = group.split("/")[0];
        requireStatus(await scene.registry.admin("POST", "/households", { did, region, householdSize }), 201);
        return did;
      }),
    );
  const problemsOf = async (name: string, sizes: (number | undefined)[], householdSize: number) => {
    const households = {
      reference: await register(`${name}/reference`, sizes),
      intervention: await register(`${name}/intervention`, [2, 2, 2]),
    };
    const emissions = { ...certifiableTerms, householdSize };
    const { campaignId } = await scene.verifiedCampaign({ emissions, households });
    return (await certifiabilityOf(campaignId)).problems.map(({ rule, message }) => `${rule}: ${message}`);
  };
  const [small] = await problemsOf("small", [2, 2, undefined], 4.5);
  assert.match(small ?? "", /^household-size-on-record: .* 2 of the 3 measured .* More than 2 needs all of them\.$/);
  // A saving of so different households is none of a standard adult, whatever the unknown one has.
  const [saving, large] = await problemsOf("large", [7, 7, undefined], 5);
  assert.match(saving ?? "", /^saving-per-adult-positive: /);
  assert.match(large ?? "", /^household-size-on-record: .* More than 4\.5 needs all of them\.$/);
  assert.deepEqual(await problemsOf("within", [2, 2, undefined], 2), []);
  assert.deepEqual(await problemsOf("none", [undefined, undefined, undefined], 4.5), []);
});

test("is for those who may read findings", async () => {
  const { campaignId } = await scene.openCampaign();
  const path = `/campaigns/${campaignId}/certifiability`;
  const stranger = await scene.registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.equal((await stranger("GET", path)).status, 404);
  const supplier = await scene.registry.as("integrator", { scopes: ["campaigns:read"] });
  assert.equal((await supplier("GET", path)).status, 403);
});
