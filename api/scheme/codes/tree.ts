import { SimpleMerkleTree } from "@openzeppelin/merkle-tree";
import { concat, encodeAbiParameters, type Hex, hexToBytes, keccak256, toHex } from "viem";

/** Bytes of an address, and of a node. */
const [KEY_BYTES, NODE_BYTES] = [20, 32];

/** Addresses of all keys, household by household, and the root of each household's subtree. */
export type CodeTreeParts = { households: readonly number[]; keys: Uint8Array; nodes: Uint8Array };

/**
 * The tree of the one-time keys of some households, which the ledger's `commitCodes` expects: leaves (household, key) and
 * pairs in order, hashed as by OpenZeppelin's StandardMerkleTree. Each household has a subtree whose root is stored, so that a proof does
 * not need the keys of all other households.
 */
export class CodeTree {
  readonly parts: CodeTreeParts;
  readonly #upper: SimpleMerkleTree;

  constructor(parts: CodeTreeParts) {
    this.parts = parts;
    const { households, nodes } = parts;
    this.#upper = SimpleMerkleTree.of(households.map((_, place) => hexAt(nodes, NODE_BYTES, place)));
  }

  /** Build the tree. @param keysOf a household's addresses; each household has the same number */
  static of(households: readonly number[], keysOf: (household: number) => Uint8Array[]): CodeTree {
    const keys = households.map(keysOf);
    const nodes = keys.map((own, place) => CodeTree.nodeOf(households[place] ?? 0, own));
    return CodeTree.join(households, keys, nodes);
  }

  /** Build the tree from what `nodeOf` says of each household. */
  static join(households: readonly number[], keys: readonly Uint8Array[][], nodes: readonly Uint8Array[]): CodeTree {
    return new CodeTree({ households, keys: joined(keys.flat()), nodes: joined(nodes) });
  }

  /** The root of a household's subtree. */
  static nodeOf(household: number, keys: readonly Uint8Array[]): Uint8Array {
    const addresses = keys.map((key) => toHex(key));
    return hexToBytes(subtree(household, addresses).root as Hex);
  }

  get root(): Hex {
    return this.#upper.root as Hex;
  }

  /** The proof of a household's key; undefined when the household has no such key. */
  proofOf(household: number, key: Hex): Hex[] | undefined {
    const { households, keys } = this.parts;
    const place = households.indexOf(household);
    if (place < 0) return undefined;
    const count = keys.length / KEY_BYTES / households.length;
    const own = Array.from({ length: count }, (_, nth) => hexAt(keys, KEY_BYTES, place * count + nth));
    const nth = own.indexOf(key.toLowerCase() as Hex);
    if (nth < 0) return undefined;
    return [...subtree(household, own).getProof(nth), ...this.#upper.getProof(place)] as Hex[];
  }
}

function subtree(household: number, keys: readonly Hex[]): SimpleMerkleTree {
  return SimpleMerkleTree.of(keys.map((key) => leafOf(household, key)));
}

const hexAt = (bytes: Uint8Array, size: number, place: number): Hex =>
  toHex(bytes.subarray(place * size, (place + 1) * size));

const joined = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

const leafTypes = [{ type: "uint32" }, { type: "address" }] as const;
function leafOf(household: number, key: Hex): Hex {
  return keccak256(concat([keccak256(encodeAbiParameters(leafTypes, [household, key]))]));
}
