import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Hex, keccak256, numberToHex, toRlp } from "viem";
import { decodeReceipt, encodeReceipt } from "./receipt.ts";
import { buildReceiptTrie, provenReceipt } from "./trie.ts";

const log = { address: `0x${"ab".repeat(20)}`, topics: [`0x${"cd".repeat(32)}`], data: "0x0102" } as const;
/** Distinct receipts of all types and different lengths. */
const receiptAt = (index: number) =>
  encodeReceipt({
    type: numberToHex(index % 5),
    status: index % 7 === 0 ? "0x0" : "0x1",
    cumulativeGasUsed: numberToHex(21_000 * (index + 1)),
    logsBloom: `0x${"00".repeat(256)}`,
    logs: Array.from({ length: index % 3 }, () => ({ ...log, topics: [...log.topics] })),
  });
const receiptsOf = (count: number) => Array.from({ length: count }, (_, index) => receiptAt(index));

describe("the trie of a block's receipts", () => {
  it("proves every position of blocks of 1, 2, 16, 127, 128, 129, 256 and 300 transactions", async () => {
    for (const count of [1, 2, 16, 127, 128, 129, 256, 300]) {
      const receipts = receiptsOf(count);
      const { root, prove } = await buildReceiptTrie(receipts);
      for (const index of count < 20 ? receipts.keys() : [0, 1, 15, 16, 126, 127, 128, 129, 255, 256, count - 1]) {
        if (index >= count) continue;
        const nodes = await prove(index);
        assert.equal(await provenReceipt(root, index, nodes), receipts[index], `${index} of ${count}`);
        for (const other of [index - 1, index + 1, index + 128]) {
          if (other >= 0) assert.notEqual(await provenReceipt(root, other, nodes), receipts[index]);
        }
      }
    }
  });

  it("has the root that one receipt's leaf alone makes", async () => {
    // Key 0x80 (RLP of 0), even length: the leaf's path is 0x20 80.
    const [receipt] = receiptsOf(1) as [Hex];
    const { root, prove } = await buildReceiptTrie([receipt]);
    const leaf = toRlp(["0x2080", receipt]);
    assert.equal(root, keccak256(leaf));
    assert.deepEqual(await prove(0), [leaf]);
  });

  it("has the known root of no receipts", async () => {
    const { root } = await buildReceiptTrie([]);
    assert.equal(root, "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
  });

  it("proves any position of any block, and nothing with a node changed, left out or added", async () => {
    const any = fc
      .integer({ min: 1, max: 200 })
      .chain((count) => fc.tuple(fc.constant(count), fc.nat(count - 1), fc.nat()));
    await fc.assert(
      fc.asyncProperty(any, async ([count, index, seed]) => {
        const receipts = receiptsOf(count);
        const { root, prove } = await buildReceiptTrie(receipts);
        const nodes = await prove(index);
        assert.equal(await provenReceipt(root, index, nodes), receipts[index]);
        const at = seed % nodes.length;
        const node = nodes[at] as Hex;
        const digit = 2 + (seed % (node.length - 2));
        const flipped = `${node.slice(0, digit)}${node[digit] === "0" ? "1" : "0"}${node.slice(digit + 1)}` as Hex;
        for (const wrong of [nodes.with(at, flipped), nodes.toSpliced(at, 1), nodes.toSpliced(at, 0, node), []]) {
          assert.equal(await provenReceipt(root, index, wrong), null);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("reads a receipt of any type as it was written", () => {
    for (let index = 0; index < 15; index++) {
      const receipt = decodeReceipt(receiptAt(index));
      assert.equal(receipt.type, index % 5);
      assert.equal(receipt.succeeded, index % 7 !== 0);
      assert.deepEqual(
        receipt.logs,
        Array.from({ length: index % 3 }, () => log),
      );
    }
    for (const none of ["0x", "0xc0", "0x02", "0x80", "0xc3010203"] as Hex[]) assert.throws(() => decodeReceipt(none));
  });
});
