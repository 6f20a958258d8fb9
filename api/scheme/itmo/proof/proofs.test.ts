import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createBlockHeaderFromRPC, type JSONRPCBlock } from "@ethereumjs/block";
import { bytesToHex, createPublicClient, custom, type Hex } from "viem";
import { askNode } from "../../../../scripts/proof/ask-node.ts";
import { checkProof } from "../../../../scripts/proof/check-proof.ts";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  finalisedConversion,
  type ItmoTest,
  openItmoTest,
  requireStatus,
} from "../../../../test/support/itmo.ts";
import { actions, inOneBlock } from "../../../../test/support/itmo-proof.ts";
import { decodeItmoBlockId, encodeItmoBlockId } from "../../../../wire/src/ids.ts";
import { itmoBlockIdOf, partsOfItmoBlock } from "../../../../wire/src/itmo-ids.ts";
import { AppError } from "../../../platform/errors.ts";
import type { ProofDocument } from "./document.ts";
import { encodeHeader, hashOfHeader } from "./header.ts";
import { Proofs } from "./proofs.ts";
import { encodeReceipt, type RpcReceipt } from "./receipt.ts";
import { buildReceiptTrie } from "./trie.ts";

describe("proofs of ITMOs", () => {
  let test: ItmoTest;
  before(async () => {
    test = await openItmoTest();
    requireStatus(await test.regulator("POST", "/itmo/cooperative-approaches", exampleApproach()), 201);
  });
  after(() => test?.close());

  /** Convert under a separate authorization by the API; returns the block's number and first serial. */
  const mint = async (amount: number, authorizationId: string, changes: Record<string, unknown> = {}) => {
    const terms = exampleAuthorization({ authorizationId, ...changes });
    requireStatus(await test.regulator("POST", "/itmo/authorizations", terms), 201);
    const { blockId } = await finalisedConversion(test, exampleConversion({ amount, authorizationId }));
    const decoded = decodeItmoBlockId(blockId ?? "");
    const block = decoded.ok ? decoded.id : 0n;
    return { block, first: partsOfItmoBlock(block).firstId };
  };
  const act = async (block: bigint, what: string, body: Record<string, unknown>) =>
    requireStatus(await test.regulator("POST", `/itmo/${encodeItmoBlockId(block)}/${what}`, body), 201);

  /** Request a proof without a key. */
  const ask = async (id: string, query = "") => {
    const answer = await test.app.request(`/v1/itmo/${encodeURIComponent(id)}/proof${query}`);
    return { status: answer.status, text: await answer.text() };
  };
  const prove = async (id: string, action?: number) => {
    const { status, text } = await ask(id, action === undefined ? "" : `?action=${action}`);
    assert.equal(status, 200, text);
    const known = {
      contract: lower(test.deps.chain.addresses.itmo),
      askNode: (number: bigint) => askNode(test.world.anvil.url, number),
    };
    const { findings } = await checkProof(Buffer.from(text), known);
    assert.deepEqual(
      findings.filter(({ holds }) => !holds),
      [],
    );
    return JSON.parse(text) as ProofDocument;
  };
  const lower = (address: Hex) => address.toLowerCase() as Hex;
  const told = ({ fact, receipt }: ProofDocument) => [fact.action ?? fact.event, fact.uniqueId, receipt.logIndex];

  it("numbers what units have seen from their minting on, also before their block was cut out of another", async () => {
    const shares = { purpose: "NDC and OIMP", firstTransferDefinition: "Authorisation", omgePercent: 2, sopPercent: 5 };
    const { block, first } = await mint(100_000, "B", shares);
    const { fact } = await prove(encodeItmoBlockId(block), 0);
    assert.deepEqual([fact.event, fact.action, fact.units.quantity, fact.movement], ["BlockMinted", null, "100", null]);
    const transfer = { acquiringPartyId: "CHE", firstId: Number(first) + 10, lastId: Number(first) + 19 };
    await act(block, "transfers", transfer);
    const cancellation = { kind: "voluntary", reason: "no longer needed", firstId: Number(first) + 15 };
    await act(itmoBlockIdOf(1, first + 10n), "cancellations", cancellation);
    const actionsOf = async (id: string) => {
      const all: (string | null)[] = [];
      while ((await ask(id, `?action=${all.length}`)).status === 200)
        all.push((await prove(id, all.length)).fact.action);
      return all;
    };
    const blockAt = (serial: bigint) => encodeItmoBlockId(itmoBlockIdOf(1, serial));
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
    assert.deepEqual(await actionsOf(`CA0001-ZMB01-ZMB-${first}-${first + 99n}-2025`), [null, "First transfer"]);
    const latest = await prove(blockAt(first + 15n));
    assert.equal(latest.fact.action, "Voluntary Cancellation");
    assert.equal(latest.fact.movement?.note, "no longer needed");
  });

  it("proves each of several actions in one block, among other transactions", async () => {
    const { block, first } = await mint(1_000_000, "A");
    assert.equal(first, 101n);
    const half = { block, firstId: 101n, lastId: 600n };
    const receipts = await inOneBlock(
      test.world,
      [
        actions.transfer(half, "CHE", "hé"),
        actions.transfer(half, "SWE"),
        actions.useForNdc({ block, firstId: 201n, lastId: 300n }, 2025),
      ],
      140,
    );
    const used = encodeItmoBlockId(itmoBlockIdOf(2, 201n));
    const proofs = [await prove(used, 1), await prove(used, 2), await prove(used, 3)];
    // A transfer splits before it acts; so does the use, twice.
    assert.deepEqual(proofs.map(told), [
      ["First transfer", "CA0001-ZMB01-ZMB-101-600-2025", 1],
      ["Transfer", "CA0001-ZMB01-ZMB-101-600-2025", 0],
      ["Use", "CA0001-ZMB01-ZMB-201-300-2025", 2],
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

  it("answers the same bytes again, also from another process's memory", async () => {
    const id = "ZMB01-101";
    const { text } = await ask(id);
    assert.equal((await ask(id)).text, text);
    const { chain, credentials, files, itmo } = test.deps;
    const deps = { chain, credentials, ledger: itmo.ledger, identity: files.identity };
    assert.equal(await new Proofs(deps).read(id), text);
  });

  it("signs a credential whose status can be read, and which is revoked permanently", async () => {
    const { credential, issuer, block } = await prove("ZMB01-101", 0);
    const { payload } = JSON.parse(`{"payload":${Buffer.from(credential.split(".")[1] ?? "", "base64url")}}`);
    assert.equal(payload.iss, issuer.id);
    assert.equal(payload.nbf, Number(block.header.timestamp));
    assert.equal(payload.vc.credentialSubject.uniqueId, "CA0001-ZMB01-ZMB-101-1100-2025");
    const { statusListCredential } = payload.vc.credentialStatus;
    const list = () => test.deps.credentials.statusLists.readByUrl(statusListCredential);
    const check = async () => (await checkProof(Buffer.from(text), { statusList: await list() })).findings.at(-1);
    const { text } = await ask("ZMB01-101", "?action=0");
    assert.equal((await check())?.holds, true);
    const hash = `0x${createHash("sha256").update(credential).digest("hex")}` as const;
    await test.deps.credentials.revoke(hash, "test");
    assert.deepEqual(await check(), { holds: false, sentence: "The credential was revoked by its issuer." });
  });

  it("knows no proof of what the chain does not know", async () => {
    for (const id of [
      encodeItmoBlockId(itmoBlockIdOf(2, 102n)),
      encodeItmoBlockId(itmoBlockIdOf(99, 1n)),
      "ZMB01-999999",
      "SWE01-101",
      "CA0001-ZMB01-ZMB-101-5000-2025",
      "CA0001-ZMB01-ZMB-101-110-2026",
      "CA0002-ZMB01-ZMB-101-110-2025",
      "ITMO-1",
      "anything",
    ]) {
      assert.equal((await ask(id)).status, 404, id);
    }
    assert.equal((await ask("ZMB01-101", "?action=9")).status, 404);
    assert.equal((await ask("ZMB01-101", "?action=x")).status, 400);
  });

  it("refuses to prove by a node whose answers do not make the block's hashes", async () => {
    const { chain, credentials, files, itmo } = test.deps;
    const through = (change: (answer: unknown, method: string) => unknown) => {
      const request = async ({ method, params }: { method: string; params?: unknown[] }) =>
        change(await test.world.anvil.rpc(method, params), method);
      const client = createPublicClient({ transport: custom({ request }) });
      return new Proofs({ chain: { ...chain, client }, credentials, ledger: itmo.ledger, identity: files.identity });
    };
    const refused = (proofs: Proofs, code: string) =>
      assert.rejects(proofs.read("ZMB01-101"), (error) => error instanceof AppError && error.code === code);
    await through((answer) => answer).read("ZMB01-101");
    const otherHeader = (answer: unknown, method: string) =>
      method === "eth_getBlockByHash" ? { ...(answer as object), gasUsed: "0x1" } : answer;
    await refused(through(otherHeader), "UPSTREAM");
    const fewerReceipts = (answer: unknown, method: string) =>
      method === "eth_getBlockReceipts" ? (answer as unknown[]).slice(1) : answer;
    await refused(through(fewerReceipts), "UPSTREAM");
    await refused(
      through((answer, method) => (method === "eth_getBlockByHash" ? null : answer)),
      "UNAVAILABLE",
    );
  });
});
