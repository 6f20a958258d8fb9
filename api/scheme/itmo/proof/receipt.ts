import { concatHex, fromRlp, type Hex, hexToBigInt, hexToNumber, numberToHex, toRlp } from "viem";
import { rlpNumber } from "./rlp-number.ts";

/** A receipt's log with the fields of the consensus encoding. */
export type ReceiptLog = { address: Hex; topics: Hex[]; data: Hex };
/** A receipt as JSON-RPC returns it; its other fields are derived. */
export type RpcReceipt = {
  type?: Hex;
  status?: Hex;
  root?: Hex;
  cumulativeGasUsed: Hex;
  logsBloom: Hex;
  logs: readonly ReceiptLog[];
};
export type DecodedReceipt = { type: number; succeeded: boolean; logs: ReceiptLog[] };

/** Encode a receipt as receiptsRoot commits to it: the type (except legacy), then RLP (EIP-2718). */
export function encodeReceipt({ type = "0x0", status, root, cumulativeGasUsed, logsBloom, logs }: RpcReceipt): Hex {
  const outcome = status === undefined ? (root ?? "0x") : rlpNumber(hexToBigInt(status));
  const list = logs.map(({ address, topics, data }) => [address, [...topics], data]);
  const payload = toRlp([outcome, rlpNumber(hexToBigInt(cumulativeGasUsed)), logsBloom, list]);
  const kind = hexToNumber(type);
  return kind === 0 ? payload : concatHex([numberToHex(kind, { size: 1 }), payload]);
}

/** Decode a receipt in consensus encoding. @throws Error for malformed bytes */
export function decodeReceipt(encoded: Hex): DecodedReceipt {
  const first = hexToNumber(encoded.slice(0, 4) as Hex);
  // RLP of a list begins with 0xc0 at least; a transaction type is at most 0x7f.
  const type = first < 0x80 ? first : 0;
  const fields = fromRlp(type === 0 ? encoded : `0x${encoded.slice(4)}`, "hex");
  if (!Array.isArray(fields)) throw notReceipt();
  const [outcome, , , logs] = fields;
  if (fields.length !== 4 || !Array.isArray(logs)) throw notReceipt();
  return { type, succeeded: outcome === "0x01", logs: logs.map(logOf) };
}

type Rlp = Hex | readonly Rlp[];

function logOf(log: Rlp): ReceiptLog {
  if (typeof log === "string") throw notReceipt();
  const [address, topics, data] = log;
  if (typeof address !== "string" || typeof data !== "string" || !Array.isArray(topics)) throw notReceipt();
  return { address, topics: topics as Hex[], data };
}

function notReceipt(): Error {
  return new Error("The receipt's bytes are not those of a receipt.");
}
