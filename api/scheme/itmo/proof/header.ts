import { fromRlp, type Hex, hexToBigInt, keccak256, numberToHex, toRlp } from "viem";
import { rlpNumber } from "./rlp-number.ts";

/** A block header as JSON-RPC writes it: quantities without leading zeros, bytes in full. */
export type HeaderJson = Record<string, Hex>;

type Field = { name: string; kind: "bytes" | "quantity" };
const bytes = (name: string): Field => ({ name, kind: "bytes" });
const quantity = (name: string): Field => ({ name, kind: "quantity" });

/** What a header consists of, in the order in which it is hashed. Later forks added to its end. */
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
/** Every header since the first has these. */
const atLeast = 15;

/** The header's RLP, of a block as JSON-RPC answers it; whatever else the answer holds is passed over. */
export function encodeHeader(block: Readonly<Record<string, unknown>>): Hex {
  const values: Hex[] = [];
  for (const { name, kind } of fields) {
    const value = block[name];
    if (typeof value !== "string") break;
    values.push(kind === "bytes" ? (value as Hex) : rlpNumber(hexToBigInt(value as Hex)));
  }
  return toRlp(values);
}

/** A header's fields. Only its hash tells whether it is a block's. @throws Error when the bytes are no header */
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

/** The hash that names the block. */
export function hashOfHeader(rlp: Hex): Hex {
  return keccak256(rlp);
}
