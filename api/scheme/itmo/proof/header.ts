import { fromRlp, type Hex, hexToBigInt, keccak256, numberToHex, toRlp } from "viem";
import { rlpNumber } from "./rlp-number.ts";

/** A block header as JSON-RPC writes it: quantities without leading zeros, bytes in full. */
export type HeaderJson = Record<string, Hex>;

type Field = { name: string; kind: "bytes" | "quantity" };
const bytes = (name: string): Field => ({ name, kind: "bytes" });
const quantity = (name: string): Field => ({ name, kind: "quantity" });

/** Fields of a header in the order of hashing. Forks append fields. */
const fields: readonly Field[] = [
  bytes("parentHash"),
  bytes("sha3Uncles"),
  bytes("miner"),
  bytes("stateRoot"),
  bytes("transactionsRoot"),
  bytes("receiptsRoot"),
  bytes("logsBloom"),
  quantity("difficulty"),
  quantity("number"),
  quantity("gasLimit"),
  quantity("gasUsed"),
  quantity("timestamp"),
  bytes("extraData"),
  bytes("mixHash"),
  bytes("nonce"),
  quantity("baseFeePerGas"),
  bytes("withdrawalsRoot"),
  quantity("blobGasUsed"),
  quantity("excessBlobGas"),
  bytes("parentBeaconBlockRoot"),
  bytes("requestsHash"),
  bytes("blockAccessListHash"),
  quantity("slotNumber"),
];
/** Number of fields of the first header format; every header has these. */
const atLeast = 15;

/** Encode the header of a block that JSON-RPC returned as RLP; other members are ignored. */
export function encodeHeader(block: Readonly<Record<string, unknown>>): Hex {
  const values: Hex[] = [];
  for (const { name, kind } of fields) {
    const value = block[name];
    if (typeof value !== "string") break;
    values.push(kind === "bytes" ? (value as Hex) : rlpNumber(hexToBigInt(value as Hex)));
  }
  return toRlp(values);
}

/** Decode a header's fields. Only its hash shows whether it belongs to a block. @throws Error for malformed bytes */
export function decodeHeader(rlp: Hex): HeaderJson {
  const values: unknown = fromRlp(rlp, "hex");
  if (!Array.isArray(values) || values.length < atLeast || values.length > fields.length)
    throw new Error("The header's RLP is not a list of a header's fields.");
  const header: HeaderJson = {};
  for (const [i, value] of values.entries()) {
    const { name, kind } = fields[i] as Field;
    if (typeof value !== "string") throw new Error(`The header's ${name} is a list.`);
    header[name] = kind === "bytes" ? (value as Hex) : numberToHex(value === "0x" ? 0n : hexToBigInt(value as Hex));
  }
  return header;
}

/** Compute the block's hash from its encoded header. */
export function hashOfHeader(rlp: Hex): Hex {
  return keccak256(rlp);
}
