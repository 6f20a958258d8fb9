import { encodeVoucherId } from "../../../wire/src/ids.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { voucherQrText } from "../codes/index.ts";
import type { VoucherDeps } from "./deps.ts";
import { findVoucher } from "./read.ts";

export type QrCode = { contentType: "image/svg+xml" | "image/png"; body: Uint8Array<ArrayBuffer> };

/** Draw a QR code of the voucher. @throws AppError NOT_FOUND */
export async function drawQrCode(
  deps: VoucherDeps,
  ctx: RequestContext,
  publicId: string,
  format: "svg" | "png",
): Promise<QrCode> {
  const { default: QRCode } = await import("qrcode");
  const facts = await findVoucher(deps, ctx, publicId);
  const text = voucherQrText(encodeVoucherId(facts.id));
  const options = { errorCorrectionLevel: "M", margin: 4 } as const;
  if (format === "svg") {
    const svg = await QRCode.toString(text, { ...options, type: "svg" });
    return { contentType: "image/svg+xml", body: new TextEncoder().encode(svg) };
  }
  const png = await QRCode.toBuffer(text, { ...options, scale: 8 });
  return { contentType: "image/png", body: new Uint8Array(png) };
}
