import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type ChainInfo, roundAt, roundTime } from "drand-client";
import { readChainFacts } from "../../../../scripts/draw/chain-facts.ts";
import { checkBeacon, checkDrawAndBeacon } from "../../../../scripts/draw/check-beacon.ts";
import { repeatRoom } from "../../../../scripts/repeat/repeat-room.ts";
import { type BeaconPeer, startBeaconPeer } from "../../../../test/support/beacon.ts";
import { exampleCampaign, registerFrames, requireStatus } from "../../../../test/support/campaigns.ts";
import { type ClosedScene, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import type { RegistryTest } from "../../../../test/support/registry.ts";
import { openSecondParty, type SecondParty } from "../../../../test/support/second-party.ts";
import { drawDocument } from "../draw/document-schema.ts";
import type { CampaignResponse } from "../schemas.ts";
import { readDueRounds } from "./beacon.ts";
import { beaconFault, randomnessOf } from "./client.ts";
import { BEACON_DELAY, beaconRoundOf, beaconTimeOf, quicknet } from "./terms.ts";

/** Round 1000 of quicknet, as its nodes publish it. */
const published = {
  round: 1_000,
  signature: "0xb44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
  randomness: "0xfe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
} as const;

describe("a round of a public beacon", () => {
  it("is verified with the key of drand's quicknet", async () => {
    assert.equal(await beaconFault(quicknet, published), null);
    assert.equal(randomnessOf(published.signature), published.randomness);
    assert.match((await beaconFault(quicknet, { ...published, round: 1_001 })) ?? "", /is not of the beacon/);
    const other = { ...quicknet, publicKey: `a${quicknet.publicKey.slice(1)}` };
    assert.match((await beaconFault(other, published)) ?? "", /is not of the beacon/);
  });

  it("is the first that is published 30 seconds or more after the draw block", () => {
    const info = { period: quicknet.period, genesis_time: quicknet.genesisTime } as ChainInfo;
    for (const time of [
      quicknet.genesisTime - 1_000,
      quicknet.genesisTime,
      1_700_000_000,
      1_700_000_001,
      1_700_000_002,
    ]) {
      const round = beaconRoundOf(quicknet, time);
      const earliest = Math.max(time + BEACON_DELAY, quicknet.genesisTime);
      assert.equal(beaconTimeOf(quicknet, round) * 1_000, roundTime(info, round));
      assert.ok(beaconTimeOf(quicknet, round) >= earliest);
      assert.ok(round === 1 || beaconTimeOf(quicknet, round - 1) < earliest);
      assert.equal(roundAt(beaconTimeOf(quicknet, round) * 1_000, info), round);
    }
  });
});

describe("a draw with a public beacon", () => {
  let peer: BeaconPeer;
  let test: RegistryTest;
  let scene: ClosedScene;
  let party: SecondParty;
  before(async () => {
    peer = await startBeaconPeer();
    scene = await openClosedScene({ DRAW_BEACON_URL: peer.url });
    test = scene.registry;
    party = await openSecondParty(test.world);
  });
  after(async () => {
    await scene?.close();
    await peer?.close();
  });

  const committed = async () => {
    const body = await registerFrames(test.admin, exampleCampaign());
    return requireStatus(await test.admin("POST", "/campaigns", body), 201).body as CampaignResponse;
  };
  const draw = async (campaignId: string) => {
    await party.join(test.admin, campaignId);
    requireStatus(await test.admin("POST", `/campaigns/${campaignId}/draw`), 200);
    return party.reveal(test.admin, campaignId);
  };
  const read = async (campaignId: string) =>
    requireStatus(await test.admin("GET", `/campaigns/${campaignId}`), 200).body as CampaignResponse;
  const documentOf = async (campaignId: string) =>
    drawDocument.parse(requireStatus(await test.admin("GET", `/campaigns/${campaignId}/draw`), 200).body);
  const verify = async (
    campaignId: string,
    change: (document: Awaited<ReturnType<typeof documentOf>>) => void = () => {},
  ) => {
    const document = await documentOf(campaignId);
    change(document);
    const { chain } = test.deps;
    const source = { rpcUrl: test.world.anvil.url, contract: chain.addresses.campaigns, fromBlock: 0 };
    const facts = await readChainFacts({ ...source, campaign: document.campaign });
    const known = { secondParty: party.account, beacon: peer.publicKey };
    const findings = await checkDrawAndBeacon(document, facts, known);
    return findings.filter(({ holds }) => !holds).map(({ sentence }) => sentence);
  };

  it("commits the beacon with the terms, and names no household before its round is published", async () => {
    const { campaignId, beacon } = await committed();
    assert.equal(beacon?.publicKey, peer.publicKey);
    peer.isPublishing = false;
    const waiting = await draw(campaignId);
    assert.equal(waiting.status, "drawn");
    assert.deepEqual([waiting.groups.reference.sample, waiting.draw?.beacon?.signature], [[], null]);
    assert.match((await verify(campaignId)).join(), /Round \d+ of the beacon is not known to the service/);
    peer.isPublishing = true;
    await readDueRounds(test.deps);
    const drawn = await read(campaignId);
    assert.equal(drawn.groups.reference.sample.length, 4);
    assert.deepEqual(await verify(campaignId), []);
  });

  it("accepts no signature but the beacon's", async () => {
    const { campaignId } = await committed();
    peer.isForging = true;
    await draw(campaignId);
    await readDueRounds(test.deps);
    assert.deepEqual((await read(campaignId)).groups.reference.sample, []);
    peer.isForging = false;
    await readDueRounds(test.deps);
    assert.equal((await read(campaignId)).groups.reference.sample.length, 4);
  });

  it("is refused by verify-draw with another round, another beacon or without it", async () => {
    const { campaignId } = await committed();
    assert.equal((await draw(campaignId)).groups.reference.sample.length, 4, "the round is read when the draw is made");
    assert.deepEqual(await verify(campaignId), []);
    const changedRound = await verify(campaignId, ({ draw }) => {
      if (draw?.beacon !== undefined) draw.beacon.round += 1;
    });
    assert.match(changedRound.join(), /has round \d+ of the beacon; round \d+ counts/);
    const otherTime = await verify(campaignId, ({ draw }) => {
      if (draw?.beacon !== undefined) draw.beacon.drawBlockTime += 3;
    });
    assert.match(otherTime.join(), /draw block is of \d+; the chain's is of \d+/);
    const without = await verify(campaignId, ({ draw }) => {
      if (draw !== null) delete draw.beacon;
    });
    assert.match(without.join(), /The terms commit the beacon [0-9a-f]+; the document has none/);
    assert.match(without.join(), /Position \d+ of the reference group is 0x/);
    const document = await documentOf(campaignId);
    const { terms } = await readChainFacts({
      rpcUrl: test.world.anvil.url,
      contract: test.deps.chain.addresses.campaigns,
      fromBlock: 0,
      campaign: document.campaign,
    });
    const ofQuicknet = await checkBeacon(document, { terms, drawBlockTime: document.draw?.beacon?.drawBlockTime });
    assert.match(ofQuicknet.map(({ sentence }) => sentence).join(), /not the one that you know/);
  });

  it("commits nothing while the beacon does not answer", async () => {
    const { config } = test.deps;
    const url = config.drawBeaconUrl;
    config.drawBeaconUrl = `http://127.0.0.1:1/${"ab".repeat(32)}`;
    const answer = await test.admin("POST", "/campaigns", await registerFrames(test.admin, exampleCampaign()));
    config.drawBeaconUrl = url;
    assert.equal(answer.status, 503);
  });

  it("is repeated from the data room, with its households and the devices of its survey", async () => {
    const { campaignId, drawParties } = await scene.closedCampaign({ frameSize: 6, sampleSize: 3 });
    const folder = await mkdtemp(join(tmpdir(), "hearth-beacon-"));
    const file = join(folder, "room.zip");
    await writeFile(file, await scene.dataRoom(campaignId));
    const secondParty = drawParties.secondParty?.account;
    const faultsOf = async (beacon?: string) => {
      const { steps } = await repeatRoom(file, "room.zip", { secondParty, beacon });
      return steps.flatMap(({ faults, differences }) => [...faults, ...differences.map(({ what }) => what)]);
    };
    assert.deepEqual(await faultsOf(peer.publicKey), []);
    assert.match((await faultsOf()).join(), /not the one that you know/);
    await rm(folder, { recursive: true });
  });
});
