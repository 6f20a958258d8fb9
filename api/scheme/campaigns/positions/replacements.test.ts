import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { keccak256, stringToHex } from "viem";
import {
  drawnCampaign,
  exampleCampaign,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../../../../test/support/campaigns.ts";
import { type Caller, openRegistryTest, type RegistryTest, rulesOf } from "../../../../test/support/registry.ts";
import { kptClaimIdOf } from "../../../../wire/src/ids.ts";
import { submitCall } from "../../../platform/chain/submit.ts";
import type { CampaignResponse, Replacement } from "../schemas.ts";

describe("replacements", () => {
  let test: RegistryTest;
  let admin: Caller;
  before(async () => {
    test = await openRegistryTest();
    admin = test.admin;
    await registerPlans(test);
  });
  after(() => test.close());

  const replace = (campaignId: string, householdId: string | undefined, changes = {}, headers = {}) =>
    admin(
      "POST",
      `/campaigns/${campaignId}/replacements`,
      { group: "reference", householdId, reason: "moved", evidence: "https://x.example/door.jpg", ...changes },
      headers,
    );

  it("take the next household of the group's order", async () => {
    const { campaignId, index, groups } = await drawnCampaign(admin);
    const [, dropped] = groups.reference.sample;
    const next = (await test.deps.campaigns.frameOf(index, "reference"))[4];
    const answer = await replace(campaignId, dropped, { note: "Moved to Kafue in January" });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const made = answer.body as Replacement;
    assert.deepEqual(made.dropped, { householdId: dropped, position: 1 });
    assert.deepEqual(made.replacement, { householdId: next?.did, position: 4 });
    assert.deepEqual([made.reason, made.note], ["moved", "Moved to Kafue in January"]);

    const { body } = await admin("GET", `/campaigns/${campaignId}`);
    const after = (body as CampaignResponse).groups;
    assert.deepEqual(after.reference.sample, [...groups.reference.sample.filter((did) => did !== dropped), next?.did]);
    assert.deepEqual(after.reference.replacements, [made]);
    assert.deepEqual(after.intervention, groups.intervention);
    assert.equal((await test.deps.campaigns.memberOf(index, dropped ?? ""))?.status, "replaced");
    assert.deepEqual(await test.deps.campaigns.openSamplesOf(dropped ?? ""), []);
    assert.equal((await test.deps.campaigns.openSamplesOf(next?.did ?? "")).length, 1);

    const published = await test.app.request(`/v1/campaigns/${campaignId}/draw`);
    const text = await published.text();
    assert.doesNotMatch(text, /Kafue|did:/);
    const { replacements, sample } = (JSON.parse(text) as { groups: CampaignResponse["groups"] }).groups
      .reference as never as { replacements: unknown[]; sample: { status: string }[] };
    assert.deepEqual(replacements, [
      { dropped: 1, replacement: 4, reason: "moved", transactionHash: made.transactionHash },
    ]);
    assert.deepEqual(
      sample.map(({ status }) => status),
      ["sampled", "replaced", "sampled", "sampled", "sampled"],
    );
  });

  it("are refused for who is not in that group's sample, and without evidence", async () => {
    const { campaignId, groups } = await drawnCampaign(admin);
    for (const answer of [
      await replace(campaignId, groups.intervention.sample[0]),
      await replace(campaignId, "did:ixo:household/stranger"),
    ]) {
      assert.deepEqual([answer.status, rulesOf(answer)], [400, ["household-in-sample"]]);
    }
    const bare = { group: "reference", householdId: groups.reference.sample[0], reason: "moved" };
    const unshown = await admin("POST", `/campaigns/${campaignId}/replacements`, bare);
    assert.deepEqual([unshown.status, rulesOf(unshown)], [400, ["evidence-given"]]);
    const malformed = await replace(campaignId, "somebody", { group: "control", reason: "tired" });
    const { details } = malformed.body as { details: { path: string }[] };
    assert.deepEqual(details.map(({ path }) => path).sort(), ["group", "householdId", "reason"]);
  });

  it("happen once for a household, also when two arrive together", async () => {
    const { campaignId, groups } = await drawnCampaign(admin);
    const [did] = groups.reference.sample;
    const answers = await Promise.all([
      replace(campaignId, did, { note: "first" }),
      replace(campaignId, did, { note: "second" }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409], JSON.stringify(answers));
    const again = await replace(campaignId, did);
    assert.deepEqual([again.status, rulesOf(again)], [409, ["replaced-once"]]);
    const won = answers.find(({ status }) => status === 201)?.body as Replacement;
    const read = (await admin("GET", `/campaigns/${campaignId}`)).body as CampaignResponse;
    assert.deepEqual(read.groups.reference.replacements, [won]);
  });

  it("are answered again under the same Idempotency-Key", async () => {
    const { campaignId, groups } = await drawnCampaign(admin);
    const key = { "Idempotency-Key": `replace-${campaignId}` };
    const { outbox } = test.deps.chain;
    const deliver = outbox.deliver.bind(outbox);
    outbox.deliver = async (row, reading) => {
      outbox.deliver = deliver;
      await deliver(row, reading);
      throw new Error("The process ends here.");
    };
    const note = { note: "kept through the crash" };
    assert.equal((await replace(campaignId, groups.reference.sample[0], note, key)).status, 500);
    const retried = await replace(campaignId, groups.reference.sample[0], note, key);
    assert.equal(retried.status, 201, JSON.stringify(retried.body));
    assert.equal((retried.body as Replacement).note, "kept through the crash");
  });

  it("are refused before the draw, after the close, for a measured household and when nobody is left", async () => {
    const body = await registerFrames(admin, exampleCampaign({ sampleSize: 5 }, 6));
    requireStatus(await admin("POST", "/campaigns", body), 201);
    const [first] = body.groups.reference.frame;
    assert.deepEqual(rulesOf(await replace(body.campaignId, first)), ["status-allows"]);
    const { body: answer } = requireStatus(await admin("POST", `/campaigns/${body.campaignId}/draw`), 200);
    const { index, groups } = answer as CampaignResponse;
    const [measured, absent, moved] = groups.reference.sample;
    const hash = `0x${"ab".repeat(32)}` as const;
    const claim = kptClaimIdOf({ campaign: index, group: "reference", position: 0, number: 1 });
    const call = { sender: "operator", contract: "campaigns", purpose: "test" } as const;
    await submitCall(
      test.deps,
      {},
      { ...call, functionName: "recordMany", args: [[{ claim, claimHash: hash, credentialHash: hash }]] },
    );
    const refused = await replace(body.campaignId, measured);
    assert.deepEqual([refused.status, rulesOf(refused)], [409, ["household-unmeasured"]]);
    assert.equal((await replace(body.campaignId, absent, { reason: "absent" })).status, 201);
    const exhausted = await replace(body.campaignId, moved);
    assert.deepEqual([exhausted.status, rulesOf(exhausted)], [409, ["frame-left"]]);
    const read = (await admin("GET", `/campaigns/${body.campaignId}`)).body as CampaignResponse;
    assert.equal(read.groups.reference.claims, 1);
  });

  it("made without this API are seen by it", async () => {
    const { campaignId, index, groups } = await drawnCampaign(admin);
    const call = { sender: "operator", contract: "campaigns", purpose: "test" } as const;
    await submitCall(
      test.deps,
      {},
      { ...call, functionName: "replace", args: [index, 1, 2, 1, keccak256(stringToHex("a photo"))] },
    );
    const { body } = await admin("GET", `/campaigns/${campaignId}`);
    const { sample, replacements } = (body as CampaignResponse).groups.intervention;
    assert.equal(sample.length, 4);
    assert.ok(!sample.includes(groups.intervention.sample[2] ?? ""));
    assert.deepEqual(
      replacements.map(({ dropped, reason, note }) => [dropped.householdId, reason, note]),
      [[groups.intervention.sample[2], "refused", null]],
    );
  });
});
