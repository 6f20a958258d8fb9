import type { Address } from "viem";

/** Check whether an address is the zero address, which means none. */
export function isZero(account: Address): boolean {
  return /^0x0{40}$/.test(account);
}
