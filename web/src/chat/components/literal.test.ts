import { expect, it } from "vitest";
import { literal } from "./literal.ts";

it("shows arguments as formatted JSON", () => {
  expect(literal({ to: "did:x:é", amount: "1.5" })).toBe('{\n  "to": "did:x:é",\n  "amount": "1.5"\n}');
  expect(literal(undefined)).toBe("");
});

it("escapes invisible characters and characters that reverse the text", () => {
  const shown = literal({ path: "/pay\u202e001\u202c/\u200bx\u2066\ufeff\u{e0041}" });
  expect(shown).toContain("/pay\\u202e001\\u202c/\\u200bx\\u2066\\ufeff\\udb40\\udc41");
  expect(JSON.parse(shown)).toEqual({ path: "/pay\u202e001\u202c/\u200bx\u2066\ufeff\u{e0041}" });
});
