import { encodeVoucherId } from "../../wire/src/ids.ts";
import type { batch, voucher } from "../ponder.schema.ts";
import { dayOf } from "./days.ts";
import { unpackLeaves } from "./leaves.ts";

type Voucher = typeof voucher.$inferInsert;
type Terms = Pick<
  Voucher,
  | "batchId"
  | "certificateIndex"
  | "startDay"
  | "expiryDay"
  | "sequence"
  | "blockNumber"
  | "issuedAt"
  | "transactionHash"
>;

/** Build a voucher's row at issue. */
export function issuedVoucher(id: bigint, household: number, value: bigint, terms: Terms): Voucher {
  return {
    ...terms,
    id,
    publicId: encodeVoucherId(id),
    batchIndex: Number(id >> 32n),
    position: Number(id & 0xffffffffn),
    householdIndex: household,
    value,
    remaining: value,
    status: datedStatus(terms.expiryDay, terms.issuedAt),
    opened: false,
    redemptionCount: 0,
    replacesId: null,
    replacedById: null,
  };
}

/** Build the rows of a batch: voucher `i` is the chunk's leaf `i`. */
export function batchVouchers(
  issued: Pick<typeof batch.$inferInsert, "index">,
  leaves: `0x${string}`,
  terms: Terms,
): Voucher[] {
  const first = BigInt(issued.index) << 32n;
  return unpackLeaves(leaves).map(({ household, amount }, i) =>
    issuedVoucher(first | BigInt(i), household, amount, terms),
  );
}

/** The status of an unexpired voucher: `exhausted` is derived from the balance. */
export const spendableStatus = (remaining: bigint): "active" | "exhausted" =>
  remaining === 0n ? "exhausted" : "active";

/** The status of a voucher with a balance. @param timestamp seconds since 1970 */
export const datedStatus = (expiryDay: number, timestamp: bigint): "active" | "expired" =>
  dayOf(timestamp) > expiryDay ? "expired" : "active";
