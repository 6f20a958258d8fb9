import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  exampleCampaign,
  otherImplementerDid,
  registerFrames,
  requireStatus,
} from "../../../test/support/campaigns.ts";
import { type ClosedScene, openClosedScene } from "../../../test/support/closed-campaign.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { createIssuer } from "../../../test/support/credentials.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import {
  type Answer,
  exampleCertificate,
  type RegistryTest,
  rulesOf,
  withCredential,
} from "../../../test/support/registry.ts";
import { untilFound } from "../../../test/support/until.ts";
import { openApp } from "../../app.ts";
import type { OpenDeps } from "../../compose.ts";
import type { Chain } from "../../platform/chain/index.ts";
import { createLog } from "../../platform/log.ts";
import type { CampaignResponse } from "./schemas.ts";

const verifier = createIssuer();

describe("campaigns of two API processes over one PostgreSQL", () => {
  let postgres: TestPostgres;
  let scene: ClosedScene;
  let test: RegistryTest;
  let second: OpenDeps;
  before(async () => {
    postgres = await startPostgres();
    const DATABASE_URL = await postgres.createDatabase();
    scene = await openClosedScene({ DATABASE_URL });
    test = scene.registry;
    const config = test.world.config({
      DATABASE_URL,
      ADMIN_API_KEY: testAdminKey,
      REQUESTS_PER_MINUTE: "100000",
    });
    second = await openApp(config, createLog(config));
    const trusted = { did: verifier.did, credentialTypes: ["EmissionReductionCredential"] };
    requireStatus(await test.admin("POST", "/issuers", trusted), 201);
  });
  after(async () => {
    await second?.close();
    await scene?.close();
    await postgres?.stop();
  });

  const inSecond = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${testAdminKey}` };
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await second.app.request(`/v1${path}`, { method, headers, ...payload });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as unknown };
  };

  it("commit an id once, and draw it once", async () => {
    const body = await registerFrames(test.admin, exampleCampaign());
    const other = { ...(await registerFrames(test.admin, exampleCampaign())), campaignId: body.campaignId };
    const commits = await Promise.all([test.admin("POST", "/campaigns", body), inSecond("POST", "/campaigns", other)]);
    assert.deepEqual(commits.map(({ status }) => status).sort(), [201, 409], JSON.stringify(commits));
    const path = `/campaigns/${body.campaignId}/draw`;
    const draws = await Promise.all([test.admin("POST", path), inSecond("POST", path)]);
    assert.deepEqual(draws.map(({ status }) => status).sort(), [200, 409], JSON.stringify(draws));
  });

  it("see immediately what the other one drew and replaced", async () => {
    const body = await registerFrames(test.admin, exampleCampaign());
    requireStatus(await test.admin("POST", "/campaigns", body), 201);
    const [household] = body.groups.reference.frame as [string];
    assert.deepEqual(await second.deps.campaigns.openSamplesOf(household), []);
    const drawn = requireStatus(await test.admin("POST", `/campaigns/${body.campaignId}/draw`), 200);
    const { index, groups } = drawn.body as CampaignResponse;
    const [did] = groups.reference.sample as [string];
    assert.equal((await second.deps.campaigns.memberOf(index, did))?.status, "sampled");
    assert.equal((await second.deps.campaigns.openSamplesOf(did)).length, 1);
    const path = `/campaigns/${body.campaignId}/replacements`;
    const replacement = {
      group: "reference",
      householdId: did,
      reason: "absent",
      note: "Nobody home",
      evidence: "https://x.example/door.jpg",
    };
    requireStatus(await inSecond("POST", path, replacement), 201);
    const again = await test.admin("POST", path, replacement);
    assert.deepEqual([again.status, rulesOf(again)], [409, ["replaced-once"]]);
    const views = [
      await test.admin("GET", `/campaigns/${body.campaignId}`),
      await inSecond("GET", `/campaigns/${body.campaignId}`),
    ];
    assert.deepEqual(views[0]?.body, views[1]?.body);
    assert.match(JSON.stringify(views[0]?.body), /"note":"Nobody home"/);
  });

  type Closed = Awaited<ReturnType<ClosedScene["closedCampaign"]>>;
  type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

  /** Registers a certificate without a campaign that allocates to the first intervention household of a campaign. */
  async function registerFor({ groups, implementerDid }: Closed, call: Call) {
    const allocations = [{ householdDid: groups.intervention.sample[0] ?? "", amount: 100 }];
    const body = exampleCertificate({ implementerDid: implementerDid ?? "", allocations });
    return await call("POST", "/certificates", await withCredential(verifier, body));
  }

  /** Registers a certificate without allocations: its one voucher names its household. */
  async function registerUnallocated({ implementerDid }: Closed): Promise<string> {
    const body = exampleCertificate({ implementerDid: implementerDid ?? "" });
    requireStatus(await test.admin("POST", "/certificates", await withCredential(verifier, body)), 201);
    return body.certificateId;
  }

  /** Issues its voucher to the first intervention household of a campaign. */
  async function issueFor({ groups }: Closed, emissionCertificateId: string, call: Call) {
    const recipientDid = groups.intervention.sample[0] ?? "";
    const attributes = { batchId: "BATCH-1", issuanceDate: "2024-08-01", expiryDate: "2030-12-31" };
    return await call("POST", "/vouchers/issue", { recipientDid, emissionCertificateId, value: 100, attributes });
  }

  /** Registers a certificate with the count of its allocation, for its allocation to follow. */
  async function registerWithoutAllocation({ implementerDid }: Closed): Promise<string> {
    const body = exampleCertificate({ implementerDid: implementerDid ?? "", allocationCount: 1 });
    requireStatus(await test.admin("POST", "/certificates", await withCredential(verifier, body)), 201);
    return body.certificateId;
  }

  let serial = 9_000_000;
  /** Makes the certificate of a closed campaign. */
  async function certify({ campaignId }: Closed, call: Call) {
    serial += 100;
    const underlyingUnits = { registry: "Gold Standard", firstSerial: serial, lastSerial: serial + 99 };
    const body = { certificateId: `CERT-${campaignId}`, activityId: "ACT-KPT", underlyingUnits };
    return await call("POST", `/campaigns/${campaignId}/certificate`, body);
  }

  const householdRule = "household-period-certified-once";

  /** One of both was accepted, the other refused because of its households. */
  function assertOneAccepted(answers: Answer[]) {
    const [accepted, refused] = answers.toSorted((a, b) => a.status - b.status);
    assert.ok(accepted && accepted.status < 300, JSON.stringify(answers));
    assert.deepEqual([refused?.status, refused && rulesOf(refused)], [409, [householdRule]], JSON.stringify(answers));
  }

  it("count a household's year once when both have checked it before either stores its transaction", async () => {
    const campaign = await scene.verifiedCampaign();
    const letBothStore = holdCertificates([test.deps.chain, second.deps.chain]);
    const answers = [certify(campaign, test.admin), registerFor(campaign, inSecond)];
    await letBothStore(answers);
    assertOneAccepted(await Promise.all(answers));
  });

  it("count it once when an allocation is recorded while the campaign's certificate is registered", async () => {
    const campaign = await scene.verifiedCampaign();
    const certificateId = await registerWithoutAllocation(campaign);
    const allocations = [{ householdDid: campaign.groups.intervention.sample[0], amount: 100 }];
    const letBothStore = holdCertificates([test.deps.chain, second.deps.chain]);
    const answers = [
      certify(campaign, test.admin),
      inSecond("POST", `/certificates/${certificateId}/allocations`, { allocations }),
    ];
    await letBothStore(answers);
    assertOneAccepted(await Promise.all(answers));
  });

  it("count it once when two campaigns of the same households are certified at one moment", async () => {
    const one = await scene.verifiedCampaign();
    const { reference, intervention } = one.groups;
    const households = { reference: reference.sample, intervention: intervention.sample };
    const two = await scene.verifiedCampaign({ households, month: "05" });
    const answers = await Promise.all([certify(one, test.admin), certify(two, inSecond)]);
    const [accepted, refused] = answers.toSorted((a, b) => a.status - b.status);
    assert.equal(accepted?.status, 201, JSON.stringify(answers));
    assert.deepEqual(refused && rulesOf(refused), [householdRule], JSON.stringify(answers));
  });

  it("count it once where the other certificate has no allocation and its voucher names the household", async () => {
    const campaign = await scene.verifiedCampaign();
    const [one, two, three] = [
      await registerUnallocated(campaign),
      await registerUnallocated(campaign),
      await registerUnallocated(campaign),
    ];
    // Where no campaign measured it, nothing says that both certificates count the household's whole reduction.
    requireStatus(await issueFor(campaign, one, test.admin), 201);
    requireStatus(await issueFor(campaign, two, inSecond), 201);
    const certificate = await certify(campaign, inSecond);
    assert.deepEqual([certificate.status, rulesOf(certificate)], [400, [householdRule, householdRule]]);
    assert.match(JSON.stringify(certificate.body), new RegExp(one));

    const certified = await scene.verifiedCampaign();
    // Another implementer cannot hold the campaign up: it would choose the household.
    const other = exampleCertificate({ implementerDid: otherImplementerDid });
    requireStatus(await test.admin("POST", "/certificates", await withCredential(verifier, other)), 201);
    const theirs = requireStatus(await issueFor(certified, other.certificateId, inSecond), 201).body as { id: string };
    requireStatus(await test.admin("POST", `/vouchers/${theirs.id}/cancel`, { reason: "The card is lost." }), 200);
    requireStatus(await certify(certified, test.admin), 201);
    // What was cancelled before the campaign's certificate is not issued again next to it.
    const reissued = await inSecond("POST", `/vouchers/${theirs.id}/reissue`, {});
    assert.deepEqual([reissued.status, rulesOf(reissued)], [409, [householdRule]]);
    const voucher = await issueFor(certified, three, inSecond);
    assert.deepEqual([voucher.status, rulesOf(voucher)], [409, [householdRule]]);
    assert.match(
      JSON.stringify(voucher.body),
      new RegExp(`CERT-${certified.campaignId}.*recipientDid|recipientDid.*CERT`),
    );
  });

  it("count it once when such a voucher is issued while the campaign's certificate is registered", async () => {
    const campaign = await scene.verifiedCampaign();
    const certificateId = await registerUnallocated(campaign);
    const letBothStore = holdCertificates([test.deps.chain, second.deps.chain]);
    const answers = [certify(campaign, test.admin), issueFor(campaign, certificateId, inSecond)];
    await letBothStore(answers);
    assertOneAccepted(await Promise.all(answers));
  });

  it("count it once after a process was killed when it had stored its transaction", async () => {
    const campaign = await scene.verifiedCampaign();
    const { outbox } = test.deps.chain;
    const stored = Promise.withResolvers<void>();
    const { deliver } = outbox;
    outbox.deliver = () => {
      stored.resolve();
      return new Promise(() => undefined);
    };
    await Promise.race([stored.promise, registerFor(campaign, test.admin)]);
    outbox.deliver = deliver;
    // 409 while the transaction waits for a block, 400 once the certificate is on chain.
    const refused = await certify(campaign, inSecond);
    assert.ok(refused.status === 409 || refused.status === 400, JSON.stringify(refused));
    assert.deepEqual(rulesOf(refused), [householdRule]);
    const onChain = await untilFound(async () => {
      const again = await certify(campaign, inSecond);
      return again.status === 409 ? undefined : again;
    });
    assert.deepEqual([onChain.status, rulesOf(onChain)], [400, [householdRule]]);
  });

  it("release the households of a transaction that is reverted", async () => {
    const campaign = await scene.verifiedCampaign();
    const { outbox } = test.deps.chain;
    const { store } = outbox;
    // Enough to be in a block, too little to register anything.
    outbox.store = (call) => store.call(outbox, { ...call, gas: 200_000n });
    const reverted = await registerFor(campaign, test.admin);
    outbox.store = store;
    assert.ok(reverted.status >= 400, JSON.stringify(reverted));
    requireStatus(await certify(campaign, inSecond), 201);
  });
});

/**
 * Hold the next certificate of each process when it is checked and before its transaction is stored.
 * @returns waits until both are held, or one has answered before, then lets both continue
 */
function holdCertificates(chains: Chain[]): (answers: Promise<Answer>[]) => Promise<void> {
  const released = Promise.withResolvers<void>();
  const allHeld = Promise.all(
    chains.map(({ outbox }) => {
      const held = Promise.withResolvers<void>();
      const { store } = outbox;
      outbox.store = async (call) => {
        if (!/^(certificate|voucher)\./.test(call.purpose)) return await store.call(outbox, call);
        outbox.store = store;
        held.resolve();
        await released.promise;
        return await store.call(outbox, call);
      };
      return held.promise;
    }),
  );
  return async (answers) => {
    await Promise.race([allHeld, ...answers]);
    released.resolve();
  };
}
