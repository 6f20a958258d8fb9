import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { createAdaptorServer } from "@hono/node-server";
import type { Hex } from "viem";
import { submitCall } from "../api/platform/chain/submit.ts";
import type { DrawDocument } from "../api/scheme/campaigns/draw/document-schema.ts";
import type { CampaignResponse } from "../api/scheme/campaigns/schemas.ts";
import {
  drawnCampaign,
  exampleCampaign,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../test/support/campaigns.ts";
import { openRegistryTest, type RegistryTest } from "../test/support/registry.ts";
import { openSecondParty, type SecondParty, serviceAsParty } from "../test/support/second-party.ts";
import { kptClaimIdOf } from "../wire/src/ids.ts";
import { commitmentFrom, drawnInOrder, seedFrom } from "./draw/recompute.ts";

const root = join(import.meta.dirname, "..");

describe("npm run verify-draw", () => {
  let test: RegistryTest;
  let folder: string;
  let url: string;
  let drawn: CampaignResponse;
  let party: SecondParty;
  let server: ReturnType<typeof createAdaptorServer>;
  before(async () => {
    test = await openRegistryTest();
    folder = await mkdtemp(join(tmpdir(), "hearth-draw-"));
    server = createAdaptorServer({ fetch: test.app.fetch });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await registerPlans(test);
    party = await openSecondParty(test.world);
    drawn = await measuredCampaign(test, party);
  });
  after(async () => {
    server.close();
    await test.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The command as its script in package.json runs it, once the launcher has found a Node. */
  async function verify(...args: string[]) {
    const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const [launcher, launch, , script = ""] = (scripts["verify-draw"] ?? "").split(" ");
    assert.deepEqual([launcher, launch], ["node", "scripts/launch.cjs"]);
    const env = { ...process.env, INIT_CWD: folder };
    const child = spawn(process.execPath, [join(root, script), ...args], { cwd: root, env });
    child.stdin.end();
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { out, err, code };
  }
  /** What a reader knows from elsewhere. */
  const roots = () => [
    ...["--contract", test.deps.chain.addresses.campaigns],
    ...[
      "--service-accounts",
      Object.values(test.deps.chain.senders)
        .map(({ address }) => address)
        .join(),
    ],
  ];
  const node = () => ["--url", url, "--rpc", test.world.anvil.url];
  const overChain = () => [drawn.campaignId, ...node(), ...roots()];

  it("finds a draw with its replacements and claims as the chain made it, and says what it trusts", async () => {
    const { out, err, code } = await verify(...overChain());
    assert.deepEqual([code, err], [0, ""], out);
    assert.match(out, /holds {3}The 5 households drawn of the reference group are the first/);
    assert.match(out, /holds {3}1 households of the reference group were replaced/);
    assert.match(out, /holds {3}Each of the 2 claims on chain/);
    assert.match(out, /trusted that the node tells the chain as it is/);
    assert.doesNotMatch(out, /scheme's own Campaigns contract/);
    assert.match(
      out,
      /\nThe sample is the one that the later block and the secrets of both parties drew from the committed frames\.\n$/,
    );
  });

  it("verifies offline what was kept, and says that no node was asked", async () => {
    const kept = await verify(...overChain(), "--save-draw", "draw.json", "--save-facts", "facts.json");
    assert.equal(kept.code, 0, kept.out + kept.err);
    const offline = await verify("--file", "draw.json", "--facts", "facts.json", "--unanchored");
    assert.deepEqual([offline.code, offline.err], [0, ""], offline.out);
    assert.match(offline.out, /trusted that facts\.json says what the chain said at block \d+ .*; no node was asked/);
    assert.match(offline.out, /trusted that the document names the scheme's own Campaigns contract/);
    const facts = JSON.parse(await readFile(join(folder, "facts.json"), "utf8"));
    const sampling = { profile: "90/10", secondParty: facts.opened.at(-1).party };
    const committing = (secondParty: string) => JSON.stringify({ sampling: { ...sampling, secondParty } });
    for (const [secondParty, code, sentence] of [
      [sampling.secondParty, 0, /holds {3}The second party is the one that the terms commit/],
      [`0x${"de".repeat(20)}`, 1, /BROKEN {2}The terms commit 0x(de)+ as the second party; the draw has 0x/],
    ] as const) {
      await writeFile(join(folder, "facts-2.json"), JSON.stringify({ ...facts, terms: committing(secondParty) }));
      const verified = await verify("--file", "draw.json", "--facts", "facts-2.json", ...roots());
      assert.equal(verified.code, code, verified.out);
      assert.match(verified.out, sentence);
    }
    const other = await verify("KPT-OTHER", "--file", "draw.json", "--facts", "facts.json");
    assert.equal(other.code, 1);
    assert.match(other.out, /BROKEN {2}Campaign KPT-OTHER was asked for/);
  });

  it("takes contract and accounts from the deployment file, given or of this machine's own system", async (t) => {
    const { chain } = test.deps;
    const deployments = join(folder, "own", "deployments");
    const [operator, registrar, evaluator] = Object.values(chain.senders).map(({ address }) => address);
    const roles = { operator, registrar, evaluator, guardian: party.account, council: [party.account], threshold: 1 };
    const more = { genesisHash: `0x${"ab".repeat(32)}`, startBlock: 0, timelockDelay: 0, testStablecoin: true };
    const contracts = { ...chain.addresses, council: party.account, timelock: party.account };
    const deployment = { chainId: 31_337, contracts, roles, ...more };
    await mkdir(deployments, { recursive: true });
    await writeFile(join(deployments, "31337.json"), JSON.stringify(deployment));
    const given = await verify(drawn.campaignId, ...node(), "--deployment", "own/deployments/31337.json");
    assert.deepEqual([given.code, given.err], [0, ""], given.out);
    const absent = await verify(drawn.campaignId, ...node(), "--deployment", "absent.json");
    assert.deepEqual([absent.code, absent.out], [1, ""]);
    process.env.DATA_DIR = join(folder, "own");
    t.after(() => delete process.env.DATA_DIR);
    const own = await verify(drawn.campaignId, ...node());
    assert.deepEqual([own.code, own.err], [0, ""], own.out);
    const others = { ...contracts, campaigns: chain.addresses.pool };
    await writeFile(join(deployments, "31337.json"), JSON.stringify({ ...deployment, contracts: others }));
    const foreign = await verify(drawn.campaignId, ...node());
    assert.equal(foreign.code, 1);
    assert.match(foreign.out, /- the Campaigns contract \(--contract\)/);
  });

  it("needs to know the contract and the parties from elsewhere", async () => {
    const contract = ["--contract", test.deps.chain.addresses.campaigns];
    const secondParty = ["--second-party", party.account];
    const asked = [drawn.campaignId, ...node()];
    for (const [args, code, sentences] of [
      [[], 1, [/\nNot verified: anyone can make/, /- the Campaigns contract \(--contract\)/, /- who holds the second/]],
      [contract, 1, [/Compare too:\n- who holds the second party's key .*\nOr accept/]],
      [secondParty, 1, [/Compare too:\n- the Campaigns contract .*\nOr accept/]],
      [["--unanchored"], 0, [/\nThe sample is the one/]],
      [[...contract, ...secondParty], 0, [/\nThe sample is the one/]],
    ] as const) {
      const { out, code: ended } = await verify(...asked, ...args);
      assert.equal(ended, code, out);
      for (const sentence of sentences) assert.match(out, sentence);
    }
    const nobody = `0x${"de".repeat(20)}`;
    const other = await verify(...asked, "--contract", nobody, "--second-party", nobody);
    assert.equal(other.code, 1);
    const kept = await verify(...overChain(), "--save-draw", "draw-3.json", "--save-facts", "facts-3.json");
    assert.equal(kept.code, 0, kept.out);
    const offline = await verify(
      "--file",
      "draw-3.json",
      "--facts",
      "facts-3.json",
      "--contract",
      nobody,
      ...secondParty,
    );
    assert.equal(offline.code, 1);
    assert.match(offline.out, /BROKEN {2}The contract that you know is 0x(de)+, not 0x/);
    const others = await verify(
      "--file",
      "draw-3.json",
      "--facts",
      "facts-3.json",
      ...contract,
      "--second-party",
      nobody,
    );
    assert.equal(others.code, 1);
    assert.match(others.out, /BROKEN {2}The second party that you know is 0x(de)+; 0x\w+ took part in the draw/);
  });

  it("finds that the service had both secrets, whatever the document says of its accounts", async () => {
    const service = serviceAsParty(test);
    const own = await drawnCampaign(test.admin, undefined, service);
    const document = await documentOf(own.campaignId);
    await writeFile(join(folder, "lie.json"), JSON.stringify({ ...document, serviceAccounts: [] }));
    const lie = ["--file", "lie.json", "--rpc", test.world.anvil.url];
    const known = await verify(...lie, ...roots());
    assert.equal(known.code, 1);
    assert.match(
      known.out,
      new RegExp(`BROKEN {2}One party alone .* the service signs with both accounts, 0x\\w+ and ${service.account}`),
    );
    const unknown = await verify(...lie, "--contract", test.deps.chain.addresses.campaigns);
    assert.equal(unknown.code, 1);
    assert.match(unknown.out, /Not verified.*\n- who holds the second party's key/);
    const stated = await verify(own.campaignId, ...node(), "--unanchored");
    assert.equal(stated.code, 1, "the document's own admission counts");
  });

  it("leaves with 1 and the sentence when the published document is not what the chain drew", async () => {
    const document = (await (await fetch(`${url}/v1/campaigns/${drawn.campaignId}/draw`)).json()) as DrawDocument;
    const lies: [name: string, sentence: RegExp, change: (lie: DrawDocument) => void][] = [
      [
        "leaf",
        /BROKEN {2}The reference frame's leaves make the root/,
        ({ groups }) => groups.reference.leaves.splice(0, 1, `0x${"12".repeat(32)}`),
      ],
      [
        "member",
        /BROKEN {2}Position 0 of the intervention group is 0x[0-9a-f]+ by the draw; the document says/,
        ({ groups }) => {
          const [first, second] = groups.intervention.sample;
          if (first && second) [first.leaf, second.leaf] = [second.leaf, first.leaf];
        },
      ],
      [
        "seed",
        /BROKEN {2}The document's seed is/,
        ({ draw }) => {
          if (draw) draw.seed = `0x${"34".repeat(32)}`;
        },
      ],
      [
        "replacement",
        /BROKEN {2}The chain replaces position 1 by 4 \(moved\) in the reference group; the document does not/,
        ({ groups }) => groups.reference.replacements.splice(0),
      ],
      [
        "claim",
        /BROKEN {2}Claim KPT-\S+ is of position 4 of the reference group, which the document's sample lacks/,
        ({ groups }) => groups.reference.sample.splice(4),
      ],
    ];
    for (const [name, sentence, change] of lies) {
      const lie = structuredClone(document);
      change(lie);
      await writeFile(join(folder, `${name}.json`), JSON.stringify(lie));
      const { out, code } = await verify("--file", `${name}.json`, "--rpc", test.world.anvil.url);
      assert.equal(code, 1, name);
      assert.match(out, sentence);
      assert.match(out, /\nThe draw is not verified: \d+ faults?\.\n$/);
    }
  });

  it("refuses a draw that the maker of the blocks chose alone, and names that party", async () => {
    const body = await registerFrames(test.admin, exampleCampaign({ sampleSize: 7 }, 10));
    requireStatus(await test.admin("POST", "/campaigns", body), 201);
    const wanted = await chooseSample(body.campaignId);
    const document = await documentOf(body.campaignId);
    const sample = document.groups.intervention.sample.map(({ leaf }) => leaf);
    assert.deepEqual(sample.toSorted(), wanted, "the operator has the seven households that it wanted");
    const { out, code } = await verify(body.campaignId, ...node(), ...roots());
    assert.equal(code, 1, out);
    const operator = test.deps.chain.senders.operator.address;
    assert.match(out, new RegExp(`BROKEN {2}One party alone could have chosen the draw: the operator ${operator} had`));
    assert.match(out, /\nThe draw is not verified: 1 fault\.\n$/);
  });

  it("finds no block for the maker of the blocks while a second party keeps its secret", async () => {
    // One choice in 120 is the wanted one by chance; three in a row are one in 1 728 000.
    let campaignId = "";
    let isWanted = true;
    for (let draws = 0; isWanted && draws < 3; draws++) {
      const body = await registerFrames(test.admin, exampleCampaign({ sampleSize: 7 }, 10));
      campaignId = body.campaignId;
      requireStatus(await test.admin("POST", "/campaigns", body), 201);
      await party.join(test.admin, campaignId);
      const wanted = await chooseSample(campaignId);
      await party.reveal(test.admin, campaignId);
      const document = await documentOf(campaignId);
      const sample = document.groups.intervention.sample.map(({ leaf }) => leaf);
      isWanted = isDeepStrictEqual(sample.toSorted(), wanted);
    }
    assert.equal(isWanted, false, "the operator cannot choose the sample");
    const { out, code } = await verify(campaignId, ...node(), ...roots());
    assert.equal(code, 0, out);
    assert.match(
      out,
      new RegExp(`Neither the operator 0x\\w+ nor the second party ${party.account} could have chosen`),
    );
  });

  const documentOf = async (campaignId: string) =>
    (await (await fetch(`${url}/v1/campaigns/${campaignId}/draw`)).json()) as DrawDocument;

  /**
   * The attack: who makes the blocks opens the draw, and makes the draw block again until the seed that the operator's secret gives
   * with it draws seven wanted households of ten. Then it reveals its secret.
   * @returns the wanted leaves, ascending
   */
  async function chooseSample(campaignId: string): Promise<string[]> {
    const { deps, world } = test;
    const { rpc } = world.anvil;
    const { leaves } = (await documentOf(campaignId)).groups.intervention;
    const wanted = leaves.slice(0, 7).toSorted();
    const row = await deps.campaigns.byId(campaignId);
    assert.ok(row);
    const { campaign } = row;
    const { address } = deps.chain.senders.operator;
    const secret: Hex = `0x${"5e".repeat(32)}`;
    const call = { sender: "operator", contract: "campaigns", purpose: "test" } as const;
    await submitCall(
      deps,
      {},
      { ...call, functionName: "openDraw", args: [campaign, commitmentFrom(secret, address)] },
    );
    await rpc("evm_setIntervalMining", [0]);
    const latest = () => deps.chain.client.getBlock();
    const { drawBlock } = await deps.campaigns.ledger.stateOf(campaign);
    assert.ok(drawBlock);
    while ((await latest()).number < BigInt(drawBlock) - 1n) await rpc("evm_mine");
    const { timestamp, number } = await latest();
    assert.equal(number, BigInt(drawBlock) - 1n, "the draw block is still to be made");
    const roots = { reference: row.referenceRoot as Hex, intervention: row.interventionRoot as Hex };
    const secrets = { operator: secret, secondParty: null };
    for (let tries = 1; ; tries++) {
      const snapshot = await rpc("evm_snapshot");
      await rpc("evm_setNextBlockTimestamp", [Number(timestamp) + tries]);
      await rpc("evm_mine");
      const { hash } = await latest();
      const seed = seedFrom({ blockHash: hash, campaign, roots, secrets });
      const drawn = drawnInOrder(seed, "intervention", leaves as Hex[]).slice(0, 7);
      if (drawn.toSorted().join() === wanted.join()) break;
      await rpc("evm_revert", [snapshot]);
    }
    await rpc("evm_mine");
    await rpc("evm_setAutomine", [true]);
    await submitCall(deps, {}, { ...call, functionName: "reveal", args: [campaign, secret] });
    return wanted;
  }

  it("says in a sentence what it cannot have or understand", async () => {
    const dead = await verify(drawn.campaignId, "--url", "http://127.0.0.1:9");
    assert.equal(dead.code, 1);
    assert.match(dead.err, /^http:\/\/127\.0\.0\.1:9\/v1\/campaigns\/\S+ does not answer/);
    assert.match((await verify("KPT-NONE", "--url", url)).err, /answers 404/);
    assert.match(
      (await verify("--file", "absent.json")).err,
      /^absent\.json cannot be read: there is no such file\.$/m,
    );
    await writeFile(join(folder, "other.json"), "{}");
    assert.match((await verify("--file", "other.json")).err, /is not what it should be: format/);
    const noNode = await verify(drawn.campaignId, "--url", url, "--rpc", "http://127.0.0.1:9");
    assert.equal(noNode.code, 1);
    assert.match(noNode.err, /^The chain's facts could not be read from http:\/\/127\.0\.0\.1:9/);
    const committed = await registerFrames(test.admin, exampleCampaign());
    requireStatus(await test.admin("POST", "/campaigns", committed), 201);
    const early = await verify(committed.campaignId, "--url", url, "--rpc", test.world.anvil.url);
    assert.equal(early.code, 1);
    assert.match(early.out, /BROKEN {2}The campaign has not been drawn/);
    for (const args of [
      [],
      ["--unknown"],
      ["A", "B"],
      ["A", "--facts", "f", "--rpc", "r"],
      ["A", "--second-party", "0x1"],
    ]) {
      const { code, err } = await verify(...args);
      assert.equal(code, 2, args.join(" "));
      assert.match(err, /Usage: npm run verify-draw/);
    }
    const help = await verify("--help");
    assert.deepEqual([help.code, help.err], [0, ""]);
    assert.match(help.out, /^Usage: npm run verify-draw/);
  });
});

/** A drawn campaign with one household of the reference group replaced, and two measured: one of them the replacement. */
async function measuredCampaign(test: RegistryTest, party: SecondParty): Promise<CampaignResponse> {
  const drawn = await drawnCampaign(test.admin, undefined, party);
  const body = {
    group: "reference",
    householdId: drawn.groups.reference.sample[1],
    reason: "moved",
    evidence: "https://x.example/door.jpg",
  };
  requireStatus(await test.admin("POST", `/campaigns/${drawn.campaignId}/replacements`, body), 201);
  for (const [group, position, hash] of [
    ["reference", 4, `0x${"ab".repeat(32)}`],
    ["intervention", 0, `0x${"cd".repeat(32)}`],
  ] as const) {
    const claim = kptClaimIdOf({ campaign: drawn.index, group, position, number: 1 });
    await submitCall(
      test.deps,
      {},
      {
        sender: "operator",
        contract: "campaigns",
        functionName: "recordMany",
        args: [[{ claim, claimHash: hash, credentialHash: hash }]],
        purpose: "test",
      },
    );
  }
  return drawn;
}
