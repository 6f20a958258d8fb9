import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { encodeFunctionData, type Hex, verifyTypedData } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { carbonAbi } from "../../../../deployments/abi/carbon.ts";
import { type Anvil, startAnvil } from "../../../../test/support/anvil.ts";
import { createTestWorld, openTestChain, type TestWorld } from "../../../../test/support/chain.ts";
import { type FakeKms, startKms } from "../../../../test/support/kms.ts";
import { claimAttestation } from "../../../../wire/src/typed-data.ts";
import { AppError } from "../../errors.ts";
import type { Chain } from "../chain.ts";
import { submitCall } from "../submit.ts";
import { chainSenders, chainTransactions } from "../tables.ts";
import { loadSenders } from "./senders.ts";
import { openSigner } from "./signer.ts";

const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const kmsReference = ({ url }: FakeKms, keyId = "alias/hearth-registrar") =>
  `aws-kms:${keyId}?region=eu-west-1&endpoint=${encodeURIComponent(url)}`;

/** The credentials that the AWS SDK finds; the fake checks none. */
function giveCredentials(): void {
  process.env.AWS_ACCESS_KEY_ID = "test";
  process.env.AWS_SECRET_ACCESS_KEY = "test";
}

describe("a registrar whose key is in AWS KMS", () => {
  let world: TestWorld;
  let kms: FakeKms;
  let chain: Chain;
  let close: () => Promise<void>;
  before(async () => {
    giveCredentials();
    world = await createTestWorld();
    kms = await startKms(world.contracts.keys.registrar as Hex);
    ({ chain, close } = await openTestChain(world, { REGISTRAR_SIGNER: kmsReference(kms) }));
  });
  after(async () => {
    await close?.();
    await kms?.close();
    await world?.close();
  });

  const register = (did: string) =>
    submitCall(
      { chain },
      { idempotencyKey: did },
      {
        sender: "registrar",
        contract: "participants",
        functionName: "registerSupplier",
        args: [did, account, "Stove shop", "north"],
        purpose: "supplier.register",
      },
    );
  const nonces = async () => {
    const rows = await chain.outbox.options.db.select().from(chainTransactions);
    return rows.map(({ nonce }) => nonce).sort((a, b) => a - b);
  };
  const nextNonce = async () => {
    const rows = await chain.outbox.options.db.select().from(chainSenders);
    return rows.find(({ address }) => address === chain.senders.registrar.address.toLowerCase())?.nextNonce;
  };

  it("signs as the account of the key, with a low s, and gives each of many concurrent calls its nonce", async () => {
    kms.delayMs = 50;
    const mined = await Promise.all(Array.from({ length: 8 }, (_, i) => register(`did:test:kms-${i}`)));
    assert.equal(new Set(mined.map(({ transactionHash }) => transactionHash)).size, 8);
    const used = await nonces();
    assert.deepEqual(
      used,
      used.map((_, i) => (used[0] ?? 0) + i),
    );
    kms.delayMs = 0;
  });

  it("uses up no nonce while KMS refuses, does not answer or signs with another key", { timeout: 60_000 }, async () => {
    const before = await nextNonce();
    kms.mood = "refuses";
    await assert.rejects(register("did:test:kms-refused"), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "UNAVAILABLE");
      return true;
    });
    kms.mood = "hangs";
    const began = Date.now();
    await assert.rejects(register("did:test:kms-refused"), { code: "UNAVAILABLE" });
    assert.ok(Date.now() - began < 15_000);
    kms.mood = "signs with another key";
    await assert.rejects(register("did:test:kms-refused"), /another key/);
    assert.equal(await nextNonce(), before);
    kms.mood = "signs";
    assert.ok((await register("did:test:kms-refused")).blockNumber > 0n);
    assert.equal(await nextNonce(), (before ?? 0) + 1);
  });

  it("signs only the calls of its role, and no typed data", async () => {
    const { registrar, operator } = chain.senders;
    const transfer = encodeFunctionData({ abi: carbonAbi, functionName: "transfer", args: [account, 1n] });
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n };
    const base = { type: "eip1559", chainId: chain.id, gas: 100_000n, nonce: 0, value: 0n, ...fees } as const;
    const asked = kms.asked;
    await assert.rejects(
      registrar.signTransaction({ ...base, to: chain.addresses.carbon, data: transfer }),
      /its roles do not include that/,
    );
    await assert.rejects(
      registrar.signTransaction({ ...base, to: account, data: "0x", value: 1n }),
      /its roles do not include that/,
    );
    const message = { redemption: 1n, credentialHash: `0x${"11".repeat(32)}`, validUntil: 1n } as const;
    const data = claimAttestation({ chainId: chain.id, verifyingContract: chain.addresses.claims }, message);
    await assert.rejects(registrar.signTypedData(data), /its roles do not include that/);
    assert.equal(kms.asked, asked);
    const signature = await operator.signTypedData(data);
    assert.ok(await verifyTypedData({ ...data, address: operator.address, signature }));
    const foreign = claimAttestation({ chainId: chain.id, verifyingContract: account }, message);
    await assert.rejects(operator.signTypedData(foreign), /its roles do not include that/);
  });

  it("signs typed data too", async () => {
    const signer = await openSigner(kmsReference(kms));
    const message = { redemption: 1n, credentialHash: `0x${"11".repeat(32)}`, validUntil: 1n } as const;
    const data = claimAttestation({ chainId: 1, verifyingContract: account }, message);
    const signature = await signer.signTypedData(data);
    assert.ok(await verifyTypedData({ ...data, address: signer.address, signature }));
  });

  it("says at the start when the key is of another curve, or KMS is not there", async () => {
    const other = await startKms(generatePrivateKey(), "ECC_NIST_P256");
    const load = () => loadSenders(world.dataDir, world.config({ REGISTRAR_SIGNER: kmsReference(other) }).chain);
    try {
      await assert.rejects(load(), /REGISTRAR_SIGNER: cannot be used: .*ECC_NIST_P256/);
    } finally {
      await other.close();
    }
    await assert.rejects(load(), /REGISTRAR_SIGNER: cannot be used: /);
  });
});

describe("an account whose key is with a signer that speaks JSON-RPC", () => {
  let anvil: Anvil;
  let address: string;
  before(async () => {
    anvil = await startAnvil({ accounts: 2 });
    [address] = (await anvil.rpc("eth_accounts")) as [string];
  });
  after(() => anvil?.stop("SIGKILL"));

  const transaction = {
    type: "eip1559",
    chainId: 31_337,
    to: account,
    data: "0x12345678",
    gas: 60_000n,
    nonce: 0,
    value: 0n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  } as const;

  it("gets transactions and typed data signed", async () => {
    const signer = await openSigner(`web3signer:${anvil.url}?address=${address}`);
    const raw = await signer.signTransaction(transaction);
    const hash = await anvil.rpc("eth_sendRawTransaction", [raw]);
    assert.match(String(hash), /^0x/);
    const message = { redemption: 1n, credentialHash: `0x${"11".repeat(32)}`, validUntil: 1n } as const;
    const data = claimAttestation({ chainId: 1, verifyingContract: account }, message);
    const signature = await signer.signTypedData(data);
    assert.ok(await verifyTypedData({ ...data, address: signer.address, signature }));
  });

  it("gets 503 when the signer does not know the account, or is not there", async () => {
    const unknown = await openSigner(`web3signer:${anvil.url}?address=0x${"12".repeat(20)}`);
    await assert.rejects(unknown.signTransaction(transaction), { code: "UNAVAILABLE" });
    const nowhere = await openSigner(`web3signer:http://127.0.0.1:1?address=${address}`);
    await assert.rejects(nowhere.signTransaction(transaction), { code: "UNAVAILABLE" });
  });
});
