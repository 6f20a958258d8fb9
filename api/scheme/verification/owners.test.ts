import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { Signature } from "@ucanto/core";
import type { Signer } from "@ucanto/interface";
import { EthereumDIDRegistry } from "ethr-did-resolver";
import { type Abi, createPublicClient, createWalletClient, type Hex, http, toHex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { type Anvil, startAnvil } from "../../../test/support/anvil.ts";
import { openTestAuthority, type TestAuthority } from "../../../test/support/files/ucan.ts";
import { signatureCodes } from "../../platform/dids/signature-kinds.ts";
import { generateKey, type Key, mintDelegation, mintToken } from "../../platform/ucan/mint.ts";
import { openVerifier } from "./open-verifier.ts";

const abi = EthereumDIDRegistry.abi as Abi;
const outbound = { allowLoopback: true };
const clock = { now: () => new Date() };
let bob: Key;
before(async () => {
  bob = await generateKey();
});

/** Create a token in bob's name from the organisation's delegation to him. */
async function tokenFrom(organisation: Signer, audience: string): Promise<string> {
  const given = await mintDelegation({ issuer: organisation, audience: bob.did(), abilities: ["fs/write"] });
  const owner = organisation.did();
  return `Bearer ${await mintToken({ issuer: bob, audience, owner, abilities: ["fs/write"], proofs: [given] })}`;
}

describe("an organisation with a did:web as owner", () => {
  let test: TestAuthority;
  let server: Server;
  let document: unknown;
  const verifier = openVerifier({ outbound, ethrNetworks: [], clock });
  before(async () => {
    test = await openTestAuthority({}, verifier.resolver);
    server = createServer((_, answer) => answer.end(JSON.stringify(document)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    await verifier.close();
    server.close();
    await test.close();
  });

  it("hands on its files by the key that its own server publishes", async () => {
    const did = `did:web:localhost%3A${(server.address() as AddressInfo).port}` as const;
    const key = await generateKey();
    const id = `${did}#key`;
    const publicKeyMultibase = key.did().slice("did:key:".length);
    const method = { id, type: "Multikey", controller: did, publicKeyMultibase };
    document = { id: did, verificationMethod: [method], authentication: [id] };
    const grant = await test.authority.verifyBearer(await tokenFrom(key.withDID(did), test.identity.did));
    assert.deepEqual([grant.owner, grant.invoker], [did, bob.did()]);
    const stranger = (await generateKey()).withDID(did);
    await assert.rejects(test.authority.verifyBearer(await tokenFrom(stranger, test.identity.did)), {
      code: "INVALID_TOKEN",
    });
  });
});

/** Sign as a person's wallet does: EIP-191. */
function walletOf(account: PrivateKeyAccount, did: string): Signer {
  const sign = async (payload: Uint8Array) => {
    const signature = await account.signMessage({ message: { raw: payload } });
    return Signature.create(signatureCodes.EIP191, new Uint8Array(Buffer.from(signature.slice(2), "hex")));
  };
  const kind = { signatureCode: signatureCodes.EIP191, signatureAlgorithm: "EIP191" };
  return { did: () => did, ...kind, sign } as unknown as Signer;
}

describe("an Ethereum account as owner", () => {
  let test: TestAuthority;
  let anvil: Anvil;
  before(async () => {
    anvil = await startAnvil();
  });
  after(async () => {
    await anvil.stop("SIGKILL");
    await test?.close();
  });

  it("opens its namespace by its wallet, until the identity has another owner, cache or not", async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const heir = privateKeyToAccount(generatePrivateKey());
    const transport = http(anvil.url);
    const client = createPublicClient({ transport, pollingInterval: 20, cacheTime: 0 });
    await anvil.rpc("anvil_setBalance", [account.address, toHex(10n ** 18n)]);
    const wallet = createWalletClient({ transport, account });
    const chain = null;
    const wait = (hash: Hex) => client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
    const bytecode = EthereumDIDRegistry.bytecode as Hex;
    const { contractAddress: registry } = await wait(await wallet.deployContract({ abi, bytecode, chain }));
    assert.ok(registry);
    const network = { chainId: 31_337, rpcUrl: anvil.url, registry };
    const verifier = openVerifier({ outbound, ethrNetworks: [network], clock });
    test = await openTestAuthority({}, verifier.resolver);
    const did = `did:ethr:0x7a69:${account.address}`;
    const { did: service } = test.identity;
    const before = await tokenFrom(walletOf(account, did), service);
    const byHeir = await tokenFrom(walletOf(heir, did), service);
    for (let times = 0; times < 2; times++) assert.equal((await test.authority.verifyBearer(before)).owner, did);
    await assert.rejects(test.authority.verifyBearer(byHeir), { code: "INVALID_TOKEN" });

    const args = [account.address, heir.address];
    await wait(await wallet.writeContract({ address: registry, abi, functionName: "changeOwner", args, chain }));
    await assert.rejects(test.authority.verifyBearer(before), { code: "INVALID_TOKEN" });
    assert.equal((await test.authority.verifyBearer(byHeir)).owner, did);
    await verifier.close();
  });
});
