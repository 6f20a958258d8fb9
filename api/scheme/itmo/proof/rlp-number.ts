import { type Hex, numberToBytes, toHex } from "viem";

/** A number as RLP takes it: its bytes without leading zeros, none at all for 0. */
export function rlpNumber(number: bigint): Hex {
  return number === 0n ? "0x" : toHex(numberToBytes(number));
}
