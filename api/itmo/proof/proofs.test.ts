import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createBlockHeaderFromRPC, type JSONRPCBlock } from "@ethereumjs/block";
import { bytesToHex, type Hex } from "viem";
import { encodeItmoBlockId } from "../../../indexer/schema/ids.ts";
import { itmoBlockIdOf } from "../../../indexer/schema/itmo-ids.ts";
import { checkProof } from "../../../scripts/proof/check-proof.ts";
import { openRegistryTest, type RegistryTest } from "../../registry/testing.ts";
import type { ProofDocument } from "./document.ts";
import { encodeHeader, hashOfHeader } from "./header.ts";
import { Proofs } from "./proofs.ts";
import { encodeReceipt, type RpcReceipt } from "./receipt.ts";
import { type ItmoActions, openItmoActions } from "./testing.ts";
import { buildReceiptTrie } from "./trie.ts";

describe("proofs of ITMOs", () => {
  let test: RegistryTest;
  let itmo: ItmoActions;
  before(async () => {
    test = await openRegistryTest();
    itmo = await openItmoActions(test.world);
  });
  after(() => test.close());

  /** As anybody asks: without a key. */
  const ask = async (id: string, query = "") => {
    const answer = await test.app.request(`/v1/itmo/${encodeURIComponent(id)}/proof${query}`);
    return { status: answer.status, text: await answer.text() };
  };
  const prove = async (id: string, action?: number) => {
    const { status, text } = await ask(id, action === undefined ? "" : `?action=${action}`);
    assert.equal(status, 200, text);
    const { findings } = await checkProof(Buffer.from(text), { contract: lower(test.deps.chain.addresses.itmo) });
    assert.deepEqual(
      findings.filter(({ holds }) => !holds),
      [],
    );
    return JSON.parse(text) as ProofDocument;
  };
  const lower = (address: Hex) => address.toLowerCase() as Hex;
  const told = ({ fact, receipt }: ProofDocument) => [fact.action ?? fact.event, fact.uniqueId, receipt.logIndex];

  it("proves each of several actions in one block, among other transactions", async () => {
    const block = await itmo.mint(1_000n);
    const calls = [itmo.transfer(block, 1n, 500n, "CHE", "hé"), itmo.transfer(block, 1n, 500n, "SWE")];
    const receipts = await itmo.inOneBlock([...calls, itmo.useForNdc(block, 101n, 200n)], 140);
    const used = encodeItmoBlockId(itmoBlockIdOf(1, 101n));
    const proofs = [await prove(used, 1), await prove(used, 2), await prove(used, 3)];
    // A transfer splits before it acts; so does the use, twice.
    assert.deepEqual(proofs.map(told), [
      ["First transfer", "CA0001-ZMB01-ZMB-1-500-2024", 1],
      ["Transfer", "CA0001-ZMB01-ZMB-1-500-2024", 0],
      ["Use", "CA0001-ZMB01-ZMB-101-200-2024", 2],
    ]);
    assert.deepEqual(
      proofs.map(({ receipt }) => receipt.transactionIndex),
      [140, 141, 142],
    );
    assert.equal(new Set(proofs.map(({ block }) => block.hash)).size, 1);
    assert.equal(proofs[0]?.block.hash, receipts[0]?.blockHash);
    assert.deepEqual(proofs[0]?.fact.movement, {
      transferringPartyId: "ZMB",
      acquiringPartyId: "CHE",
      usingPartyId: null,
      usingEntityId: null,
      purpose: null,
      ndcYear: null,
      note: "hé",
    });
  });

  it("makes every block's hash and receiptsRoot again, as another implementation does", async () => {
    const { rpc } = test.world.anvil;
    const head = Number(await rpc("eth_blockNumber"));
    for (let number = 0; number <= head; number++) {
      const at = `0x${number.toString(16)}`;
      const block = (await rpc("eth_getBlockByNumber", [at, false])) as JSONRPCBlock & { hash: Hex };
      const receipts = (await rpc("eth_getBlockReceipts", [at])) as RpcReceipt[];
      const ours = encodeHeader({ ...block });
      const theirs = createBlockHeaderFromRPC(block);
      assert.equal(bytesToHex(theirs.serialize()), ours);
      assert.equal(hashOfHeader(ours), block.hash);
      assert.equal((await buildReceiptTrie(receipts.map(encodeReceipt))).root, block.receiptsRoot);
    }
    assert.ok(head > 20);
  });

  it("numbers what units have seen from their minting on, also before their block was cut out of another", async () => {
    const block = await itmo.mint(100n, { purpose: 5, firstTransfer: 1, omgeShare: 200, sopShare: 500 });
    const { fact } = await prove(encodeItmoBlockId(block), 0);
    const first = BigInt(fact.units.firstId);
    assert.deepEqual([fact.event, fact.action, fact.units.quantity, fact.movement], ["BlockMinted", null, "100", null]);
    await itmo.one(itmo.transfer(block, first + 10n, first + 19n));
    await itmo.one(itmo.cancel(itmoBlockIdOf(2, first + 10n), first + 15n, first + 19n));
    const actionsOf = async (id: string) => {
      const all: (string | null)[] = [];
      while ((await ask(id, `?action=${all.length}`)).status === 200)
        all.push((await prove(id, all.length)).fact.action);
      return all;
    };
    const blockAt = (serial: bigint) => encodeItmoBlockId(itmoBlockIdOf(2, serial));
    assert.deepEqual(await actionsOf(blockAt(first)), [null, "First transfer"]);
    assert.deepEqual(await actionsOf(blockAt(first + 10n)), [null, "First transfer", "Transfer"]);
    assert.deepEqual(await actionsOf(blockAt(first + 15n)), [
      null,
      "First transfer",
      "Transfer",
      "Voluntary Cancellation",
    ]);
    // The last five serials are the share of proceeds, the two before them OMGE.
    assert.deepEqual(await actionsOf(`ZMB01-${first + 99n}`), [null, "First transfer", "Transfer"]);
    assert.deepEqual(await actionsOf(`ZMB01-${first + 94n}`), [null, "First transfer", "Cancellation"]);
    assert.deepEqual(await actionsOf(`CA0001-ZMB01-ZMB-${first}-${first + 99n}-2024`), [null, "First transfer"]);
    const latest = await prove(blockAt(first + 15n));
    assert.equal(latest.fact.action, "Voluntary Cancellation");
    assert.equal(latest.fact.movement?.note, "no longer needed");
  });

  it("answers the same bytes again, also from another process's memory", async () => {
    const id = `ZMB01-1`;
    const { text } = await ask(id);
    assert.equal((await ask(id)).text, text);
    const { chain, credentials, files, itmo } = test.deps;
    const deps = { chain, credentials, ledger: itmo.ledger, identity: files.identity };
    assert.equal(await new Proofs(deps).read(id), text);
  });

  it("signs a credential whose status can be read, and which is revoked for good", async () => {
    const { credential, issuer, block } = await prove("ZMB01-1", 0);
    const { payload } = JSON.parse(`{"payload":${Buffer.from(credential.split(".")[1] ?? "", "base64url")}}`);
    assert.equal(payload.iss, issuer.id);
    assert.equal(payload.nbf, Number(block.header.timestamp));
    assert.equal(payload.vc.credentialSubject.uniqueId, "CA0001-ZMB01-ZMB-1-1000-2024");
    const { statusListCredential } = payload.vc.credentialStatus;
    const list = () => test.deps.credentials.statusLists.readByUrl(statusListCredential);
    const check = async () => (await checkProof(Buffer.from(text), { statusList: await list() })).findings.at(-1);
    const { text } = await ask("ZMB01-1", "?action=0");
    assert.equal((await check())?.holds, true);
    const hash = `0x${createHash("sha256").update(credential).digest("hex")}` as const;
    await test.deps.credentials.revoke(hash, "test");
    assert.deepEqual(await check(), { holds: false, sentence: "The credential was revoked by its issuer." });
  });

  it("knows no proof of what the chain does not know", async () => {
    for (const id of [
      encodeItmoBlockId(itmoBlockIdOf(1, 2n)),
      encodeItmoBlockId(itmoBlockIdOf(99, 1n)),
      "ZMB01-999999",
      "SWE01-1",
      "CA0001-ZMB01-ZMB-1-5000-2024",
      "CA0001-ZMB01-ZMB-1-10-2023",
      "CA0002-ZMB01-ZMB-1-10-2024",
      "ITMO-1",
      "anything",
    ]) {
      assert.equal((await ask(id)).status, 404, id);
    }
    assert.equal((await ask("ZMB01-1", "?action=9")).status, 404);
    assert.equal((await ask("ZMB01-1", "?action=x")).status, 400);
  });
});
