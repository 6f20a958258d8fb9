import { describe, expect, it } from "vitest";
import en from "../../i18n/en/chat.json" with { type: "json" };
import fr from "../../i18n/fr/chat.json" with { type: "json" };
import { confirmSentence, isTainted } from "./confirm-sentence.ts";

const request = (toolName: string, args: unknown) => ({ toolCallId: "c", toolName, summary: "…", args });

describe("the sentence that describes a tool call", () => {
  it("contains the literal arguments that it names", () => {
    expect(confirmSentence(request("vfs_delete", { path: "/a b.txt" }))).toEqual({
      sentence: "deleteFile",
      values: { path: "/a b.txt" },
    });
    const voucher = { value: 100.5, emissionCertificateId: "CERT-1", recipientDid: "did:x:1", attributes: {} };
    expect(confirmSentence(request("issue_voucher", voucher))?.values).toEqual({
      ...{ value: "100.5", emissionCertificateId: "CERT-1", recipientDid: "did:x:1" },
    });
  });

  it("escapes invisible characters, so that a name cannot look like another", () => {
    expect(confirmSentence(request("vfs_delete", { path: "/a\u202etxt" }))?.values.path).not.toContain("\u202e");
  });

  it("is undefined for an unknown tool, and when an argument is missing or not a plain value", () => {
    expect(confirmSentence(request("constructor", { path: "/a" }))).toBeUndefined();
    expect(confirmSentence(request("vfs_write", { path: "/a" }))).toBeUndefined();
    expect(confirmSentence(request("vfs_delete", {}))).toBeUndefined();
    expect(confirmSentence(request("vfs_delete", { path: ["/a"] }))).toBeUndefined();
    expect(confirmSentence(request("vfs_delete", null))).toBeUndefined();
  });

  it("contains all its arguments in each language", () => {
    const args = { value: "1", emissionCertificateId: "c", recipientDid: "d", amount: "1", voucherId: "v" };
    const more = {
      supplierDid: "s",
      productId: "p",
      redemptionId: "r",
      id: "i",
      reason: "w",
      amountIn: "1",
      minOut: "2",
    };
    const all = { ...args, ...more, implementerDid: "m", vintage: 2025, path: "/a" };
    const tools = ["issue_voucher", "redeem_voucher", "reverse_redemption", "file_claim", "dispute_claim", "swap"];
    for (const tool of [...tools, "request_conversion", "vfs_delete"]) {
      const { sentence, values } = confirmSentence(request(tool, all)) ?? { sentence: "swap" as const, values: {} };
      for (const texts of [en, fr]) {
        const places = [...texts.confirm.tools[sentence].matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
        expect(places.sort(), tool).toEqual(Object.keys(values).sort());
      }
    }
  });

  it("warns when the oracle has read content of others", () => {
    const summary =
      'The oracle wants to call "x" with these arguments. It was asked for after content that you did not write had been read.';
    expect(isTainted({ ...request("x", {}), summary })).toBe(true);
    expect(isTainted(request("x", {}))).toBe(false);
  });
});
