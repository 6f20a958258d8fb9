import { describe, expect, it } from "vitest";
import { readCredential } from "./read-credential.ts";

const jwt = "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJkaWQ6a2V5OnoifQ.c2ln";

describe("a delivery credential", () => {
  it("can be a compact token, with or without quotes and line ends", () => {
    for (const text of [jwt, `${jwt}\n`, `"${jwt}"`]) {
      expect(readCredential(text)).toEqual({ type: "ProductDeliveryCredential", proof: jwt });
    }
    expect(readCredential(JSON.stringify({ verifiableCredential: jwt }))).toEqual({
      type: "ProductDeliveryCredential",
      proof: jwt,
    });
  });

  it("can be an object with its proof, which is passed on complete", () => {
    const object = {
      type: ["VerifiableCredential", "ProductDeliveryCredential"],
      proof: { type: "JwtProof2020", jwt },
    };
    expect(readCredential(JSON.stringify(object))).toEqual(object);
    const enveloped = { type: "EnvelopedVerifiableCredential", id: `data:application/vc+jwt,${jwt}` };
    expect(readCredential(JSON.stringify(enveloped))).toEqual(enveloped);
  });

  it("cannot be anything else", () => {
    for (const text of ["", "hello", "{}", "[]", "a.b", '{"type":"ProductDeliveryCredential"}']) {
      expect(readCredential(text), text).toBeUndefined();
    }
  });
});
