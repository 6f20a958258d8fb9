import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  exampleCampaign,
  exampleClaim,
  holdCampaign,
  implementerDid,
  referenceClaim,
  registerPlan,
} from "../../../test/support/kpt.ts";
import { openRegistryTest, type RegistryTest } from "../../../test/support/registry.ts";
import { openEventStream } from "../../platform/events/stream.ts";
import type { EventMessage } from "../../platform/events/visibility.ts";
import type { Actor } from "../../platform/http/request-context.ts";

const admin: Actor = { keyId: "admin", role: "admin", scopes: ["events:read"], dids: null };
const implementer = (did: string): Actor => ({ ...admin, keyId: "i", role: "implementer", implementerDid: did });
const integrator = (dids: string[]): Actor => ({ ...admin, keyId: "n", role: "integrator", dids });

describe("the events of a campaign", () => {
  let test: RegistryTest;
  before(async () => {
    test = await openRegistryTest();
    await registerPlan(test.admin);
  });
  after(() => test.close());

  /** Follow the stream until `end`; `until` waits for an event of a type and returns the events up to it. */
  async function follow(actor: Actor) {
    const aborter = new AbortController();
    const taken: EventMessage[] = [];
    const events = await openEventStream(test.deps, { actor }, { signal: aborter.signal });
    const reading = (async () => {
      // Holding a campaign registers its households first.
      for await (const { message } of events) if (message.type !== "household.registered") taken.push(message);
    })();
    const until = async (last: string) => {
      while (!taken.some(({ type }) => type === last)) await new Promise((resolve) => setTimeout(resolve, 20));
      return taken;
    };
    const end = () => {
      aborter.abort();
      return reading;
    };
    return { taken, until, end };
  }

  it("reach the callers that they concern, and name a household only to those who may know it", async () => {
    const [all, own, other, household] = await Promise.all([
      follow(admin),
      follow(implementer(implementerDid)),
      follow(implementer("did:ixo:implementer/other")),
      follow(integrator(["did:ixo:household/124"])),
    ]);
    const campaign = exampleCampaign();
    const spare = { ...campaign, reference: [...campaign.reference, "did:ixo:household/125"] };
    await holdCampaign(test.admin, spare, { sampleSize: 1 });
    const drawn = await test.admin("GET", `/campaigns/${campaign.campaignId}`);
    const sample = (drawn.body as { groups: { reference: { sample: string[] } } }).groups.reference.sample;
    if (!sample.includes("did:ixo:household/124")) {
      const dropped = {
        group: "reference",
        householdId: sample[0],
        reason: "absent",
        evidence: "https://x.example/door.jpg",
      };
      assert.equal((await test.admin("POST", `/campaigns/${campaign.campaignId}/replacements`, dropped)).status, 201);
    }
    const filed = await test.admin("POST", "/claims", referenceClaim());
    assert.equal(filed.status, 201, JSON.stringify(filed.body));
    assert.equal((await test.admin("POST", "/claims", exampleClaim())).status, 201);
    const { id } = filed.body as { id: string };
    const revoked = await test.admin("POST", `/claims/${id}/revoke`, { reason: "wrong-household" });
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body));
    const told = await all.until("kpt_claim.revoked");
    const types = told.map(({ type }) => type).filter((type) => type !== "campaign.household_replaced");
    assert.deepEqual(types, [
      "campaign.committed",
      "campaign.draw_opened",
      "campaign.secret_revealed",
      "campaign.drawn",
      "kpt_claim.verified",
      "kpt_claim.verified",
      "kpt_claim.revoked",
    ]);
    const [, , , , , , last] = told.filter(({ type }) => type !== "campaign.household_replaced");
    assert.deepEqual(last?.data, {
      claimId: id,
      campaignId: campaign.campaignId,
      testGroup: "reference",
      reason: "wrong-household",
      recipientDid: "did:ixo:household/124",
    });
    assert.deepEqual(await own.until("kpt_claim.revoked"), told);
    const ofHousehold = await household.until("kpt_claim.revoked");
    assert.deepEqual(
      ofHousehold.map(({ type, data }) => [type, data.claimId]),
      [
        ["kpt_claim.verified", id],
        ["kpt_claim.revoked", id],
      ],
    );
    await Promise.all([all, own, other, household].map(({ end }) => end()));
    assert.deepEqual(other.taken, []);
  });
});
