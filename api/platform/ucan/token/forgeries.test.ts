import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { CBOR, Delegation, DID, delegate, invoke, Message, Signature, UCAN } from "@ucanto/core";
import type { Block, Delegation as DelegationView, Signer } from "@ucanto/interface";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import {
  inSeconds,
  openCar,
  openCast,
  openTestAuthority,
  packCar,
  packDelegation,
  type TestAuthority,
} from "../../../../test/support/files/ucan.ts";
import { AppError } from "../../errors.ts";
import { formatDelegation, mintDelegation } from "../mint.ts";
import { formatResource } from "../resource.ts";

type Cast = Awaited<ReturnType<typeof openCast>>;

/** A block under the CID of its bytes. */
function blockOf(bytes: Uint8Array, codec = 0x71): Block {
  const digest = createDigest(0x12, createHash("sha256").update(bytes).digest());
  return { cid: CID.createV1(codec, digest), bytes } as unknown as Block;
}

function encode(value: unknown): Uint8Array {
  return new Uint8Array(CBOR.encode(value as never));
}

function fieldsOf(delegation: DelegationView): Record<string, unknown> {
  return CBOR.decode(delegation.root.bytes as never) as Record<string, unknown>;
}

describe("forged and malformed tokens", () => {
  let test: TestAuthority;
  let cast: Cast;
  before(async () => {
    test = await openTestAuthority();
    cast = await openCast(test.identity.did);
  });
  after(() => test.close());

  const verify = (token: string) => test.authority.verifyBearer(`Bearer ${token}`);
  async function refused(token: string, code: string, rule?: string): Promise<void> {
    await assert.rejects(verify(token), (error) => {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, code, JSON.stringify(error.details));
      if (rule !== undefined)
        assert.ok(
          error.details.some((detail) => detail.rule === rule),
          JSON.stringify(error.details),
        );
      return true;
    });
  }
  const own = (options = {}) =>
    mintDelegation({ issuer: cast.owner, audience: cast.audience, abilities: ["fs/read"], ...options });

  it("asks for a token when there is none", async () => {
    for (const header of [undefined, "", "Bearer", "Bearer ", "Basic dTpw", "eyJh"]) {
      await assert.rejects(test.authority.verifyBearer(header), { code: "UNAUTHENTICATED", status: 401 });
    }
  });

  it("refuses what is no base64, no CAR, or too large", async () => {
    await refused("%%%", "INVALID_TOKEN", "base64");
    await refused("AAAA", "INVALID_TOKEN", "car");
    await refused(Buffer.from("{}").toString("base64"), "INVALID_TOKEN", "car");
    await refused("A".repeat(88_000), "INVALID_TOKEN", "token-size");
    const big = await own({ facts: [{ padding: "x".repeat(66_000) }] });
    await refused(await formatDelegation(big), "INVALID_TOKEN", "token-size");
    const large = await own({ facts: [{ padding: "x".repeat(63_000) }] });
    await verify(await formatDelegation(large));
  });

  it("reads standard and url-safe base64, archives, bare delegations, invocations and messages", async () => {
    const made = await own();
    const url = await formatDelegation(made);
    const grants = [await verify(url), await verify(Buffer.from(url, "base64url").toString("base64"))];
    grants.push(await verify(packDelegation(made)));
    const capability = { can: "fs/read" as const, with: formatResource(cast.owner.did()) };
    const audience = DID.parse(cast.audience as `did:web:${string}`);
    const invocation = invoke({ issuer: cast.owner, audience, capability, expiration: inSeconds(60) });
    grants.push(await verify(await formatDelegation((await invocation.delegate()) as DelegationView)));
    const message = await Message.build({ invocations: [invocation] } as never);
    const blocks = new Map([...message.iterateIPLDBlocks()].map((block) => [block.cid.toString(), block as Block]));
    grants.push(await verify(packCar({ roots: [message.root as Block], blocks })));
    for (const grant of grants) assert.equal(grant.owner, cast.owner.did());
  });

  it("accepts the service's did:key as audience as well", async () => {
    await verify(await formatDelegation(await own({ audience: test.identity.keyDid })));
  });

  it("does not let a single flipped bit pass", async () => {
    const given = await cast.give(cast.owner, cast.alice);
    const bytes = Buffer.from(await cast.bearer(cast.alice, { proofs: [given] }), "base64url");
    for (let index = 0; index < bytes.length; index++) {
      const spoilt = Buffer.from(bytes);
      spoilt[index] = (spoilt[index] as number) ^ (1 << (index % 8));
      await refused(spoilt.toString("base64url"), "INVALID_TOKEN");
    }
  });

  it("recomputes the CID of every block, used or not", async () => {
    const given = await cast.give(cast.owner, cast.alice, { path: "/docs" });
    const wide = await cast.give(cast.owner, cast.mallory, { path: "/" });
    const car = openCar(await cast.bearer(cast.alice, { path: "/docs", proofs: [given] }));
    car.blocks.set(given.cid.toString(), { cid: given.cid, bytes: wide.root.bytes } as unknown as Block);
    await refused(packCar(car), "INVALID_TOKEN", "block-hash");
    const unused = openCar(await cast.bearer(cast.owner));
    unused.blocks.set(given.cid.toString(), { cid: given.cid, bytes: new Uint8Array([1]) } as unknown as Block);
    await refused(packCar(unused), "INVALID_TOKEN", "block-hash");
  });

  it("accepts only SHA-256 for a block", async () => {
    const bytes = (await own()).root.bytes as Uint8Array;
    const identity = CID.createV1(0x71, createDigest(0x00, new Uint8Array(bytes)));
    await refused(packDelegation({ root: { cid: identity, bytes } } as never), "INVALID_TOKEN", "block-hash");
  });

  it("refuses a UCAN under a CID of another codec", async () => {
    const made = await own();
    const jwt = Buffer.from(UCAN.format(made.data as never));
    for (const block of [blockOf(made.root.bytes as Uint8Array, 0x55), blockOf(jwt, 0x70)]) {
      await refused(packDelegation({ root: block } as never), "INVALID_TOKEN", "ucan");
    }
  });

  it("refuses a chain with a proof left out", async () => {
    const given = await cast.give(cast.owner, cast.alice);
    const last = await mintDelegation({
      issuer: cast.alice,
      audience: cast.audience,
      owner: cast.owner.did(),
      abilities: ["fs/read"],
      proofs: [given],
    });
    await refused(packDelegation(last), "INVALID_TOKEN", "proof-missing");
  });

  it("refuses a CAR of two roots and a message of two invocations", async () => {
    const [one, two] = [await own(), await own({ path: "/a" })];
    const roots = [one.root, two.root] as Block[];
    const blocks = new Map(roots.map((block) => [block.cid.toString(), block]));
    await refused(packCar({ roots, blocks }), "INVALID_TOKEN", "car-root");
    const message = blockOf(encode({ "ucanto/message@7.0.0": { execute: [one.cid, two.cid] } }));
    await refused(
      packCar({ roots: [message], blocks: blocks.set(message.cid.toString(), message) }),
      "INVALID_TOKEN",
      "car-root",
    );
  });

  it("refuses signatures of others, of other kinds, and none", async () => {
    const fields = fieldsOf(await own());
    const stranger = fieldsOf(
      await mintDelegation({ issuer: cast.mallory, audience: cast.audience, abilities: ["fs/read"] }),
    );
    const raw = Signature.decode(fields.s as never).raw;
    const signatures: unknown[] = [
      stranger.s,
      Signature.create(Signature.EdDSA, new Uint8Array(64)),
      Signature.create(Signature.EdDSA, new Uint8Array(0)),
      Signature.create(Signature.ES256, raw),
      Signature.create(Signature.BLS12381G1, raw),
      Signature.createNonStandard("none", raw),
      Signature.createNonStandard("none", new Uint8Array(0)),
    ];
    for (const s of signatures) {
      const block = blockOf(encode({ ...fields, s: new Uint8Array(s as Uint8Array) }));
      await refused(packDelegation({ root: block } as never), "INVALID_TOKEN", "signature");
    }
  });

  it("refuses another version of UCAN", async () => {
    const fields = fieldsOf(await own());
    for (const v of ["0.8.1", "0.10.0", "1.0.0"]) {
      await refused(packDelegation({ root: blockOf(encode({ ...fields, v })) } as never), "INVALID_TOKEN", "ucan");
    }
  });

  it("does not take a caveat that nobody signed from the map's prototype", async () => {
    const signed = await own({ nb: {} });
    const fields = fieldsOf(signed);
    const [capability] = fields.att as Record<string, unknown>[];
    const planted = encode({ ...fields, att: [{ ...capability, nb: { planted__: { hidden: "*" } } }] });
    const at = Buffer.from(planted).indexOf("planted__");
    Buffer.from(planted.buffer, planted.byteOffset).write("__proto__", at);
    const block = blockOf(planted);
    // The library hands on what was planted, and its signature check passes.
    const view = UCAN.decode(planted as never);
    assert.equal((view.capabilities[0]?.nb as { hidden?: string } | undefined)?.hidden, "*");
    assert.equal(UCAN.format(view), UCAN.format(signed.data as never));
    const grant = await verify(packDelegation({ root: block } as never));
    assert.deepEqual(grant.scopes[0]?.hidden, { all: false, paths: [], cids: new Set() });
  });

  it("does not lose a nonce whose map was given a prototype", async () => {
    const fields = fieldsOf(await own({ nonce: "once" }));
    const planted = encode({ ...fields, fct: [{ nonce: "once", planted__: {} }] });
    Buffer.from(planted.buffer, planted.byteOffset).write("__proto__", Buffer.from(planted).indexOf("planted__"));
    const token = packDelegation({ root: blockOf(planted) } as never);
    await verify(token);
    await refused(token, "REPLAYED", "nonce");
    await refused(await formatDelegation(await own({ nonce: "once" })), "REPLAYED", "nonce");
  });

  it("keeps a token revoked in whatever way its bytes are written", async () => {
    const made = await own();
    await test.revoke(await formatDelegation(made), 0);
    const jwt = Buffer.from(UCAN.format(made.data as never));
    const fields = fieldsOf(made);
    const forms = [blockOf(jwt, 0x55), blockOf(encode({ ...fields, fct: [], extra: 1 })), made.root as Block];
    for (const root of forms) await refused(packDelegation({ root } as never), "REVOKED", "revoked");
    assert.equal(new Set(forms.map(({ cid }) => cid.toString())).size, 3);
  });

  it("refuses a nonce that is not text", async () => {
    for (const nonce of [1, "", { a: 1 }, null, "x".repeat(257)]) {
      await refused(await formatDelegation(await own({ facts: [{ nonce }] })), "INVALID_TOKEN", "nonce");
    }
  });

  it("refuses issuers that are DID URLs", async () => {
    const signer = { ...signerOf(cast.owner), did: () => "did:web:localhost#key" } as unknown as Signer;
    const made = await delegate({
      issuer: signer,
      audience: DID.parse(cast.audience as `did:web:${string}`),
      capabilities: [{ can: "fs/read", with: formatResource("did:web:localhost") }],
      expiration: inSeconds(60),
    });
    await refused(packDelegation(made), "INVALID_TOKEN", "did");
  });

  it("names every rule that a token breaks together", async () => {
    const given = await cast.give(cast.owner, cast.alice, { path: "/docs", expiration: inSeconds(-90) });
    const token = await cast.bearer(cast.alice, { path: "/", nb: { hidden: "*" }, proofs: [given] });
    await assert.rejects(verify(token), (error: AppError) => {
      assert.equal(error.code, "EXPIRED");
      assert.deepEqual(error.details.map(({ rule }) => rule).sort(), ["expiry", "hidden-narrow", "path-narrow"]);
      return true;
    });
  });

  it("survives any bytes in its place", async () => {
    const { root } = await own();
    for (const value of [
      null,
      [],
      5,
      "text",
      { "ucan@0.9.1": 1 },
      { "ucan@0.9.1": root.cid },
      { "ucanto/message@7.0.0": null },
    ]) {
      await refused(packDelegation({ root: blockOf(encode(value)) } as never), "INVALID_TOKEN");
    }
    assert.ok(Delegation.isDelegation(await own()));
  });
});

function signerOf(key: Signer): Signer {
  const { signatureCode, signatureAlgorithm } = key;
  return { signatureCode, signatureAlgorithm, sign: (payload: never) => key.sign(payload) } as unknown as Signer;
}
