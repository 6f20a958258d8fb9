import { createHash } from "node:crypto";

/**
 * Compose the text of a voucher's QR code: its id and the first 8 hexadecimal digits of the id's SHA-256, to detect
 * misread codes.
 */
export function voucherQrText(voucherId: string): string {
  const checksum = createHash("sha256").update(voucherId).digest("hex").slice(0, 8);
  return `${voucherId}#${checksum}`;
}
