import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { EthereumDIDRegistry } from "ethr-did-resolver";
import { type Abi, createPublicClient, createWalletClient, type Hex, hexToBytes, http, toHex, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type Anvil, startAnvil } from "../../../test/support/anvil.ts";
import { createIssuer } from "../../../test/support/credentials.ts";
import { readConfig } from "../../config.ts";
import { ethrNetworksOf, openVerifier } from "../../scheme/verification/open-verifier.ts";
import { ConfigError } from "../config-error.ts";

const TYPE = "ProductDeliveryCredential";
const abi = EthereumDIDRegistry.abi as Abi;
const clock = { now: () => new Date() };

describe("did:ethr", () => {
  let anvil: Anvil;
  before(async () => {
    anvil = await startAnvil();
  });
  after(() => anvil.stop("SIGKILL"));

  it("stops trusting the former owner's key with the change of owner, cache or not", async () => {
    const [identity, newOwner] = [generatePrivateKey(), generatePrivateKey()];
    const account = privateKeyToAccount(identity);
    const transport = http(anvil.url);
    const client = createPublicClient({ transport, pollingInterval: 20, cacheTime: 0 });
    await anvil.rpc("anvil_setBalance", [account.address, toHex(10n ** 18n)]);
    const owner = createWalletClient({ transport, account });
    const chain = null;
    const wait = (hash: Hex) => client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
    const bytecode = EthereumDIDRegistry.bytecode as Hex;
    const { contractAddress: registry } = await wait(await owner.deployContract({ abi, bytecode, chain }));
    assert.ok(registry);

    const ethrNetworks = ethrNetworksOf(readConfig({ CHAIN_PORT: String(anvil.port) }), registry);
    const verifier = openVerifier({ outbound: { allowLoopback: true }, ethrNetworks, clock });
    const did = `did:ethr:0x7a69:${account.address}`;
    const verifyBy = async (privateKey: Hex) => {
      const issuer = createIssuer({ alg: "ES256K", did, privateKey: hexToBytes(privateKey) });
      const proof = await issuer.signCredential({ type: TYPE, subject: { redemptionId: "REDM-1" } });
      const verdict = await verifier.verifyCredential({ type: TYPE, proof }, { type: TYPE, now: new Date() });
      return verdict.verified ? "verified" : verdict.broken.map(({ message }) => message).join("; ");
    };
    assert.equal(await verifyBy(identity), "verified");
    assert.match(await verifyBy(newOwner), /signature/);

    const args = [account.address, privateKeyToAccount(newOwner).address];
    await wait(await owner.writeContract({ address: registry, abi, functionName: "changeOwner", args, chain }));
    assert.match(await verifyBy(identity), /signature/);
    assert.equal(await verifyBy(newOwner), "verified");
    await verifier.close();
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
    await verifier.close();
  });

  it("accepts other chains' identities by configuration only", async () => {
    const network = { chainId: 11_155_111, rpcUrl: "https://rpc.example.org", registry: zeroAddress, name: "sepolia" };
    const networks = (value: unknown) => readConfig({ ETHR_NETWORKS: JSON.stringify(value) }).ethrNetworks;
    assert.deepEqual(networks([network]), [network]);
    assert.deepEqual(readConfig({}).ethrNetworks, []);
    for (const wrong of [{}, [{ ...network, registry: "0x1" }], [{ ...network, rpcUrl: "ftp://x" }]]) {
      assert.throws(() => networks(wrong), ConfigError);
    }
  });
});
