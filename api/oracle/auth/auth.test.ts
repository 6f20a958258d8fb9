import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { EthereumDIDRegistry } from "ethr-did-resolver";
import { type Abi, type Address, createPublicClient, createWalletClient, type Hex, http, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startAnvil } from "../../../test/support/anvil.ts";
import {
  echoAgent,
  mintOracleToken,
  openTestOracle,
  type TestOracle,
  type TestToken,
} from "../../../test/support/oracle/oracle.ts";
import { connect, socketOf } from "../../../test/support/oracle/streams.ts";
import { readConfig } from "../../config.ts";
import { generateKey, type Key } from "../../platform/ucan/mint.ts";
import { fileRevocations } from "../../platform/ucan/tables.ts";
import { ethrNetworksOf, openVerifier } from "../../scheme/verification/open-verifier.ts";
import { missingArtifacts } from "./authenticate.ts";
import { walletKeyMessage } from "./wallet-keys.ts";

const registered = "did:ixo:ixo1abc";
const registryPath = join(tmpdir(), `hearth-did-registry-${process.pid}.json`);
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

describe("the oracle's authentication", () => {
  let oracle: TestOracle;
  let alice: Key;
  let registeredKey: Key;
  before(async () => {
    [alice, registeredKey] = await Promise.all([generateKey(), generateKey()]);
    await writeFile(registryPath, JSON.stringify({ [registered]: registeredKey.did() }));
    oracle = await openTestOracle(echoAgent, { DID_REGISTRY: registryPath });
  });
  after(() => oracle.close());

  const mint = (options: Partial<TestToken> = {}) =>
    mintOracleToken({ issuer: alice, audience: oracle.did, ...options });
  const get = async (headers: Record<string, string>) => {
    const answer = await fetch(`${oracle.url}/sessions`, { headers });
    return {
      status: answer.status,
      body: (await answer.json()) as { message: string; statusCode: number; details: { rule: string }[] },
    };
  };
  const invoke = (token: string, more: Record<string, string> = {}) =>
    get({ authorization: `Bearer ${token}`, "x-auth-type": "ucan", ...more });
  const rules = async (options: Partial<TestToken>) => {
    const { status, body } = await invoke(await mint(options));
    assert.equal(status, 401);
    assert.equal(body.message, "Invalid UCAN invocation");
    return body.details.map(({ rule }) => rule);
  };

  it("says what is missing when there is neither artifact", async () => {
    const { status, body } = await get({});
    assert.deepEqual([status, body.statusCode, body.message], [401, 401, missingArtifacts]);
  });

  it("lets no cache keep what a user was answered, or refused", async () => {
    const headers = { authorization: `Bearer ${await mint()}`, "x-auth-type": "ucan" };
    for (const [sent, status] of [
      [headers, 200],
      [{}, 401],
    ] as const) {
      const answer = await fetch(`${oracle.url}/sessions`, { headers: sent });
      assert.deepEqual([answer.status, answer.headers.get("cache-control")], [status, "private, no-store"]);
    }
  });

  it("ignores a bearer without X-Auth-Type: ucan", async () => {
    const { status, body } = await get({ authorization: `Bearer ${await mint()}` });
    assert.deepEqual([status, body.message], [401, missingArtifacts]);
  });

  it("accepts every capability of the list, also repeated", async () => {
    for (const can of ["*", "oracle/*", "oracle/chat"]) {
      for (const resource of ["ixo:oracle", oracle.did, oracle.identity.keyDid, alice.did()]) {
        const token = await mint({ capabilities: [{ can, with: resource }] });
        assert.equal((await invoke(token)).status, 200);
        assert.equal((await invoke(token)).status, 200);
      }
    }
    const byAlias = await mint({ audience: oracle.identity.keyDid });
    assert.equal((await invoke(byAlias)).status, 200);
  });

  it("refuses other capabilities, audiences and lives, naming each broken rule", async () => {
    const mallory = await generateKey();
    const capability = (can: string, resource: string) => rules({ capabilities: [{ can, with: resource }] });
    assert.deepEqual(await capability("oracle/admin", "ixo:oracle"), ["capability"]);
    assert.deepEqual(await capability("fs/read", `vfs://${encodeURIComponent(alice.did())}`), ["capability"]);
    assert.deepEqual(await capability("*", mallory.did()), ["capability"]);
    assert.deepEqual(await rules({ audience: mallory.did() }), ["audience"]);
    assert.deepEqual(await rules({ expiration: inSeconds(20 * 60) }), ["token-ttl"]);
    assert.deepEqual(await rules({ expiration: Number.POSITIVE_INFINITY }), ["finite-expiry"]);
    assert.deepEqual(await rules({ expiration: inSeconds(-1) }), ["expiry"]);
  });

  it("refuses a token that somebody else signed, or that is none", async () => {
    const token = await mint();
    const bytes = Buffer.from(token, "base64");
    const at = bytes.length - 10;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    for (const bad of [bytes.toString("base64"), "bm90aGluZw==", "!"]) {
      const { status, body } = await invoke(bad);
      assert.deepEqual([status, body.message], [401, "Invalid UCAN invocation"], bad.slice(0, 10));
    }
  });

  it("refuses an invalid invocation even with a valid delegation", async () => {
    const delegation = await mint({ expiration: inSeconds(7 * 24 * 3600) });
    assert.equal((await get({ "x-ucan-delegation": delegation })).status, 200);
    const expired = await mint({ expiration: inSeconds(-5) });
    assert.equal((await invoke(expired, { "x-ucan-delegation": delegation })).status, 401);
    assert.equal((await invoke(await mint(), { "x-ucan-delegation": "bm8=" })).status, 200);
  });

  it("accepts a delegation over the family's services, but not one over files only", async () => {
    const memory = await mint({ capabilities: [{ can: "memory/*", with: "ixo:memory" }] });
    assert.equal((await get({ "x-ucan-delegation": memory })).status, 200);
    const files = await mint({ capabilities: [{ can: "*", with: `vfs://${encodeURIComponent(alice.did())}` }] });
    const { status, body } = await get({ "x-ucan-delegation": files });
    assert.deepEqual([status, body.message], [401, "Invalid UCAN delegation"]);
    // With an invocation, it only says what the oracle may do with the files, not who calls.
    assert.equal((await invoke(await mint(), { "x-ucan-delegation": files })).status, 200);
    const expired = await mint({ expiration: inSeconds(-5) });
    const session = (await (
      await fetch(`${oracle.url}/sessions`, {
        method: "POST",
        headers: { authorization: `Bearer ${await mint()}`, "x-auth-type": "ucan" },
      })
    ).json()) as { sessionId: string };
    const socket = socketOf(oracle, session.sessionId, { invocation: expired, ucanDelegation: files });
    assert.match((await connect(socket)) ?? "", /^Unauthorized/);
    socket.disconnect();
  });

  it("knows signers of DIDs in the local registry, and nobody else for them", async () => {
    const issuer = registeredKey.withDID(registered as `did:ixo:${string}`);
    assert.equal((await invoke(await mint({ issuer }))).status, 200);
    const other = (await generateKey()).withDID(registered as `did:ixo:${string}`);
    assert.equal((await invoke(await mint({ issuer: other }))).status, 401);
  });

  it("lets a wallet's session key sign for its did:pkh until it expires", async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const did = `did:pkh:eip155:1:${account.address}` as const;
    const key = await generateKey();
    const issuer = key.withDID(did);
    assert.equal((await invoke(await mint({ issuer }))).status, 401);
    const said = { did, keyDid: key.did(), expiration: inSeconds(3600) };
    const register = (signature: string) =>
      fetch(`${oracle.url}/v1/did-keys`, { method: "POST", body: JSON.stringify({ ...said, signature }) });
    const stranger = privateKeyToAccount(generatePrivateKey());
    const message = walletKeyMessage(said, oracle.did);
    assert.equal((await register(await stranger.signMessage({ message }))).status, 401);
    assert.equal((await register(await account.signMessage({ message }))).status, 201);
    assert.equal((await invoke(await mint({ issuer, expiration: inSeconds(200) }))).status, 200);
  });

  it("ignores a revoked token immediately", async () => {
    const token = await mint({ expiration: inSeconds(123) });
    assert.equal((await invoke(token)).status, 200);
    const held = await oracle.oracle.auth.tokens.verify("invocation", token);
    const [identity] = (held as unknown as { identities: string[] }).identities;
    const { db } = oracle.core;
    const { revocations } = oracle.authority;
    const row = {
      identity: identity ?? "",
      cid: held.cid,
      owner: held.issuer,
      issuer: held.issuer,
      audience: oracle.did,
    };
    await db.insert(fileRevocations).values({ ...row, revokedBy: held.issuer, revokedAt: new Date() });
    await revocations.committed(identity ?? "");
    assert.equal((await invoke(token)).status, 401);
  });

  it("keeps the caller's own delegation, and tells whether it may act", async () => {
    const headers = { authorization: `Bearer ${await mint()}`, "x-auth-type": "ucan" };
    const call = async (method: string, body?: object) => {
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await fetch(`${oracle.url}/delegation`, init);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    assert.deepEqual((await call("GET")).body, { authorized: false });
    const expiration = inSeconds(3600);
    const raw = await mint({ expiration, capabilities: [{ can: "*", with: "ixo:oracle", nb: { a: 1 } }] });
    const stored = await call("POST", {
      raw,
      issuer: alice.did(),
      audience: oracle.did,
      expiration: expiration * 1000,
    });
    assert.deepEqual([stored.status, stored.body], [200, { ok: true, expiration }]);
    const capabilities = [{ can: "*", with: "ixo:oracle", nb: { a: 1 } }];
    assert.deepEqual((await call("GET")).body, { authorized: true, expiration, capabilities });
    const foreign = await mintOracleToken({ issuer: await generateKey(), audience: oracle.did });
    assert.equal((await call("POST", { raw: foreign })).status, 403);
    assert.equal((await call("POST", { raw: "bm8=" })).status, 400);
    assert.equal((await call("POST", { raw, audience: "did:web:elsewhere" })).status, 400);
    assert.deepEqual((await call("DELETE")).body, { ok: true });
    assert.deepEqual((await call("GET")).body, { authorized: false });
  });
});

describe("a did:ethr whose owner has changed", () => {
  it("is not spoken for by its former owner's session keys, registered before or after", async () => {
    const anvil = await startAnvil();
    const transport = http(anvil.url);
    const account = privateKeyToAccount(generatePrivateKey());
    const owner = createWalletClient({ transport, account });
    const chain = null;
    const client = createPublicClient({ transport, pollingInterval: 20, cacheTime: 0 });
    await anvil.rpc("anvil_setBalance", [account.address, toHex(10n ** 18n)]);
    const wait = (hash: Hex) => client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
    const abi = EthereumDIDRegistry.abi as Abi;
    const bytecode = EthereumDIDRegistry.bytecode as Hex;
    const { contractAddress } = await wait(await owner.deployContract({ abi, bytecode, chain }));
    const registry = contractAddress as Address;
    const ethrNetworks = ethrNetworksOf(readConfig({ CHAIN_PORT: String(anvil.port) }), registry);
    const clock = { now: () => new Date() };
    const verifier = openVerifier({ outbound: { allowLoopback: true }, ethrNetworks, clock });
    const oracle = await openTestOracle(echoAgent, {}, { resolver: verifier.resolver });
    try {
      const did = `did:ethr:0x7a69:${account.address}` as const;
      const register = async () => {
        const key = await generateKey();
        const said = { did, keyDid: key.did(), expiration: inSeconds(3600) };
        const signature = await account.signMessage({ message: walletKeyMessage(said, oracle.did) });
        await fetch(`${oracle.url}/v1/did-keys`, { method: "POST", body: JSON.stringify({ ...said, signature }) });
        return key.withDID(did);
      };
      const invokedBy = async (issuer: Awaited<ReturnType<typeof register>>, seconds: number) => {
        const token = await mintOracleToken({ issuer, audience: oracle.did, expiration: inSeconds(seconds) });
        const headers = { authorization: `Bearer ${token}`, "x-auth-type": "ucan" };
        return (await fetch(`${oracle.url}/sessions`, { headers })).status;
      };
      const before = await register();
      assert.equal(await invokedBy(before, 100), 200);
      const args = [account.address, privateKeyToAccount(generatePrivateKey()).address];
      await wait(await owner.writeContract({ address: registry, abi, functionName: "changeOwner", args, chain }));
      assert.equal(await invokedBy(before, 101), 401);
      assert.equal(await invokedBy(await register(), 102), 401);
    } finally {
      await oracle.close();
      await verifier.close();
      await anvil.stop("SIGKILL");
    }
  });
});

describe("an oracle whose mnemonic is blank", () => {
  it("authenticates nobody, and still answers what is public", async () => {
    const oracle = await openTestOracle(echoAgent, { ORACLE_MNEMONIC: " " });
    try {
      const token = await mintOracleToken({ issuer: await generateKey(), audience: oracle.did });
      const headers = { authorization: `Bearer ${token}`, "x-auth-type": "ucan" };
      assert.equal((await fetch(`${oracle.url}/sessions`, { headers })).status, 401);
      for (const path of ["/", "/health", "/models"]) assert.equal((await fetch(`${oracle.url}${path}`)).status, 200);
    } finally {
      await oracle.close();
    }
  });
});
