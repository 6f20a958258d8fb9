import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { readChainFacts } from "../../../../scripts/draw/chain-facts.ts";
import { checkDraw } from "../../../../scripts/draw/check-draw.ts";
import { exampleCampaign, registerFrames, registerPlans, requireStatus } from "../../../../test/support/campaigns.ts";
import { type Caller, openRegistryTest, type RegistryTest, rulesOf } from "../../../../test/support/registry.ts";
import { openSecondParty, type SecondParty, signedParty } from "../../../../test/support/second-party.ts";
import type { CampaignResponse } from "../schemas.ts";
import type { DrawDocument } from "./document-schema.ts";
import { revealDue } from "./secret-revealer.ts";

const day = 86_400;

describe("the parties of a draw", () => {
  let test: RegistryTest;
  let admin: Caller;
  let party: SecondParty;
  before(async () => {
    test = await openRegistryTest();
    admin = test.admin;
    await registerPlans(test);
    party = await openSecondParty(test.world);
  });
  after(() => test?.close());

  const committed = async () => {
    const body = await registerFrames(admin, exampleCampaign());
    const { index } = requireStatus(await admin("POST", "/campaigns", body), 201).body as CampaignResponse;
    return { campaignId: body.campaignId, path: `/campaigns/${body.campaignId}`, campaign: index };
  };
  const read = async (path: string) => (await admin("GET", path)).body as CampaignResponse;
  const passDay = async () => {
    await test.world.anvil.rpc("evm_increaseTime", [day + 1]);
    await test.world.anvil.rpc("evm_mine");
  };

  it("draw together: the sample is drawn when the second one has revealed its secret", async () => {
    const { campaignId, path } = await committed();
    assert.deepEqual((await read(path)).drawParties.secondParty, null);
    const joined = await party.join(admin, campaignId);
    assert.equal(joined.drawParties.secondParty?.account, party.account);
    assert.equal(joined.commit.drawBlock, null);
    const opened = requireStatus(await admin("POST", `${path}/draw`), 200).body as CampaignResponse;
    assert.equal(opened.status, "committed");
    const { operator, secondParty, deadline } = opened.drawParties;
    assert.deepEqual([operator?.revealed, secondParty?.revealed], [true, false]);
    assert.ok(deadline !== null && opened.commit.drawBlock !== null);
    const drawn = await party.reveal(admin, campaignId);
    assert.deepEqual([drawn.status, drawn.draw?.twoParties], ["drawn", true]);
    assert.equal(drawn.groups.reference.sample.length, 4);
    const late = await admin("POST", `${path}/draw/secret`, { secret: party.secretOf(campaignId) });
    assert.deepEqual([late.status, rulesOf(late)], [409, ["status-allows"]]);
  });

  it("is the service alone where nobody joined, and the draw says so", async () => {
    const { path } = await committed();
    const drawn = requireStatus(await admin("POST", `${path}/draw`), 200).body as CampaignResponse;
    assert.deepEqual([drawn.status, drawn.draw?.twoParties, drawn.drawParties.secondParty], ["drawn", false, null]);
  });

  it("names the operator that abandons a campaign when it can know the draw, and its siblings do", async () => {
    const abandon = async (path: string) => {
      const answer = await admin("POST", `${path}/abandonment`, { reason: "changed plans" });
      const { abandonment, discardedDraws } = requireStatus(answer, 201).body as CampaignResponse;
      const told = discardedDraws.map(({ reason, operator, secondParty, seed }) => {
        assert.deepEqual([operator, secondParty], [address, party.account]);
        return [reason, seed !== null];
      });
      return [abandonment?.discardedBy, told];
    };
    const { address } = test.deps.chain.senders.operator;
    const body = await registerFrames(admin, exampleCampaign());
    const again = async (name: string) => {
      const campaignId = `${body.campaignId}-${name}`;
      requireStatus(await admin("POST", "/campaigns", { ...body, campaignId }), 201);
      return { campaignId, path: `/campaigns/${campaignId}` };
    };
    const undrawn = await again("undrawn");
    await party.join(admin, undrawn.campaignId);
    assert.deepEqual(await abandon(undrawn.path), [null, []], "the draw was not open");

    const seen = await again("seen");
    await party.join(admin, seen.campaignId);
    const opened = requireStatus(await admin("POST", `${seen.path}/draw`), 200).body as CampaignResponse;
    assert.deepEqual([opened.status, opened.drawParties.operator?.revealed], ["committed", true]);
    assert.deepEqual(await abandon(seen.path), [address, [["campaign-abandoned", false]]]);

    const drawn = await again("drawn");
    await party.join(admin, drawn.campaignId);
    requireStatus(await admin("POST", `${drawn.path}/draw`), 200);
    await party.reveal(admin, drawn.campaignId);
    assert.deepEqual(await abandon(drawn.path), [address, [["campaign-abandoned", true]]]);

    const { path } = await again("last");
    const { siblings } = await read(path);
    assert.deepEqual(
      siblings.map(({ campaignId, status, discardedBy }) => [campaignId, status, discardedBy]),
      [
        [undrawn.campaignId, "abandoned", null],
        [seen.campaignId, "abandoned", address],
        [drawn.campaignId, "abandoned", address],
      ],
    );
    const result = requireStatus(await admin("GET", `${path}/result`), 200).body as {
      siblings: { campaignId: string; discardedBy?: string }[];
    };
    assert.deepEqual(
      result.siblings.map(({ discardedBy }) => discardedBy),
      [undefined, address, address],
    );
  });

  it("names every broken rule of a second party", async () => {
    const { path, campaign } = await committed();
    const { operator, evaluator } = test.world.contracts.keys;
    const own = await signedParty(test.world, privateKeyToAccount(evaluator), {
      campaign,
      round: 1,
      secret: generatePrivateKey(),
    });
    const refused = await admin("POST", `${path}/draw/party`, { ...own, deadline: 1 });
    assert.deepEqual(
      [refused.status, rulesOf(refused)],
      [400, ["deadline-ahead", "party-independent", "party-signed"]],
    );
    const stranger = privateKeyToAccount(generatePrivateKey());
    const unknown = await signedParty(test.world, stranger, { campaign, round: 0, secret: generatePrivateKey() });
    const none = await admin("POST", `${path}/draw/party`, unknown);
    assert.deepEqual([none.status, rulesOf(none)], [400, ["party-allowed"]]);
    const asOperator = await signedParty(test.world, privateKeyToAccount(operator), {
      campaign,
      round: 0,
      secret: generatePrivateKey(),
    });
    assert.deepEqual(rulesOf(await admin("POST", `${path}/draw/party`, asOperator)), ["party-independent"]);
  });

  it("admits one second party, before the draw is open, and terms stay as they are from then on", async () => {
    const { campaignId, path, campaign } = await committed();
    await party.join(admin, campaignId);
    const again = { campaign, round: 0, secret: generatePrivateKey() };
    const other = await openSecondParty(test.world);
    await assert.rejects(other.join(admin, campaignId), /second-party-once/);
    requireStatus(await admin("POST", `${path}/draw`), 200);
    const amended = await admin("POST", `${path}/amendments`, { reason: "the sample is known", season: "wet" });
    assert.deepEqual([amended.status, rulesOf(amended)], [409, ["draw-not-open"]]);
    const signed = await signedParty(test.world, privateKeyToAccount(generatePrivateKey()), again);
    assert.equal((await admin("POST", `${path}/draw/party`, signed)).status, 409);
  });

  it("takes no secret before the draw is open, and none that nobody committed to", async () => {
    const { campaignId, path } = await committed();
    await party.join(admin, campaignId);
    const body = { secret: party.secretOf(campaignId) };
    const early = await admin("POST", `${path}/draw/secret`, body);
    assert.deepEqual([early.status, rulesOf(early)], [409, ["draw-open"]]);
    requireStatus(await admin("POST", `${path}/draw`), 200);
    const wrong = await admin("POST", `${path}/draw/secret`, { secret: generatePrivateKey() });
    assert.deepEqual([wrong.status, rulesOf(wrong)], [400, ["secret-committed"]]);
    requireStatus(await admin("POST", `${path}/draw/secret`, body), 200);
  });

  it("names a party that withheld its secret, and draws with a replacement by a new block", async () => {
    const { campaignId, path } = await committed();
    await party.join(admin, campaignId);
    const { commit } = requireStatus(await admin("POST", `${path}/draw`), 200).body as CampaignResponse;
    const soon = await admin("POST", `${path}/draw/repetition`);
    assert.deepEqual([soon.status, rulesOf(soon)], [409, ["reveal-time-over"]]);
    await passDay();
    const late = await admin("POST", `${path}/draw/secret`, { secret: party.secretOf(campaignId) });
    assert.deepEqual([late.status, rulesOf(late)], [409, ["secrets-in-time"]]);
    const repeated = requireStatus(await admin("POST", `${path}/draw/repetition`), 201).body as CampaignResponse;
    assert.deepEqual([repeated.drawParties.round, repeated.drawParties.operator], [1, null]);
    assert.deepEqual(
      repeated.drawParties.withheld.map(({ round, account }) => [round, account]),
      [[0, party.account]],
    );
    await assert.rejects(party.join(admin, campaignId), /party-allowed/);
    const replacement = await openSecondParty(test.world);
    await replacement.join(admin, campaignId);
    requireStatus(await admin("POST", `${path}/draw`), 200);
    const drawn = await replacement.reveal(admin, campaignId);
    assert.deepEqual([drawn.status, drawn.draw?.twoParties], ["drawn", true]);
    assert.ok((drawn.commit.drawBlock ?? 0) > (commit.drawBlock ?? 0));
    const [discarded, ...others] = drawn.discardedDraws;
    assert.deepEqual(
      [discarded?.round, discarded?.reason, discarded?.secondParty, discarded?.drawBlock, others],
      [0, "secret-withheld", party.account, commit.drawBlock, []],
    );
    const document = requireStatus(await admin("GET", `${path}/draw`), 200).body as DrawDocument;
    assert.deepEqual(document.discarded, drawn.discardedDraws);
    const { world } = test;
    const facts = await readChainFacts({
      rpcUrl: world.anvil.url,
      contract: world.contracts.addresses.campaigns,
      campaign: drawn.index,
      fromBlock: 0,
    });
    const secondParty = replacement.account;
    const told = checkDraw(document, facts, { secondParty }).map(({ holds, sentence }) => `${holds} ${sentence}`);
    const sentence = `true Block ${discarded?.blockNumber} discarded the draw of round 0 by block ${commit.drawBlock}`;
    assert.equal(told.filter((each) => each.startsWith(sentence)).length, 1, told.join("\n"));
    assert.deepEqual(
      told.filter((each) => each.startsWith("false")),
      [],
    );
  });

  it("keeps the service's secret encrypted, stored before its commitment, and reveals it after a crash", async () => {
    const { path, campaign } = await committed();
    const { outbox } = test.deps.chain;
    const deliver = outbox.deliver.bind(outbox);
    outbox.deliver = async (row, reading) => {
      outbox.deliver = deliver;
      await deliver(row, reading);
      throw new Error("The process ends here.");
    };
    assert.equal((await admin("POST", `${path}/draw`)).status, 500);
    const secret = await test.deps.drawSecrets.find(campaign, 0);
    assert.ok(secret);
    const { rows } = (await test.deps.db.execute("select * from campaign_draw_secrets")) as { rows: object[] };
    assert.ok(rows.length > 0);
    assert.ok(!JSON.stringify(rows).includes(secret.slice(2)));
    await test.world.anvil.rpc("anvil_mine", ["0x3"]);
    await revealDue(test.deps, new Date(Date.now() + day * 10_000));
    const drawn = await read(path);
    assert.equal(drawn.status, "drawn");
    await revealDue(test.deps, new Date(Date.now() + day * 10_000));
    const open = await test.deps.drawSecrets.unsettled(new Date(Date.now() + day * 10_000));
    assert.ok(!open.some((each) => each.campaign === campaign));
  });
});
