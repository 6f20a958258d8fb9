import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { UCAN } from "@ucanto/core";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { packDelegation } from "../../../test/support/files/ucan.ts";
import { AppError } from "../errors.ts";
import fixtures from "./fixtures/ucan-0.9.json" with { type: "json" };
import { decodeChain } from "./token/delegation-chain.ts";
import { brokenBearerRules } from "./token/link-rules.ts";
import { createSignatureVerifier } from "./token/signatures.ts";

// Published tokens of other implementations. They name no files, so what is tested is everything below capabilities.
const now = 1_700_000_000;
const signatures = createSignatureVerifier({ resolve: () => Promise.reject(new Error("Only did:key occurs here.")) });

function pack(bytes: Uint8Array, codec: number): string {
  const cid = CID.createV1(codec, createDigest(0x12, createHash("sha256").update(bytes).digest()));
  return packDelegation({ root: { cid, bytes } } as never);
}

async function brokenRules(token: string, audience: string): Promise<string[]> {
  try {
    const chain = decodeChain(token);
    const problems = brokenBearerRules(chain, { now, audiences: [audience] });
    return [...problems, ...(await signatures.brokenSignatures(chain.links))].map(({ rule }) => rule);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.details.map(({ rule }) => rule);
  }
}

describe("published tokens of UCAN 0.9", () => {
  for (const { source, comment, token, verdict, payload, cbor } of fixtures) {
    it(`${verdict}: ${source}: ${comment}`, async () => {
      const jwt = pack(Buffer.from(token), 0x55);
      const rules = await brokenRules(jwt, payload?.aud ?? "");
      // They live for centuries, which a bearer here may not, and were made for others.
      const own = rules.filter((rule) => rule !== "token-ttl" && rule !== "audience");
      assert.deepEqual(own, verdict === "valid" ? [] : [verdict]);
      if (payload === undefined) return;
      const { issuer, audience, expiration, notBefore } = decodeChain(jwt).bearer;
      assert.deepEqual([issuer, audience, expiration, notBefore], [payload.iss, payload.aud, payload.exp, payload.nbf]);
      if (cbor === undefined) return;
      const { cid, bytes } = await UCAN.write(UCAN.parse(token));
      assert.equal(cid.toString(), cbor);
      assert.equal(decodeChain(pack(bytes, 0x71)).bearer.identity, decodeChain(jwt).bearer.identity);
    });
  }
});
