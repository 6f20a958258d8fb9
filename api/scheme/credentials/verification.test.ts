import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import type { VerifierAgentContext } from "@veramo/core";
import { CredentialProviderJWT } from "@veramo/credential-jwt";
import { CredentialPlugin } from "@veramo/credential-w3c";
import { decodeJWT } from "did-jwt";
import { verifyCredential } from "did-jwt-vc";
import { type DIDDocument, Resolver } from "did-resolver";
import { importJWK, type JWK, jwtVerify } from "jose";
import { openTestService, type TestIssuerService } from "../../../test/support/own-credentials.ts";
import { openVerifier } from "../verification/open-verifier.ts";
import type { IssuedCredential, IssueRequest } from "./credentials.ts";

const type = "KPTCredential";
const started = new Date("2026-03-15T12:00:00.700Z");
let now = started;
const clock = { now: () => now };
let service: TestIssuerService;
let requests = 0;

before(async () => {
  service = await openTestService({}, { clock });
});
after(() => service.close());

function issue(changes: Partial<IssueRequest> = {}): Promise<IssuedCredential> {
  const claimId = `KPT-${++requests}`;
  return service.deps.credentials.issue({
    type,
    id: `urn:hearth:kpt:${claimId}`,
    subject: { id: "did:ixo:household/123", claimId, fuelKg: JSON.rawJSON("11.90") },
    evidence: ["ipfs://bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"],
    issuedAt: now,
    statusOf: claimId,
    ...changes,
  });
}

/** Verify with this service's verifier, which fetches did.json and the status list from the service. */
async function verdictOf(jwt: string): Promise<string> {
  const verifier = openVerifier({ outbound: { allowLoopback: true }, ethrNetworks: [], clock });
  const verdict = await verifier.verifyCredential({ type, proof: jwt }, { type, now });
  await verifier.close();
  return verdict.verified ? "verified" : verdict.broken.map(({ rule, message }) => `${rule}: ${message}`).join("; ");
}

/** Resolve did:web like any other client, but over http. */
function webResolver(): Resolver {
  const document = async () => (await fetch(`${service.url}/.well-known/did.json`)).json() as Promise<DIDDocument>;
  const resolve = async () => ({
    didDocument: await document(),
    didDocumentMetadata: {},
    didResolutionMetadata: { contentType: "application/did+json" },
  });
  return new Resolver({ web: resolve });
}

function altered(jwt: string): string {
  const [header, payload, signature] = jwt.split(".") as [string, string, string];
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  claims.vc.credentialSubject.fuelKg = 1;
  return [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
}

async function statusOf(jwt: string): Promise<{ bit: number; list: string }> {
  const { statusListCredential: url, statusListIndex } = decodeJWT(jwt).payload.vc.credentialStatus;
  const list = await (await fetch(url)).text();
  const bits = gunzipSync(Buffer.from(decodeJWT(list).payload.vc.credentialSubject.encodedList.slice(1), "base64url"));
  const index = Number(statusListIndex);
  return { bit: ((bits[index >> 3] ?? 0) >> (7 - (index & 7))) & 1, list };
}

describe("a credential that the service issues", () => {
  it("has the shape of the W3C data model", async () => {
    const { jwt, statusList, statusIndex } = await issue();
    const { header, payload } = decodeJWT(jwt);
    const did = `did:web:${new URL(service.url).host.replace(":", "%3A")}`;
    assert.equal(header.alg, "EdDSA");
    assert.equal(header.kid, service.deps.files.identity.keyId);
    const { vc, ...claims } = payload;
    assert.deepEqual(claims, {
      iss: did,
      sub: "did:ixo:household/123",
      jti: `urn:hearth:kpt:${vc.credentialSubject.claimId}`,
      nbf: Date.parse("2026-03-15T12:00:00Z") / 1000,
    });
    assert.equal(vc["@context"][0], "https://www.w3.org/2018/credentials/v1");
    assert.deepEqual(vc.type, ["VerifiableCredential", type]);
    assert.equal(vc.credentialSubject.fuelKg, 11.9);
    assert.deepEqual(vc.evidence, [
      { id: "ipfs://bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", type: ["Evidence"] },
    ]);
    const url = `${service.url}/v1/status-lists/${statusList}`;
    assert.deepEqual(vc.credentialStatus, {
      id: `${url}#${statusIndex}`,
      type: "BitstringStatusListEntry",
      statusPurpose: "revocation",
      statusListIndex: String(statusIndex),
      statusListCredential: url,
    });
  });

  it("is the same again for the same request, and keeps its status entry for another", async () => {
    const request = { statusOf: "KPT-SAME", id: "urn:hearth:kpt:KPT-SAME", subject: { id: "did:x:1", logs: 3 } };
    const first = await issue(request);
    assert.deepEqual(await issue(request), first);
    const other = await issue({ ...request, subject: { id: "did:x:1", logs: 4 } });
    assert.notEqual(other.hash, first.hash);
    assert.equal(other.statusIndex, first.statusIndex);
  });

  it("is refused by us before it is signed when a number would lose digits", async () => {
    await assert.rejects(issue({ subject: { value: JSON.rawJSON("0.12345678901234567890") } }), /without loss/);
  });

  it("verifies with our own verifier, and not when altered or expired", async () => {
    const { jwt } = await issue();
    assert.equal(await verdictOf(jwt), "verified");
    assert.match(await verdictOf(altered(jwt)), /proof-verifies/);
    const { jwt: short } = await issue({ expiresAt: new Date(now.getTime() + 60_000) });
    assert.equal(await verdictOf(short), "verified");
    now = new Date(started.getTime() + 61_000);
    assert.match(await verdictOf(short), /not-expired/);
    now = started;
  });

  it("verifies with did-jwt-vc, and not when altered or expired", async () => {
    const { jwt } = await issue();
    const verified = await verifyCredential(jwt, webResolver());
    assert.equal(verified.issuer, service.deps.credentials.issuer);
    assert.deepEqual(verified.verifiableCredential.type, ["VerifiableCredential", type]);
    await assert.rejects(verifyCredential(altered(jwt), webResolver()), /invalid_signature/);
    const { jwt: expired } = await issue({ expiresAt: new Date(started.getTime() + 1000) });
    await assert.rejects(verifyCredential(expired, webResolver()), /expired/);
  });

  it("verifies with jose and the JWK of did.json", async () => {
    const { jwt } = await issue();
    const document = (await (await fetch(`${service.url}/.well-known/did.json`)).json()) as DIDDocument;
    const { publicKeyJwk } = document.verificationMethod?.find((method) => method.publicKeyJwk) ?? {};
    const key = await importJWK(publicKeyJwk as JWK, "EdDSA");
    const { payload } = await jwtVerify(jwt, key, { issuer: document.id, currentDate: now });
    assert.equal(payload.sub, "did:ixo:household/123");
    await assert.rejects(jwtVerify(altered(jwt), key), /signature/);
    const { jwt: expired } = await issue({ expiresAt: new Date(started.getTime() + 1000) });
    await assert.rejects(jwtVerify(expired, key), { code: "ERR_JWT_EXPIRED" });
    const { list } = await statusOf(jwt);
    assert.equal((await jwtVerify(list, key, { issuer: document.id, currentDate: now })).payload.iss, document.id);
  });

  it("verifies with Veramo, its status list too", async () => {
    const { jwt } = await issue();
    const resolver = webResolver();
    const agent = { resolveDid: ({ didUrl }: { didUrl: string }) => resolver.resolve(didUrl) };
    const plugin = new CredentialPlugin([new CredentialProviderJWT()]);
    const context = { agent } as unknown as VerifierAgentContext;
    const check = (credential: string) => plugin.methods.verifyCredential({ credential }, context);
    assert.ok((await check(jwt)).verified);
    assert.ok((await check((await statusOf(jwt)).list)).verified);
    assert.equal((await check(altered(jwt))).verified, false);
    const { jwt: expired } = await issue({ expiresAt: new Date(started.getTime() + 1000) });
    assert.equal((await check(expired)).verified, false);
  });

  it("is refused once it is revoked, and no other is", async () => {
    const [one, other] = await Promise.all([issue(), issue()]);
    assert.equal((await statusOf(one.jwt)).bit, 0);
    await service.deps.credentials.revoke(one.hash, "wrong-data");
    await service.deps.credentials.revoke(one.hash, "again");
    assert.match(await verdictOf(one.jwt), /not-revoked: The credential was revoked/);
    assert.equal(await verdictOf(other.jwt), "verified");
    assert.deepEqual([(await statusOf(one.jwt)).bit, (await statusOf(other.jwt)).bit], [1, 0]);
    await assert.rejects(service.deps.credentials.revoke(`0x${"0".repeat(64)}`, "x"), { code: "NOT_FOUND" });
  });
});
