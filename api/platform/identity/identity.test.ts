import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { verifyJWS, verifyJWT } from "did-jwt";
import { decodeProtectedHeader } from "jose";
import { createDidResolver } from "../dids/did-resolution.ts";
import { didWebOf } from "./did-web.ts";
import { openIdentity } from "./identity.ts";
import { identityRoutes } from "./routes.ts";
import { rotateSigningKey } from "./signing-keys.ts";

const publicUrl = "http://localhost:3000";

describe("service identity", () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "hearth-identity-"));
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  it("names itself after its public URL", () => {
    assert.equal(didWebOf("http://localhost:3000"), "did:web:localhost%3A3000");
    assert.equal(didWebOf("https://hearth.example"), "did:web:hearth.example");
    assert.equal(didWebOf("https://example.org/a/b%20c"), "did:web:example.org:a:b%20c");
  });

  it("makes its key on first start, for the owner's eyes alone, and keeps it", async () => {
    const first = await openIdentity({ dataDir, publicUrl, serviceKey: undefined });
    const again = await openIdentity({ dataDir, publicUrl: "https://hearth.example", serviceKey: undefined });
    assert.equal(again.keyDid, first.keyDid);
    assert.equal(again.did, "did:web:hearth.example");
    assert.equal((await stat(join(dataDir, "keys", "service.key"))).mode & 0o777, 0o600);
  });

  it("uses the key that several machines share", async () => {
    const serviceKey = "a1".repeat(32);
    const one = await openIdentity({ dataDir: "/nowhere", publicUrl, serviceKey });
    const two = await openIdentity({ dataDir: "/elsewhere", publicUrl, serviceKey });
    assert.equal(one.keyDid, two.keyDid);
    assert.deepEqual(one.audiences, [one.did, one.keyDid]);
  });

  it("signs what others verify with its DID document, read by either form of the key", async () => {
    const identity = await openIdentity({ dataDir, publicUrl, serviceKey: undefined });
    const answer = await identityRoutes(identity).request("/.well-known/did.json");
    assert.equal(answer.headers.get("content-type"), "application/did+json");
    const document = await answer.json();
    assert.equal(document.id, "did:web:localhost%3A3000");
    assert.deepEqual(document.alsoKnownAs, [identity.keyDid]);
    const jws = await identity.signJws({ receipt: 1 });
    for (const method of document.verificationMethod) verifyJWS(jws, [method]);
    const other = await openIdentity({ dataDir, publicUrl, serviceKey: "b2".repeat(32) });
    assert.throws(() => verifyJWS(jws, other.document.verificationMethod as never));
    await assert.rejects(other.verifyJws(jws));
    assert.equal(Buffer.from(await identity.verifyJws(jws)).toString(), '{"receipt":1}');
  });

  it("signs a JWT that a DID resolver accepts as the service's", async () => {
    const identity = await openIdentity({ dataDir, publicUrl, serviceKey: undefined });
    const resolve = async () => ({
      didDocument: identity.document as never,
      didDocumentMetadata: {},
      didResolutionMetadata: {},
    });
    const resolver = createDidResolver([{ name: "web", resolve }], Date.now);
    const jwt = await identity.signJws({ iss: identity.did, vc: { type: ["VerifiableCredential"] } }, { typ: "JWT" });
    const verified = await verifyJWT(jwt, { resolver });
    assert.equal(verified.issuer, identity.did);
    assert.equal(verified.signer.id, identity.keyId);
  });

  it("rotates the key that signs, and keeps what former keys signed verifiable", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hearth-rotated-"));
    try {
      const open = () => openIdentity({ dataDir: folder, publicUrl, serviceKey: undefined });
      const first = await open();
      assert.equal(first.signingKeyDid, first.keyDid);
      await rotateSigningKey(folder, first.signingKeyDid);
      const second = await open();
      await rotateSigningKey(folder, second.signingKeyDid);
      const third = await open();
      assert.equal(new Set([first, second, third].map(({ keyId }) => keyId)).size, 3);
      assert.deepEqual([third.keyDid, third.audiences], [first.keyDid, first.audiences]);
      const signed = await Promise.all([first, second, third].map((each) => each.signJws({ receipt: 1 })));
      for (const jws of signed) {
        const { kid } = decodeProtectedHeader(jws);
        const method = third.document.verificationMethod.find(({ id }) => id === kid);
        assert.ok(method && third.document.assertionMethod.includes(method.id), kid);
        verifyJWS(jws, [method as never]);
      }
      assert.equal(new Set(third.document.verificationMethod.map(({ id }) => id)).size, 6);
      const own = [`${first.did}#${first.keyDid.slice("did:key:".length)}`];
      assert.equal(third.document.authentication[0], own[0], "former keys sign nothing in the service's name");
      assert.equal(third.document.authentication.length, 2);
      assert.equal((await stat(join(folder, "keys", "signing.key"))).mode & 0o777, 0o600);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("reads signing keys from the environment, and drops a former key that was removed", async () => {
    const keys = { dataDir: "/nowhere", publicUrl, serviceKey: "a1".repeat(32), signingKey: "b2".repeat(32) };
    const former = await openIdentity({ ...keys, signingKey: "c3".repeat(32) });
    const jws = await former.signJws({ receipt: 1 });
    const kept = await openIdentity({ ...keys, previousSigningKeys: [former.signingKeyDid] });
    verifyJWS(jws, kept.document.verificationMethod as never);
    const without = await openIdentity(keys);
    assert.throws(() => verifyJWS(jws, without.document.verificationMethod as never));
  });
});
