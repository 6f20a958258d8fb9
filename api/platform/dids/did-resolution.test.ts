import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createIssuer, didDocumentOf } from "../../../test/support/credentials.ts";
import { startTestServer, type TestServer } from "../../../test/support/http-server.ts";
import { openVerifier } from "../../scheme/verification/open-verifier.ts";
import { createDidResolver } from "./did-resolution.ts";
import { didWebMethod, didWebUrl } from "./did-web.ts";

const TYPE = "ProductDeliveryCredential";
let now = new Date("2026-03-15T12:00:00Z");
const clock = { now: () => now };
const subject = { redemptionId: "REDM-1" };

describe("did:web", () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  const didOf = (path: string) => `did:web:localhost%3A${server.port}:${path}`;

  async function verify(did: string, changes: Record<string, unknown> = {}, serveAs = did): Promise<string> {
    const issuer = createIssuer({ alg: "ES256", did });
    const verifier = openVerifier({ outbound: { allowLoopback: true }, ethrNetworks: [], clock });
    server.serve(`/${serveAs.split(":").at(-1)}/did.json`, didDocumentOf(issuer, changes));
    const proof = await issuer.signCredential({ type: TYPE, subject, issuedAt: now });
    const verdict = await verifier.verifyCredential({ type: TYPE, proof }, { type: TYPE, now });
    return verdict.verified ? "verified" : verdict.broken.map(({ message }) => message).join("; ");
  }

  it("verifies with the document's key", async () => assert.equal(await verify(didOf("good")), "verified"));

  it("refuses a document of another DID", async () => {
    assert.match(await verify(didOf("other"), { id: "did:web:else.example" }), /another DID/);
  });

  it("refuses a key that is not for assertions", async () => {
    assert.match(await verify(didOf("auth"), { assertionMethod: [] }), /assertionMethod|suitable/);
  });

  it("refuses a document with more keys than anyone needs, and conditional keys that lead elsewhere", async () => {
    const did = didOf("many");
    const key = { id: `${did}#c`, type: "ConditionalProof2022", controller: did, conditionDelegated: did };
    assert.match(await verify(did, { verificationMethod: [key], assertionMethod: [key.id] }), /suitable|assertion/);
    assert.match(await verify(didOf("lots"), { verificationMethod: Array(33).fill(key) }), /too many keys/);
  });

  it("refuses a document that is too large or missing", async () => {
    assert.match(await verify(didOf("large"), { note: "x".repeat(70_000) }), /more than 65536 bytes/);
    assert.match(await verify(didOf("missing"), {}, "did:web:elsewhere"), /answers 404/);
  });

  it("forgets a document after a minute", async () => {
    const resolver = createDidResolver([didWebMethod({ allowLoopback: true })], () => now.getTime());
    const did = didOf("kept");
    server.serve("/kept/did.json", didDocumentOf(createIssuer({ alg: "ES256", did })));
    const count = () => server.asked.filter((path) => path === "/kept/did.json").length;
    await Promise.all([resolver.resolve(did), resolver.resolve(did)]);
    await resolver.resolve(did);
    assert.equal(count(), 1);
    now = new Date(now.getTime() + 61_000);
    await resolver.resolve(did);
    assert.equal(count(), 2);
  });

  it("reads https only, but for loopback on the embedded chain", () => {
    assert.equal(didWebUrl("example.org", { allowLoopback: true }), "https://example.org/.well-known/did.json");
    assert.equal(didWebUrl("example.org:a:b", { allowLoopback: true }), "https://example.org/a/b/did.json");
    assert.equal(
      didWebUrl("localhost%3A8080", { allowLoopback: false }),
      "https://localhost:8080/.well-known/did.json",
    );
    for (const id of ["user%40example.org", "example.org:..", "example.org:a%2Fb", "example.org%2Fa", ""]) {
      assert.throws(() => didWebUrl(id, { allowLoopback: true }));
    }
  });
});
