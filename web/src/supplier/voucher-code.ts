import { decodeVoucherId, encodeVoucherId } from "../../../wire/src/ids.ts";
import { digestHex } from "../numbers/hex.ts";

/** The voucher that a code or typed text names, or why it names none. */
export type VoucherCode = { ok: true; voucherId: string } | { ok: false; reason: "malformed" | "checksum" };

/**
 * Read a voucher from a scanned QR code (`VCHR-…#` and the first 8 hexadecimal digits of the id's SHA-256) or from
 * typed text. The returned id is canonical. A typing or scanning error is distinguished from text that is not a voucher
 * id.
 */
export async function readVoucherCode(text: string): Promise<VoucherCode> {
  const [id = "", checksum, ...more] = text.trim().split("#");
  const decoded = decodeVoucherId(id.replaceAll(/\s/g, ""));
  if (!decoded.ok || more.length > 0) return { ok: false, reason: decoded.ok ? "malformed" : decoded.reason };
  const voucherId = encodeVoucherId(decoded.id);
  if (checksum !== undefined && checksum.toLowerCase() !== (await checksumOf(voucherId))) {
    return { ok: false, reason: "checksum" };
  }
  return { ok: true, voucherId };
}

async function checksumOf(voucherId: string): Promise<string> {
  return await digestHex(voucherId, 4);
}
