import type { MerklePatriciaTrie } from "@ethereumjs/mpt";
import { bytesToHex, type Hex, hexToBytes, toRlp } from "viem";
import { rlpNumber } from "./rlp-number.ts";

/** The library is large, and most processes prove nothing: it is loaded with the first proof. */
const library = () => import("@ethereumjs/mpt");

/** Trie of a block's receipts, whose root is in the header. */
export type ReceiptTrie = {
  root: Hex;
  /** Nodes from the root to a receipt's leaf. */
  prove(transactionIndex: number): Promise<Hex[]>;
};

/** Build the Merkle-Patricia trie of a block's receipts, in consensus encoding and in the order of the block. */
export async function buildReceiptTrie(receipts: readonly Hex[]): Promise<ReceiptTrie> {
  const { createMPT } = await library();
  const trie = await createMPT();
  for (const [index, receipt] of receipts.entries()) await trie.put(keyOf(index), hexToBytes(receipt));
  return { root: bytesToHex(trie.root()), prove: (index) => nodesTo(trie, index) };
}

/**
 * Return the value that the nodes prove at a position below the root; null if they prove nothing. The nodes must be
 * exactly those on the path, in order: an extra node would be unproven bytes.
 */
export async function provenReceipt(root: Hex, transactionIndex: number, nodes: readonly Hex[]): Promise<Hex | null> {
  const { createMPTFromProof } = await library();
  try {
    const trie = await createMPTFromProof(
      nodes.map((node) => hexToBytes(node)),
      { root: hexToBytes(root) },
    );
    const value = await trie.get(keyOf(transactionIndex), true);
    const path = await nodesTo(trie, transactionIndex);
    if (value === null || path.join() !== nodes.join()) return null;
    return bytesToHex(value);
  } catch {
    // A node is missing, belongs to another trie or is malformed.
    return null;
  }
}

async function nodesTo(trie: MerklePatriciaTrie, transactionIndex: number): Promise<Hex[]> {
  const { createMerkleProof } = await library();
  return (await createMerkleProof(trie, keyOf(transactionIndex))).map((node) => bytesToHex(node));
}

function keyOf(transactionIndex: number): Uint8Array {
  return toRlp(rlpNumber(BigInt(transactionIndex)), "bytes");
}
