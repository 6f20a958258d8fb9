import { describe, expect, it } from "vitest";
import { readSignature } from "./room-signature.ts";

const jwt = "eyJhbGciOiJFZERTQSJ9.eyJ2YyI6e319.c2lnbmF0dXJl";

describe("a verifier's signed document", () => {
  it("is a compact JWT, with space around it or as a JSON text", () => {
    expect(readSignature(` ${jwt}\n`)).toBe(jwt);
    expect(readSignature(JSON.stringify(jwt))).toBe(jwt);
  });

  it("is taken out of the body that the signing example prints", () => {
    expect(readSignature(JSON.stringify({ verifiableCredential: jwt }))).toBe(jwt);
  });

  it("is a credential as JSON", () => {
    const credential = { "@context": ["https://www.w3.org/ns/credentials/v2"], proof: {} };
    expect(readSignature(JSON.stringify(credential))).toEqual(credential);
  });

  it("is nothing else", () => {
    for (const text of ["", "hello", "[]", "7", "null", "{"]) expect(readSignature(text)).toBeUndefined();
  });
});
