import { UCAN } from "@ucanto/core";
import { ed25519, Verifier } from "@ucanto/principal";
import { describe, expect, it } from "vitest";
import { formatToken, mint, parseToken } from "./mint.ts";
import { formatResource } from "./resource.ts";
import {
  createKeyText,
  fromBase64,
  openKeyText,
  openSealedKey,
  type SigningKey,
  sealKeyText,
  toBase64Url,
} from "./signing-key.ts";

const audience = "did:web:files.example.org";
const inAnHour = Math.floor(Date.now() / 1000) + 3600;

async function tokenOf(issuer: SigningKey) {
  const claims = [{ can: "fs/read", with: formatResource(issuer.did(), "/reports") }];
  return await formatToken(await mint({ issuer, audience, claims, expiration: inAnHour }));
}

async function isSignedBy(did: string, token: string): Promise<boolean> {
  const { data } = await parseToken(token);
  return await UCAN.verifySignature(data, Verifier.parse(did as `did:key:${string}`));
}

describe("a key", () => {
  it("has the text format of the command line, and gives the same DID", async () => {
    const made = await ed25519.generate();
    expect(openKeyText(`${ed25519.format(made)}\n`).did()).toBe(made.did());
    expect(ed25519.parse(await createKeyText()).did()).toMatch(/^did:key:z6Mk/);
  });

  it("refuses a text that is not a key", () => {
    expect(() => openKeyText("Mnonsense")).toThrow();
  });

  it("signs tokens that verify with its DID", async () => {
    const key = openKeyText(await createKeyText());
    const other = openKeyText(await createKeyText());
    const token = await tokenOf(key);
    expect(await isSignedBy(key.did(), token)).toBe(true);
    expect(await isSignedBy(other.did(), token)).toBe(false);
  });

  it("signs the same after sealing, and can no longer be read", async () => {
    const text = await createKeyText();
    const sealed = await sealKeyText(text);
    expect(sealed.did).toBe(openKeyText(text).did());
    expect(await isSignedBy(sealed.did, await tokenOf(openSealedKey(sealed)))).toBe(true);
    await expect(crypto.subtle.exportKey("jwk", sealed.key)).rejects.toThrow();
  });
});

describe("a token", () => {
  it("names its folder, percent-encoded", async () => {
    expect(formatResource("did:key:z6Mk")).toBe("vfs://did%3Akey%3Az6Mk");
    expect(formatResource("did:key:z6Mk", "/a b/ü")).toBe("vfs://did%3Akey%3Az6Mk/a%20b/%C3%BC");
  });

  it("parses back as it was signed, with or without `Bearer` before it", async () => {
    const key = openKeyText(await createKeyText());
    const text = await tokenOf(key);
    const token = await parseToken(`Bearer ${text}`);
    expect(token.audience.did()).toBe(audience);
    expect(token.issuer.did()).toBe(key.did());
    expect(token.expiration).toBe(inAnHour);
    expect(token.cid.toString()).toBe((await parseToken(text)).cid.toString());
  });

  it("differs from another one of the same second, so that each can be revoked separately", async () => {
    const key = openKeyText(await createKeyText());
    expect(await tokenOf(key)).not.toBe(await tokenOf(key));
  });
});

describe("base64", () => {
  it("accepts both alphabets, with or without padding", () => {
    const bytes = Uint8Array.of(0xfb, 0xef, 0xff, 0x01);
    expect(toBase64Url(bytes)).toBe("--__AQ");
    expect(fromBase64("--__AQ")).toEqual(bytes);
    expect(fromBase64("++//AQ==")).toEqual(bytes);
  });
});
