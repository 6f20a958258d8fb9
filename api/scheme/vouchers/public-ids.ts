import { type DecodedId, decodeRedemptionId, decodeVoucherId } from "../../../wire/src/ids.ts";
import { AppError } from "../../platform/errors.ts";

const hints = {
  malformed: "It is not in the form of an id: check for missing or surplus characters.",
  checksum: "Its check symbol does not fit: it was probably mistyped.",
};

/**
 * Convert a public voucher id to the id on chain. @throws AppError NOT_FOUND with a hint when the text cannot be one
 */
export function readVoucherId(text: string, path = "voucherId"): bigint {
  return readId(decodeVoucherId(text), "voucher", path);
}

/**
 * Convert a public redemption id to the id on chain. @throws AppError NOT_FOUND with a hint when the text cannot be one
 */
export function readRedemptionId(text: string, path = "redemptionId"): bigint {
  return readId(decodeRedemptionId(text), "redemption", path);
}

function readId(decoded: DecodedId, noun: string, path: string): bigint {
  if (decoded.ok) return decoded.id;
  throw notFound(noun, path, hints[decoded.reason]);
}

export function voucherNotFound(path = "voucherId"): AppError {
  return notFound("voucher", path);
}

export function redemptionNotFound(path = "redemptionId"): AppError {
  return notFound("redemption", path);
}

function notFound(noun: string, path: string, hint?: string): AppError {
  const message = `There is no such ${noun}.${hint === undefined ? "" : ` ${hint}`}`;
  return new AppError("NOT_FOUND", message, { details: [{ path, rule: `${noun}-exists`, message }] });
}
