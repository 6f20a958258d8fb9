import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Hex } from "viem";
import {
  drawnCampaign,
  exampleCampaign,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../../../../test/support/campaigns.ts";
import { testAdminKey } from "../../../../test/support/core.ts";
import { placeDatabase } from "../../../../test/support/database.ts";
import { type Caller, openRegistryTest, type RegistryTest, rulesOf } from "../../../../test/support/registry.ts";
import { openApp } from "../../../app.ts";
import { submitCall } from "../../../platform/chain/submit.ts";
import { createLog } from "../../../platform/log.ts";
import type { CampaignResponse } from "../schemas.ts";
import { drawDocument } from "./document-schema.ts";
import { commitmentOf } from "./draw.ts";

/** Where EIP-2935 keeps the hashes of past blocks. */
const history = "0x0000F90827F1C53a10cb7A02335B175320002935";

describe("the draw of a campaign", () => {
  let test: RegistryTest;
  let admin: Caller;
  before(async () => {
    test = await openRegistryTest();
    admin = test.admin;
    await registerPlans(test);
  });
  after(() => test.close());

  const committed = async (changes = {}) => {
    const body = await registerFrames(admin, exampleCampaign(changes));
    const { body: answer } = requireStatus(await admin("POST", "/campaigns", body), 201);
    return { body, path: `/campaigns/${body.campaignId}`, campaign: (answer as CampaignResponse).index };
  };

  /** Draws past this API, with the operator's key. */
  const drawElsewhere = async (campaign: number) => {
    const { chain } = test.deps;
    const secret: Hex = `0x${"e1".repeat(32)}`;
    const call = { sender: "operator", contract: "campaigns", purpose: "test" } as const;
    const commitment = commitmentOf(secret, chain.senders.operator.address);
    await submitCall(test.deps, {}, { ...call, functionName: "openDraw", args: [campaign, commitment] });
    await test.world.anvil.rpc("anvil_mine", ["0x3"]);
    await submitCall(test.deps, {}, { ...call, functionName: "reveal", args: [campaign, secret] });
  };

  /** Opens a draw whose block does not come in time: only the block of the opening does. */
  const openSlowly = async (path: string) => {
    const { anvil } = test.world;
    const { chain } = test.deps.config;
    const usual = chain.txWaitMs;
    await anvil.pauseMining();
    chain.txWaitMs = 0;
    try {
      const answer = admin("POST", `${path}/draw`);
      await anvil.untilPending(1);
      await anvil.rpc("evm_mine");
      return await answer;
    } finally {
      chain.txWaitMs = usual;
      await anvil.resumeMining();
    }
  };

  it("is made by a new block, for all to see, when no secret was revealed while the first one's hash was in reach", async () => {
    const { path, campaign } = await committed();
    const { rpc } = test.world.anvil;
    assert.equal((await openSlowly(path)).status, 409);
    const code = await rpc("eth_getCode", [history, "latest"]);
    // A chain without EIP-2935 knows 256 hashes, which pass sooner than 8191.
    await rpc("anvil_setCode", [history, "0x"]);
    for (let i = 0; i < 3; i++) await rpc("anvil_mine", ["0x64"]);
    const drawn = await admin("POST", `${path}/draw`);
    await rpc("anvil_setCode", [history, code]);
    assert.equal(drawn.status, 200, JSON.stringify(drawn.body));
    const { commit, draw, groups } = drawn.body as CampaignResponse;
    const postponements = await test.deps.campaigns.ledger.postponementsOf(campaign);
    assert.deepEqual(
      postponements.map(({ drawBlock }) => drawBlock),
      [draw?.blockNumber],
    );
    assert.equal(commit.drawBlock, draw?.blockNumber);
    assert.equal(groups.reference.sample.length, 4);
  });

  it("answers a retry of a draw that a crash cut off", async () => {
    const { path } = await committed();
    const key = { "Idempotency-Key": `crash-${path}` };
    const { outbox } = test.deps.chain;
    const deliver = outbox.deliver.bind(outbox);
    outbox.deliver = async (row, reading) => {
      outbox.deliver = deliver;
      await deliver(row, reading);
      throw new Error("The process ends here.");
    };
    assert.equal((await admin("POST", `${path}/draw`, undefined, key)).status, 500);
    const retried = await admin("POST", `${path}/draw`, undefined, key);
    assert.deepEqual([retried.status, (retried.body as CampaignResponse).status], [200, "drawn"]);
    assert.equal((await admin("POST", `${path}/draw`, undefined, { "Idempotency-Key": "another" })).status, 409);
  });

  it("is known immediately to anyone who asks for a household, also when it was made without this API", async () => {
    const { campaigns } = test.deps;
    const { body, campaign } = await committed();
    const did = body.groups.intervention.frame[0] as string;
    assert.deepEqual(await campaigns.openSamplesOf(did), []);
    assert.equal(await campaigns.memberOf(campaign, did), null);
    await drawElsewhere(campaign);
    const members = await Promise.all(body.groups.intervention.frame.map((each) => campaigns.memberOf(campaign, each)));
    const positions = members.map((member) => member?.position ?? -1);
    assert.deepEqual(
      positions.toSorted((a, b) => a - b),
      Array.from({ length: 12 }, (_, i) => i),
    );
    for (const member of members) {
      assert.equal(member?.status, (member?.position ?? 0) < body.sampleSize ? "sampled" : "reserve");
      assert.equal(member?.group, "intervention");
      const open = await campaigns.openSamplesOf(member?.did ?? "");
      assert.equal(open.length, member?.status === "sampled" ? 1 : 0);
    }
    assert.equal(await campaigns.memberOf(campaign, "did:ixo:household/stranger"), null);
    assert.equal(await campaigns.memberOf(999_999, did), null);
  });

  it("gives the whole frame in its order, and the DIDs of positions", async () => {
    const { campaigns } = test.deps;
    const { index, groups } = await drawnCampaign(admin);
    const frame = await campaigns.frameOf(index, "reference");
    assert.deepEqual(
      frame.map(({ position }) => position),
      Array.from({ length: 12 }, (_, i) => i),
    );
    assert.deepEqual(
      frame.slice(0, 4).map(({ did }) => did),
      groups.reference.sample,
    );
    const some = await campaigns.didsOf(index, "reference", [0, 3]);
    assert.deepEqual([...some.values()].sort(), [groups.reference.sample[0], groups.reference.sample[3]].sort());
  });

  it("is public, without a key and without a DID, on chain as in its document", async () => {
    const body = await registerFrames(admin, exampleCampaign({ campaignId: "KPT/2024 dry" }));
    const { campaignId, index } = await drawnCampaign(admin, body);
    const { app } = test;
    const path = `/v1/campaigns/${encodeURIComponent(campaignId)}`;
    const answer = await app.request(`${path}/draw`);
    assert.equal(answer.status, 200);
    const text = await answer.text();
    assert.doesNotMatch(text, /did:/);
    const document = drawDocument.parse(JSON.parse(text));
    assert.equal(document.groups.reference.leaves.length, 12);
    assert.deepEqual(
      document.groups.intervention.sample.map(({ position }) => position),
      [0, 1, 2, 3],
    );
    const { client, addresses } = test.deps.chain;
    const logs = await client.getLogs({ address: addresses.campaigns, fromBlock: 0n });
    assert.ok(logs.length > 0);
    const didInHex = Buffer.from("did:").toString("hex");
    for (const { data, topics, transactionHash } of logs) {
      const { input } = await client.getTransaction({ hash: transactionHash });
      assert.ok(![data, input, ...topics].some((hex) => hex.includes(didInHex)));
    }
    assert.equal((await app.request(`${path}/draw`, { method: "POST" })).status, 401);
    assert.equal((await app.request(path)).status, 401);
    assert.equal((await app.request("/v1/campaigns/KPT-NONE/draw")).status, 404);
    assert.equal(index, document.campaign);
  });

  it("takes a commit up again that a crash cut off, before or after the chain had it", async () => {
    const { outbox } = test.deps.chain;
    for (const step of ["store", "deliver"] as const) {
      const body = await registerFrames(admin, exampleCampaign());
      const key = { "Idempotency-Key": `commit-${body.campaignId}` };
      const usual = outbox[step].bind(outbox) as (...args: unknown[]) => Promise<unknown>;
      const broken = async (...args: unknown[]) => {
        Object.assign(outbox, { [step]: usual });
        if (step === "deliver") await usual(...args);
        throw new Error("The process ends here.");
      };
      Object.assign(outbox, { [step]: broken });
      assert.equal((await admin("POST", "/campaigns", body, key)).status, 500);
      const retried = await admin("POST", "/campaigns", body, key);
      assert.equal(retried.status, 201, JSON.stringify(retried.body));
      assert.equal((await admin("POST", `/campaigns/${body.campaignId}/draw`)).status, 200);
    }
  });

  it("forgets the frames of failed commits, and no others", async () => {
    const { campaigns, registry } = test.deps;
    const { buildFrame } = await import("../frame/frame.ts");
    const unused = await buildFrame(["did:ixo:household/never"], (did) => registry.households.hashOf(did));
    await campaigns.store.saveFrame(unused, new Date("2020-01-01"));
    const { index } = await drawnCampaign(admin);
    const row = await campaigns.byIndex(index);
    assert.equal(await campaigns.store.hasFrame(unused.root), false);
    await campaigns.removeUnusedFrames(new Date(Date.now() + 60_000));
    assert.ok(row && (await campaigns.holdsFrame(row, "reference")));
    assert.equal((await campaigns.frameOf(index, "intervention")).length, 12);
  });

  it("is read from the chain by a process with another database, which has no frames", async () => {
    const { campaignId, index } = await drawnCampaign(admin);
    const dataDir = await mkdtemp(join(tmpdir(), "hearth-other-"));
    for (const folder of ["keys", "deployments"]) {
      await cp(join(test.world.dataDir, folder), join(dataDir, folder), { recursive: true });
    }
    await placeDatabase(dataDir);
    const config = test.world.config({ DATA_DIR: dataDir, ADMIN_API_KEY: testAdminKey });
    const other = await openApp(config, createLog(config));
    try {
      const headers = { authorization: `Bearer ${testAdminKey}` };
      const answer = await other.app.request(`/v1/campaigns/${campaignId}`, { headers });
      const read = (await answer.json()) as CampaignResponse;
      assert.deepEqual([read.status, read.index, read.sampleSize], ["drawn", index, 4]);
      assert.deepEqual([read.groups.reference.frameHeld, read.groups.reference.sample], [false, []]);
      const listed = await other.app.request("/v1/campaigns?limit=500", { headers });
      const { items } = (await listed.json()) as { items: { campaignId: string }[] };
      assert.ok(items.some((each) => each.campaignId === campaignId));
      assert.equal((await other.app.request(`/v1/campaigns/${campaignId}/draw`)).status, 404);
    } finally {
      await other.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it("says that its block is not there yet when that takes too long", async () => {
    const { path } = await committed();
    const early = await openSlowly(path);
    assert.deepEqual([early.status, rulesOf(early)], [409, ["draw-block-mined"]]);
    assert.ok(early.headers.get("retry-after"));
    assert.equal((await admin("POST", `${path}/draw`)).status, 200);
  });
});
