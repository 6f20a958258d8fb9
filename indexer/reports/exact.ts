import { LosslessNumber } from "lossless-json";

/** Write a scaled whole number as an exact JSON number. */
export function exact(value: bigint, decimals: number): LosslessNumber {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  const units = digits.slice(0, -decimals);
  return new LosslessNumber(`${value < 0n ? "-" : ""}${fraction === "" ? units : `${units}.${fraction}`}`);
}
