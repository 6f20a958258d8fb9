import type { Address } from "viem";

/** Whether an address is the zero address, which stands for none. */
export function isZero(account: Address): boolean {
  return /^0x0{40}$/.test(account);
}
