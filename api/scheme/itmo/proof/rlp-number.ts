import { type Hex, numberToBytes, toHex } from "viem";

/** Encode a number for RLP: bytes without leading zeros, empty for 0. */
export function rlpNumber(number: bigint): Hex {
  return number === 0n ? "0x" : toHex(numberToBytes(number));
}
