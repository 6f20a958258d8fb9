import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { createWalletClient, encodeDeployData, type Hex, http, serializeErc6492Signature } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { type Answer, newProofKey, WalletClient } from "../../../test/support/sessions.ts";
import { openApp } from "../../app.ts";
import type { OpenDeps } from "../../compose.ts";
import { createLog } from "../../platform/log.ts";

describe("Signing in with a wallet, at two processes over one PostgreSQL", () => {
  let postgres: TestPostgres;
  let world: TestWorld;
  let first: OpenDeps;
  let second: OpenDeps;
  /** Allows only a few requests a minute. */
  let narrow: OpenDeps;
  let skippedMs = 0;
  const now = () => new Date(Date.now() + skippedMs);
  const people: Record<"supplier" | "implementer" | "household" | "stranger", PrivateKeyAccount> = {
    supplier: privateKeyToAccount(generatePrivateKey()),
    implementer: privateKeyToAccount(generatePrivateKey()),
    household: privateKeyToAccount(generatePrivateKey()),
    stranger: privateKeyToAccount(generatePrivateKey()),
  };

  before(async () => {
    [postgres, world] = await Promise.all([startPostgres(), createTestWorld()]);
    const env = { DATABASE_URL: await postgres.createDatabase(), ADMIN_API_KEY: testAdminKey, TRUST_PROXY: "1" };
    const open = async (more: Record<string, string> = {}): Promise<OpenDeps> => {
      const config = world.config({ ...env, ...more });
      return await openApp(config, createLog(config), { clock: { now } });
    };
    first = await open();
    second = await open();
    narrow = await open({ REQUESTS_PER_MINUTE: "10" });
    await admin("POST", "/suppliers", { did: "did:x:shop", account: people.supplier.address, name: "Shop" });
    await admin("POST", "/implementers", { did: "did:x:stoves", account: people.implementer.address, name: "Stoves" });
    await admin("POST", "/households", { did: "did:x:home", account: people.household.address });
    await admin("POST", "/households/did%3Ax%3Ahome/account/confirm", { account: people.household.address });
    await admin("POST", "/households", { did: "did:x:other" });
  });
  after(async () => {
    await narrow?.close();
    await second?.close();
    await first?.close();
    await world?.close();
    await postgres?.stop();
  });

  async function admin(method: string, path: string, body: object): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${testAdminKey}` };
    const answer = await first.app.request(`/v1${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    assert.ok(answer.status < 300, text);
    return JSON.parse(text);
  }
  const client = async (account: PrivateKeyAccount, { app }: OpenDeps = first, address?: string) =>
    new WalletClient(app, account, { now, proofKey: await newProofKey(), ...(address && { address }) });
  const rulesOf = ({ body }: Answer) => body.details?.map(({ path, rule }) => `${path}:${rule}`).sort();

  it("gives the account the roles that it has on chain", async () => {
    const expected = { supplier: "did:x:shop", implementer: "did:x:stoves", household: "did:x:home" };
    for (const [name, did] of Object.entries(expected)) {
      const wallet = await client(people[name as keyof typeof expected]);
      const { actsAs, did: told, inForce, token } = await wallet.signIn();
      assert.deepEqual([actsAs, told, inForce], [name, did, true]);
      assert.match(token, /^hs_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
    }
    for (const [name, key] of [
      ["regulator", "registrar"],
      ["evaluator", "evaluator"],
    ] as const) {
      const wallet = await client(privateKeyToAccount(world.contracts.keys[key]));
      assert.equal((await wallet.signIn()).role, name);
    }
    const visitor = await (await client(people.stranger)).signIn();
    assert.deepEqual(
      [visitor.actsAs, visitor.did, visitor.standings],
      ["visitor", null, [{ actsAs: "visitor", did: null }]],
    );
  });

  it("lets each do only what its role allows", async () => {
    const supplier = await client(people.supplier);
    await supplier.signIn();
    const self = await supplier.call("GET", "/keys/self");
    assert.deepEqual([self.status, self.body.role, self.body.supplierDid], [200, "supplier", "did:x:shop"]);
    assert.equal(
      (await supplier.call("POST", "/suppliers", { did: "did:x:no", account: people.stranger.address, name: "x" }))
        .status,
      403,
    );
    const household = await client(people.household);
    await household.signIn();
    assert.equal((await household.call("GET", "/households/did%3Ax%3Ahome")).status, 200);
    assert.equal((await household.call("GET", "/households/did%3Ax%3Aother")).status, 404);
    const visitor = await client(people.stranger);
    await visitor.signIn();
    assert.equal((await visitor.call("GET", "/suppliers")).status, 200);
    assert.equal((await visitor.call("GET", "/households")).status, 403);
    assert.equal((await visitor.call("POST", "/households", { did: "did:x:more" })).status, 403);
  });

  it("names every rule that a message breaks", async () => {
    const wallet = await client(people.supplier);
    const body = await wallet.request({
      domain: "evil.example",
      uri: "https://evil.example/login",
      chainId: 1,
      nonce: "0123456789abcdef",
      issuedAt: new Date(now().getTime() - 3_600_000),
      expirationTime: new Date(now().getTime() - 1_000),
      notBefore: new Date(now().getTime() + 3_600_000),
      resources: [],
      body: { signature: `0x${"11".repeat(65)}` },
    });
    const answer = await wallet.post(body);
    assert.equal(answer.status, 401);
    assert.deepEqual(rulesOf(answer), [
      "message.chainId:own-chain",
      "message.domain:own-domain",
      "message.expirationTime:not-expired",
      "message.issuedAt:issued-now",
      "message.nonce:nonce-unused",
      "message.notBefore:begun",
      "message.resources:names-proof-key",
      "message.uri:own-uri",
      "signature:signature-valid",
    ]);
  });

  it("refuses text that is not such a message, or that states a field twice", async () => {
    const wallet = await client(people.supplier);
    const broken: Record<string, (message: string) => string> = {
      words: () => "Sign in, please.",
      "a second address": (message) => message.replace("\nURI: ", "\nURI: http://evil.example\nURI: "),
      "something behind it": (message) => `${message}\nNonce: 0123456789`,
      "an address without checksum": (message) => message.replace(/0x\w{40}/, (address) => address.toLowerCase()),
    };
    for (const [name, text] of Object.entries(broken)) {
      const answer = await wallet.post(await wallet.request({ text }));
      assert.deepEqual([answer.status, rulesOf(answer)], [401, ["message:message-form"]], name);
    }
    const precise = (message: string) => message.replace(/\.\d{3}Z/, "Z");
    assert.equal((await wallet.post(await wallet.request({ text: precise }))).status, 201);
  });

  it("refuses a message that was signed for another site, however similar its name", async () => {
    const wallet = await client(people.supplier);
    const sites = [
      "localhost:3000.evil.example",
      "localhost.evil.example:3000",
      "127.0.0.1:3001",
      "[::1]:3000",
      "evil.example@127.0.0.1:3000",
      "127.0.0.1:3000/",
    ];
    for (const site of sites) {
      const text = (message: string) => message.replace(/^\S+/, site);
      const answer = await wallet.post(await wallet.request({ text }));
      const [rule = ""] = rulesOf(answer) ?? [];
      assert.deepEqual([answer.status, /^message(.domain:own-domain|:message-form)$/.test(rule)], [401, true], site);
    }
    for (const uri of [
      "http://127.0.0.1:3000@evil.example/",
      "http://127.0.0.1:3000.evil.example/",
      "https://127.0.0.1:3000",
    ]) {
      const answer = await wallet.post(await wallet.request({ uri }));
      assert.deepEqual([answer.status, rulesOf(answer)], [401, ["message.uri:own-uri"]], uri);
    }
    const secure = await wallet.post(await wallet.request({ scheme: "https" }));
    assert.deepEqual([secure.status, rulesOf(secure)], [401, ["message.domain:own-domain"]]);
  });

  it("accepts a message once, at either process", async () => {
    const wallet = await client(people.supplier);
    const body = await wallet.request();
    const elsewhere = wallet.at(second.app);
    const answers = await Promise.all([wallet.post(body), elsewhere.post(body), wallet.post(body)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401, 401]);
    const again = await elsewhere.post(body);
    assert.deepEqual([again.status, rulesOf(again)], [401, ["message.nonce:nonce-unused"]]);
  });

  it("refuses a nonce older than ten minutes", async () => {
    const wallet = await client(people.supplier);
    const body = await wallet.request({ issuedAt: new Date(now().getTime() + 30_000) });
    skippedMs += 10 * 60_000 + 1_000;
    assert.deepEqual(rulesOf(await wallet.post(body)), ["message.nonce:nonce-unused"]);
  });

  it("binds the session to the key that the message names", async () => {
    const wallet = await client(people.supplier);
    const { publicJwk } = await newProofKey();
    const swapped = await wallet.post(await wallet.request({ body: { publicJwk } }));
    assert.deepEqual(rulesOf(swapped), ["message.resources:names-proof-key"]);
    await wallet.signIn();
    const thief = await client(people.supplier);
    thief.token = wallet.token;
    assert.equal((await thief.call("GET", "/sessions/self")).status, 401);
    assert.equal((await wallet.call("GET", "/sessions/self")).status, 200);
  });

  it("refuses a proof the second time, at either process, and a token without one", async () => {
    const wallet = await client(people.supplier);
    await wallet.signIn();
    const send = ({ app }: OpenDeps, headers: Record<string, string>) =>
      app.request("http://127.0.0.1:3000/v1/sessions/self", { headers });
    const proven = await wallet.prove("GET", "/sessions/self");
    const [one, two] = await Promise.all([send(first, proven), send(second, proven)]);
    assert.deepEqual([one.status, two.status].sort(), [200, 401]);
    assert.equal((await send(second, proven)).status, 401);
    for (const scheme of ["DPoP", "Bearer"])
      assert.equal((await send(first, { authorization: `${scheme} ${wallet.token}` })).status, 401, scheme);
    const other = await wallet.prove("DELETE", "/sessions/self");
    assert.equal((await send(first, other)).status, 401, "a proof for another method");
  });

  it("ends with sign-out, and with its time, at both processes", async () => {
    const wallet = await client(people.supplier);
    const { id } = await wallet.signIn();
    const elsewhere = wallet.at(second.app);
    assert.equal((await elsewhere.call("GET", "/sessions/self")).body.id, id);
    const stranger = await client(people.stranger);
    await stranger.signIn();
    assert.equal((await stranger.call("DELETE", `/sessions/${id}`)).status, 404);
    assert.equal((await wallet.call("DELETE", "/sessions/self")).status, 204);
    assert.equal((await wallet.call("GET", "/sessions/self")).status, 401);
    skippedMs += 1_000;
    assert.equal((await elsewhere.call("GET", "/sessions/self")).status, 401);
    await wallet.signIn({ expirationTime: new Date(now().getTime() + 60_000) });
    assert.equal((await wallet.call("GET", "/sessions/self")).status, 200);
    skippedMs += 61_000;
    assert.equal((await wallet.call("GET", "/sessions/self")).status, 401);
    const whole = await wallet.signIn();
    assert.equal(Date.parse(whole.expiresAt) - Date.parse(whole.createdAt), 8 * 3_600_000);
  });

  it("removes a suspended supplier's rights immediately, and restores them", async () => {
    const wallet = await client(people.supplier);
    await wallet.signIn();
    const roles = async () => {
      const own = (await wallet.call("GET", "/keys/self")).body.role;
      skippedMs += 1_000;
      return [own, (await wallet.at(second.app).call("GET", "/keys/self")).body.role];
    };
    assert.deepEqual(await roles(), ["supplier", "supplier"]);
    await admin("PATCH", "/suppliers/did%3Ax%3Ashop", { status: "suspended", reason: "test" });
    assert.deepEqual(await roles(), ["integrator", "integrator"]);
    const { inForce, actsAs, role } = (await wallet.call("GET", "/sessions/self")).body;
    assert.deepEqual([inForce, actsAs, role], [false, "supplier", "integrator"]);
    assert.equal((await wallet.call("GET", "/redemptions?supplierDid=did:x:shop")).status, 403);
    await admin("PATCH", "/suppliers/did%3Ax%3Ashop", { status: "authorised", reason: "test" });
    assert.deepEqual(await roles(), ["supplier", "supplier"]);
    // The request is authorised, but this test runs no index.
    assert.equal((await wallet.call("GET", "/redemptions?supplierDid=did:x:shop")).status, 503);
  });

  it("acts in the role that the account chooses of those that it has", async () => {
    await admin("POST", "/suppliers", { did: "did:x:both", account: people.implementer.address, name: "Both" });
    const wallet = await client(people.implementer);
    const chosen = await wallet.signIn({ body: { actsAs: "supplier" } });
    assert.deepEqual([chosen.role, chosen.did], ["supplier", "did:x:both"]);
    const held = chosen.standings.map(({ actsAs, did }) => `${actsAs} ${did}`);
    assert.deepEqual(held, ["implementer did:x:stoves", "supplier did:x:both", "visitor null"]);
    const changed = await wallet.call("PATCH", "/sessions/self", { actsAs: "implementer" });
    assert.deepEqual([changed.status, changed.body.role], [200, "implementer"]);
    assert.equal((await wallet.call("GET", "/keys/self")).body.implementerDid, "did:x:stoves");
    const refused = await wallet.call("PATCH", "/sessions/self", { actsAs: "regulator" });
    assert.deepEqual([refused.status, rulesOf(refused)], [403, ["actsAs:standing-held"]]);
    const other = await wallet.post(await wallet.request({ body: { actsAs: "supplier", did: "did:x:shop" } }));
    assert.deepEqual([other.status, rulesOf(other)], [403, ["actsAs:standing-held"]]);
  });

  it("accepts the signature of a contract wallet's owner, and no other (ERC-1271)", async () => {
    const owner = people.stranger;
    const address = await deployWallet(owner.address);
    await admin("POST", "/suppliers", { did: "did:x:safe", account: address, name: "Safe" });
    const wallet = await client(owner);
    assert.equal((await wallet.signIn({ address })).did, "did:x:safe");
    const other = await client(people.household);
    assert.deepEqual(rulesOf(await other.post(await other.request({ address }))), ["signature:signature-valid"]);
  });

  it("refuses an account whose contract does not confirm, be it silent, endless or invented", async () => {
    const wallet = await client(people.stranger);
    const endless = await deploy("0x635b6000566000526004601cf3");
    const silent = world.contracts.addresses.pool;
    for (const address of [silent, endless]) {
      const answer = await wallet.post(await wallet.request({ address }));
      assert.deepEqual([answer.status, rulesOf(answer)], [401, ["signature:signature-valid"]], address);
    }
    // ERC-6492: the signature names a factory that should deploy the account's contract but deploys another one.
    const { address } = people.supplier;
    const { signature } = await wallet.request({ address });
    const made = serializeErc6492Signature({ address: endless, data: "0x", signature: signature as Hex });
    const answer = await wallet.post(await wallet.request({ address, body: { signature: made } }));
    assert.deepEqual([answer.status, rulesOf(answer)], [401, ["signature:signature-valid"]]);
  });

  it("counts visitors' requests together by address, because anyone can use many accounts", async () => {
    const house = "10.1.0.1";
    const statuses: number[] = [];
    for (let visitor = 0; visitor < 3; visitor += 1) {
      const wallet = await client(privateKeyToAccount(generatePrivateKey()), narrow, house);
      await wallet.signIn();
      for (let i = 0; i < 4; i += 1) statuses.push((await wallet.call("GET", "/suppliers")).status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429, 429]);
    // A signed-in account has its own request limit.
    const supplier = await client(people.supplier, narrow, house);
    await supplier.signIn();
    assert.equal((await supplier.call("GET", "/suppliers")).status, 200);
  });

  it("creates no webhook, which would outlive the session", async () => {
    const wallet = await client(people.supplier);
    await wallet.signIn();
    const answer = await wallet.call("POST", "/webhooks", { url: "https://a.example/hook", events: ["*"] });
    assert.deepEqual([answer.status, answer.body.details?.[0]?.rule], [403, "lasting-key"]);
  });

  it("allows an address sixty requests a minute", async () => {
    const wallet = await client(people.stranger);
    const body = await wallet.request();
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) statuses.push((await wallet.post({ ...body, signature: "0x11" })).status);
    assert.equal(statuses.at(-1), 429);
    // One IPv6 network has more addresses than a limit could count.
    const at = (i: number) => client(people.stranger, first, `2001:db8:5:6::${i.toString(16)}`);
    const asked = await Promise.all(Array.from({ length: 61 }, async (_, i) => (await at(i)).post({})));
    assert.equal(asked.filter(({ status }) => status === 429).length, 1);
    assert.ok(statuses.includes(401));
  });

  async function deployWallet(owner: Hex): Promise<Hex> {
    const { abi, bytecode } = JSON.parse(
      readFileSync("artifacts/contracts/mocks/WalletMock.sol/WalletMock.json", "utf8"),
    );
    return await deploy(encodeDeployData({ abi, bytecode, args: [owner] }));
  }

  async function deploy(data: Hex): Promise<Hex> {
    const account = privateKeyToAccount(world.contracts.keys.deployer);
    const { client: reader } = first.deps.chain;
    const deployer = createWalletClient({ account, transport: http(world.anvil.url) });
    const hash = await deployer.sendTransaction({ data, chain: null });
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash, pollingInterval: 50 });
    return contractAddress as Hex;
  }
});
