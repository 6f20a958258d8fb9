import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it, mock } from "node:test";
import { serve } from "@hono/node-server";
import { type Abi, type Address, encodeFunctionData, stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { abis } from "../../api/platform/chain/contracts.ts";
import { registration } from "../../test/indexer/story.ts";
import { passTime } from "../../test/support/council-chain.ts";
import { type CouncilTest, openCouncilTest } from "../../test/support/governance.ts";
import { runPool } from "./run.ts";

type Run = { code: number; output: string; errors: string };

describe("npm run pool", () => {
  let test: CouncilTest;
  let url: string;
  let server: ReturnType<typeof serve>;
  before(async () => {
    test = await openCouncilTest();
    server = serve({ fetch: test.app.fetch, hostname: "127.0.0.1", port: 0 });
    await new Promise<void>((resolve) => server.once("listening", () => resolve()));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.close();
    await test.close();
  });

  /** As on the command line, in this process: what it prints is caught. */
  async function run(args: string[], env: Record<string, string> = {}): Promise<Run> {
    const { RPC_URL: _, DEPLOYMENT: __, ...rest } = process.env;
    const before = process.env;
    process.env = { ...rest, DATA_DIR: test.dataDir, PUBLIC_URL: url, ...env };
    const printed = mock.method(console, "log", () => {});
    const said = mock.method(console, "error", () => {});
    try {
      const code = await runPool(args);
      return { code, output: linesOf(printed), errors: linesOf(said) };
    } finally {
      process.env = before;
      printed.mock.restore();
      said.mock.restore();
    }
  }
  const linesOf = ({ mock: { calls } }: { mock: { calls: { arguments: unknown[] }[] } }) =>
    calls.map((call) => call.arguments.join(" ")).join("\n");
  const idIn = ({ output }: Run) => /^(0x[0-9a-f]{64}) {2}/m.exec(output)?.[1] ?? "";

  it("takes a price from proposal to execution by three people's own keys", async () => {
    const proposed = await run(["propose", "price", "0.021", "--as", "council-1", "--yes"]);
    assert.equal(proposed.code, 0, proposed.errors);
    assert.match(proposed.output, /Set the pool's price from 0\.020000 to 0\.021000 tUSD per CARBON \(\+5\.00 %\)\./);
    assert.match(proposed.output, /1 of 2 approvals/);
    const id = idIn(proposed);
    // The words are made of what a node says that the signer chose.
    const approved = await run(["approve", id, "--key-env", "MY_KEY", "--rpc", test.anvil.url, "--yes"], {
      MY_KEY: test.keys["council-2"],
    });
    assert.equal(approved.code, 0, approved.errors);
    assert.match(approved.output, /scheduled/);
    const early = await run(["execute", id]);
    assert.equal(early.code, 1);
    assert.match(early.errors, /It can be executed from \d{4}-/);
    await passTime(test, 86_401);
    assert.match((await run(["status"])).output, /may be executed now/);
    assert.match((await run(["execute", id])).output, /executed/);
    assert.match((await run(["status", "--rpc", test.anvil.url])).output, /^price {5}0\.021000 tUSD per CARBON/m);
  });

  it("pauses by the guardian over the service, and cancels by its own transaction on a node", async () => {
    const paused = await run(["pause", "--as", "guardian", "--yes"]);
    assert.equal(paused.code, 0, paused.errors);
    assert.match((await run(["status"])).output, /^pool {6}PAUSED/m);
    const proposed = await run(["unpause", "--as", "council-2", "--yes"]);
    const id = idIn(proposed);
    await run(["approve", id, "--as", "council-3", "--yes"]);
    const cancelled = await run(["cancel", id, "--as", "guardian", "--rpc", test.anvil.url, "--yes"]);
    assert.match(cancelled.output, /Done in block/, cancelled.errors);
    assert.match((await run(["show", id])).output, /cancelled/);
    assert.equal((await run(["pause", "--as", "council-1", "--yes"])).code, 1);
  });

  it("lets a key elsewhere sign what it prints, and takes a proposal back", async () => {
    const account = test.member(3);
    const asked = await run(["propose", "fee", "50", "--signer", account.address]);
    const [safeTx, statement] = [...asked.output.matchAll(/^\{$[\s\S]*?^\}$/gm)].map(([json]) => JSON.parse(json));
    assert.ok(safeTx.types.EIP712Domain && statement.message.changes.length === 1, asked.output + asked.errors);
    const [one, two] = await Promise.all([account.signTypedData(safeTx), account.signTypedData(statement)]);
    const sent = await run(
      ["propose", "fee", "50", "--signer", account.address, "--signature", one].concat(["--statement-signature", two]),
    );
    assert.match(sent.output, /1 of 2 approvals/, sent.errors);
    const back = await run(["cancel", idIn(sent), "--as", "council-3", "--yes"]);
    assert.match(back.output, /I take this proposal back\.[\s\S]*cancelled/, back.errors);
  });

  it("decides without the service, by a file that goes from member to member", async () => {
    const file = join(test.dataDir, "proposal.json");
    const here = ["--file", file, "--rpc", test.anvil.url, "--api", "http://127.0.0.1:1", "--yes"];
    const proposed = await run(["propose", "itmo-daily-cap", "500", "--as", "council-1", ...here]);
    assert.match(proposed.output, /from 1,000,000 t to 500 t[\s\S]*1 of 2 approvals/, proposed.errors);
    assert.match((await run(["send", "--as", "guardian", ...here])).errors, /1 of 2 approvals: it is not decided/);
    await run(["approve", "--as", "council-3", ...here]);
    const sent = await run(["send", "--as", "guardian", ...here]);
    assert.match(sent.output, /Done in block/, sent.errors);
    const [id = ""] = /0x[0-9a-f]{64}/.exec(proposed.output) ?? [];
    assert.match((await run(["show", id])).output, /scheduled[\s\S]*to 500 t/);
    assert.match((await run(["send", "--as", "guardian", ...here])).errors, /Approve it again/);
    assert.match((await run(["propose", "fee", "9999", "--as", "council-1", ...here])).errors, /fee: /);
  });

  it("lowers each cap immediately by the guardian, and raises it by the council alone", async () => {
    const node = ["--rpc", test.anvil.url, "--yes"];
    const lower = async (...words: string[]) => await run(["lower", ...words, "--as", "guardian", ...node]);
    const expected: [string[], RegExp][] = [
      [["operator-cap", "9000000"], /pay out in a day from 10,000,000 CARBON to 9,000,000 CARBON, immediately, as 0x/],
      [["pin-cap", "0"], /redeem on PINs in a day from 10,000 CARBON to 0 CARBON, immediately/],
      [
        ["lifecycle-cap", "amount=1"],
        /cancel and reissue in a day, what all together may sweep, and all operators reverse, from .* to 1 CARBON/,
      ],
      [["unconsented-cap", "plan=0", "amount=0"], /without a household's consent under the default plan to 0 CARBON/],
      [["itmo-daily-cap", "0"], /as ITMOs in a day from .* to 0 t/],
      [["caps", "perDay=5"], /net in a day from .* to 5 CARBON/],
    ];
    for (const [words, text] of expected) {
      const lowered = await lower(...words);
      assert.match(lowered.output, text, lowered.errors);
      assert.match(lowered.output, /Done in block/);
      assert.match((await lower(...words)).errors, /^The chain refuses it: /);
    }
    assert.match((await run(["status"])).output, /redeems on PINs up to 0 CARBON a day/);
    assert.match((await lower("operator-cap", "9500000")).errors, /A cap can only be lowered this way/);
    const raised = await run(["propose", "pin-cap", "5", "--as", "council-1", "--yes"]);
    assert.match(raised.output, /redeem on PINs in a day from 0 CARBON to 5 CARBON/, raised.errors);
    await run(["cancel", idIn(raised), "--as", "council-1", "--yes"]);
    const { address } = privateKeyToAccount(test.keys.guardian);
    const elsewhere = await run(["lower", "operator-cap", "1", "--signer", address, ...node]);
    assert.match(elsewhere.output, /Send this from 0x[\s\S]*"data": "0x/, elsewhere.errors);
  });

  it("says what lower and drop-account need", async () => {
    const as = ["--as", "guardian", "--rpc", test.anvil.url, "--yes"];
    assert.match((await run(["lower", "price", "1", ...as])).errors, /lower needs the name of a cap: operator-cap, /);
    assert.match((await run(["lower", "pin-cap", "x", ...as])).errors, /^amount: /);
    assert.match((await run(["lower", "pin-cap", "0", "--as", "guardian"])).errors, /--rpc is needed/);
    assert.match((await run(["drop-account", "shop", "1", ...as])).errors, /implementer, supplier or household/);
    assert.match(
      (await run(["drop-account", "supplier", "did:x:none", ...as])).errors,
      /There is no supplier did:x:none/,
    );
    assert.match((await run(["drop-account", "household", "did:x:1", ...as])).errors, /by its number alone/);
    assert.match((await run(["drop-account", "supplier", "1", ...as])).errors, /^The chain refuses it: /);
  });

  it("vetoes a revocation by the guardian, until it is final", async () => {
    const { participants, certificates } = test.deployment.contracts;
    const { client } = test.deps.chain;
    const asRegistrar = async (to: Address, abi: Abi, functionName: string, args: unknown[]) => {
      const hash = await test.sendAs("registrar", to, encodeFunctionData({ abi, functionName, args }));
      assert.equal(
        (await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })).status,
        "success",
        functionName,
      );
    };
    const issuer = ["did:web:verifier.example", ["EmissionReductionCredential"], 0n, 0n];
    await asRegistrar(participants, abis.participants, "registerImplementer", [
      "did:x:i",
      test.address("operator"),
      "I",
    ]);
    await asRegistrar(participants, abis.participants, "trustIssuer", issuer);
    await asRegistrar(certificates, abis.certificates, "registerCertificate", [registration("CERT-1", 1_000n, 0, 1n)]);
    const revoke = () => asRegistrar(certificates, abis.certificates, "setCertificateStatus", [1, 4, "A stolen key"]);
    const veto = async (...words: string[]) =>
      await run(["veto-revocation", ...words, "--as", "guardian", "--rpc", test.anvil.url, "--yes"]);
    const reason = ["--reason", "Not the registrar"];
    await revoke();
    assert.match((await veto("CERT-1")).errors, /needs the certificate's id, and --reason TEXT/);
    assert.match((await veto("CERT-2", ...reason)).errors, /There is no certificate CERT-2/);
    const without = await run(["veto-revocation", "CERT-1", ...reason, "--as", "guardian", "--yes"]);
    assert.match(without.errors, /--rpc is needed/);
    const stranger = ["--as", "registrar", "--rpc", test.anvil.url, "--yes"];
    assert.match(
      (await run(["veto-revocation", "CERT-1", ...reason, ...stranger])).errors,
      /^The chain refuses it: .*role/,
    );

    const vetoed = await veto("CERT-1", ...reason);
    assert.match(
      vetoed.output,
      /^Veto the revocation of certificate CERT-1: Not the registrar, immediately, as 0x/,
      vetoed.errors,
    );
    assert.match(vetoed.output, /Done in block/);
    assert.match((await veto("CERT-1", ...reason)).errors, /^The chain refuses it: The certificate is suspended/);
    await revoke();
    await passTime(test, 2 * 86_400);
    assert.match(
      (await veto("CERT-1", ...reason)).errors,
      /^The chain refuses it: The revocation is final since \d{4}-\d{2}-\d{2}/,
    );
  });

  it("vetoes a reduction of an authorization by the guardian, until it is final", async () => {
    const { itmo, authorizations } = test.deployment.contracts;
    const { client } = test.deps.chain;
    const asRegistrar = async (to: Address, abi: Abi, functionName: string, args: unknown[]) => {
      const hash = await test.sendAs("registrar", to, encodeFunctionData({ abi, functionName, args }));
      assert.equal(
        (await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })).status,
        "success",
        functionName,
      );
    };
    const approach = {
      approachId: stringToHex("CA0001"),
      firstTransferringParty: stringToHex("ZMB"),
      participatingParties: [],
      sectors: [],
      activityType: "Stoves",
      ndcFirstYear: 2021,
      ndcLastYear: 2030,
    };
    const authorization = {
      authorizationId: "AUTH 1",
      approach: 1,
      date: 19_000,
      quantity: 5n,
      purpose: 1,
      firstTransfer: 0,
      firstYear: 0,
      lastYear: 0,
      omgeShare: 0,
      sopShare: 0,
      entities: [],
      terms: "{}",
    };
    await asRegistrar(itmo, abis.itmo, "registerApproach", [approach]);
    await asRegistrar(itmo, abis.itmo, "registerAuthorization", [authorization]);
    const revoke = () => asRegistrar(authorizations, abis.authorizations, "revoke", [1, "A stolen key"]);
    const veto = async (...words: string[]) =>
      await run(["veto-reduction", ...words, "--as", "guardian", "--rpc", test.anvil.url, "--yes"]);
    const reason = ["--reason", "Not the registrar"];
    await revoke();
    assert.match((await veto("AUTH 1")).errors, /needs the authorization's id, and --reason TEXT/);
    assert.match((await veto("AUTH 2", ...reason)).errors, /There is no authorization AUTH 2/);
    const without = await run(["veto-reduction", "AUTH 1", ...reason, "--as", "guardian", "--yes"]);
    assert.match(without.errors, /--rpc is needed/);
    const stranger = ["--as", "registrar", "--rpc", test.anvil.url, "--yes"];
    const byStranger = await run(["veto-reduction", "AUTH 1", ...reason, ...stranger]);
    assert.match(byStranger.errors, /^The chain refuses it: .*role/);
    const vetoed = await veto("AUTH 1", ...reason);
    const title =
      /^Veto the last reduction or revocation of authorization AUTH 1: Not the registrar, immediately, as 0x/;
    assert.match(vetoed.output, title, vetoed.errors);
    assert.match(vetoed.output, /Done in block/);
    const refused = /^The chain refuses it: The authorization has no reduction or revocation/;
    assert.match((await veto("AUTH 1", ...reason)).errors, refused);
    await revoke();
    await passTime(test, 2 * 86_400);
    assert.match((await veto("AUTH 1", ...reason)).errors, refused);
  });

  it("says what is wrong with a key, a command or an action", async () => {
    const open = join(test.dataDir, "open.key");
    await writeFile(open, test.keys["council-1"]);
    await chmod(open, 0o644);
    const readable = await run(["propose", "unpause", "--key-file", open, "--yes"]);
    assert.deepEqual([readable.code, /chmod 600/.test(readable.errors)], [2, true]);
    const unknown = await run(["propose", "mint", "--as", "council-1", "--yes"]);
    assert.equal(unknown.code, 1);
    assert.match(unknown.errors, /action/);
    assert.match((await run(["raise"])).errors, /There is no command raise/);
    const help = execFileSync(process.execPath, ["scripts/pool.ts", "--help"], { encoding: "utf8" });
    assert.match(help, /npm run pool -- propose/);
    const silent = await run(["propose", "unpause", "--as", "council-1"]);
    assert.match(silent.errors, /add --yes to sign/);
  });
});
