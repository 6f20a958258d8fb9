import { describe, expect, it } from "vitest";
import { encodeVoucherId, voucherIdOf } from "../../../wire/src/ids.ts";
import { readVoucherCode } from "./voucher-code.ts";

const voucherId = encodeVoucherId(voucherIdOf(1, 17));
const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(voucherId));
const checksum = Array.from(new Uint8Array(digest, 0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("");

describe("a voucher's code", () => {
  it("is read from a QR code with its checksum", async () => {
    expect(await readVoucherCode(`${voucherId}#${checksum}`)).toEqual({ ok: true, voucherId });
    expect(await readVoucherCode(` ${voucherId}#${checksum.toUpperCase()}\n`)).toEqual({ ok: true, voucherId });
  });

  it("is refused when the checksum belongs to another id", async () => {
    const wrong = checksum.startsWith("0") ? `1${checksum.slice(1)}` : `0${checksum.slice(1)}`;
    expect(await readVoucherCode(`${voucherId}#${wrong}`)).toEqual({ ok: false, reason: "checksum" });
    expect(await readVoucherCode(`${voucherId}#`)).toEqual({ ok: false, reason: "checksum" });
  });

  it("may be typed in any case, with blanks and similar letters", async () => {
    const typed = voucherId.toLowerCase().replaceAll("0", "o").replace("-", "- ");
    expect(await readVoucherCode(typed)).toEqual({ ok: true, voucherId });
  });

  it("distinguishes a typing error from text that is not a voucher id", async () => {
    const slipped = voucherId.replace(/.$/, (last) => (last === "1" ? "2" : "1"));
    expect(await readVoucherCode(slipped)).toEqual({ ok: false, reason: "checksum" });
    for (const text of [
      "",
      "hello",
      "https://example.org",
      `${voucherId}#${checksum}#x`,
      "REDM-00000000010000000001Q",
    ]) {
      expect(await readVoucherCode(text), text).toEqual({ ok: false, reason: "malformed" });
    }
  });
});
