import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { EthereumDIDRegistry } from "ethr-did-resolver";
import { type Abi, createPublicClient, createWalletClient, type Hex, hexToBytes, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { foundry } from "viem/chains";
import { createIssuer } from "../../test/support/credentials.ts";
import { openVerifier } from "./verifier.ts";

const TYPE = "ProductDeliveryCredential";
/** First account of anvil's published test mnemonic. */
const FUNDED: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const abi = EthereumDIDRegistry.abi as Abi;
const clock = { now: () => new Date() };

describe("did:ethr", () => {
  let anvil: ChildProcess;
  let rpcUrl: string;

  before(async () => {
    const port = await freePort();
    rpcUrl = `http://127.0.0.1:${port}`;
    const command = fileURLToPath(new URL("../../node_modules/@foundry-rs/anvil/bin.mjs", import.meta.url));
    anvil = spawn(process.execPath, [command, "--port", String(port), "--silent"], { detached: true });
    const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }) });
    for (let tries = 0; tries < 100; tries++) {
      if (
        await client.getBlockNumber().then(
          () => true,
          () => false,
        )
      )
        return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error("The local chain did not start");
  });
  after(() => {
    if (anvil.pid) process.kill(-anvil.pid);
  });

  it("stops trusting the former owner's key with the change of owner, cache or not", async () => {
    const [identity, newOwner] = [generatePrivateKey(), generatePrivateKey()];
    const account = privateKeyToAccount(identity);
    const transport = http(rpcUrl);
    const chain = foundry;
    const client = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
    const payer = createWalletClient({ chain, transport, account: privateKeyToAccount(FUNDED) });
    const wait = (hash: Hex) => client.waitForTransactionReceipt({ hash });
    const bytecode = EthereumDIDRegistry.bytecode as Hex;
    const { contractAddress: registry } = await wait(await payer.deployContract({ abi, bytecode }));
    assert.ok(registry);
    await wait(await payer.sendTransaction({ to: account.address, value: 10n ** 18n }));

    const verifier = openVerifier({
      outbound: { allowLoopback: true },
      ethrNetworks: [{ chainId: 31_337, rpcUrl, registry }],
      clock,
    });
    const did = `did:ethr:0x7a69:${account.address}`;
    const verifyBy = async (privateKey: Hex) => {
      const issuer = createIssuer({ alg: "ES256K", did, privateKey: hexToBytes(privateKey) });
      const proof = await issuer.signCredential({ type: TYPE, subject: { redemptionId: "REDM-1" } });
      const verdict = await verifier.verifyCredential({ type: TYPE, proof }, { type: TYPE, now: new Date() });
      return verdict.verified ? "verified" : verdict.broken.map(({ message }) => message).join("; ");
    };
    assert.equal(await verifyBy(identity), "verified");
    assert.match(await verifyBy(newOwner), /signature/);

    const owner = createWalletClient({ chain, transport, account });
    const args = [account.address, privateKeyToAccount(newOwner).address];
    await wait(await owner.writeContract({ address: registry, abi, functionName: "changeOwner", args }));
    assert.match(await verifyBy(identity), /signature/);
    assert.equal(await verifyBy(newOwner), "verified");
    verifier.close();
  });

  it("refuses when the chain does not answer or is not configured", async () => {
    const registry = "0xdca7ef03e98e0dc2b855be647c39abe984fcf21b";
    const dead = { chainId: 1, name: "mainnet", rpcUrl: "http://127.0.0.1:1", registry } as const;
    const verifier = openVerifier({ outbound: { allowLoopback: true }, ethrNetworks: [dead], clock });
    for (const network of ["", "0x89:"]) {
      const did = `did:ethr:${network}0x00000000000000000000000000000000000000a1`;
      const proof = await createIssuer({ alg: "ES256K", did }).signCredential({ type: TYPE, subject: { a: 1 } });
      const verdict = await verifier.verifyCredential({ type: TYPE, proof }, { type: TYPE, now: new Date() });
      assert.ok(!verdict.verified && verdict.broken.some(({ message }) => /state could not be read/.test(message)));
    }
    verifier.close();
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
