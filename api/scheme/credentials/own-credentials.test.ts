import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createIssuer } from "../../../test/support/credentials.ts";
import { openTestService, type TestIssuerService } from "../../../test/support/own-credentials.ts";
import { openVerifier } from "../verification/open-verifier.ts";

// Nothing answers at this address, so the tests verify without the network.
const publicUrl = "https://hearth.invalid/scheme";
const type = "EmissionReductionCredential";
const clock = { now: () => new Date() };
let service: TestIssuerService;
let verify: (jwt: string) => Promise<string>;

before(async () => {
  service = await openTestService({ PUBLIC_URL: publicUrl });
  const { credentials, files } = service.deps;
  const { did, document } = files.identity;
  const own = { did, document, readList: (url: string) => credentials.statusLists.readByUrl(url) };
  const verifier = openVerifier({ outbound: { allowLoopback: false }, ethrNetworks: [], clock, own });
  verify = async (proof) => {
    const verdict = await verifier.verifyCredential({ type, proof }, { type, now: clock.now() });
    return verdict.verified ? "verified" : verdict.broken.map(({ message }) => message).join("; ");
  };
});
after(() => service.close());

const issue = (statusOf: string) => {
  const subject = { certificateId: statusOf };
  return service.deps.credentials.issue({ type, id: `urn:x:${statusOf}`, subject, issuedAt: clock.now(), statusOf });
};

it("verifies what the service signed without a request to its own address, and sees a revocation immediately", async () => {
  const [one, other] = await Promise.all([issue("CERT-1"), issue("CERT-2")]);
  assert.equal(await verify(one.jwt), "verified");
  await service.deps.credentials.revoke(one.hash, "withdrawn");
  assert.match(await verify(one.jwt), /revoked/);
  assert.equal(await verify(other.jwt), "verified");
});

it("lets nobody else refer to the service's lists, and asks the network for others' lists", async () => {
  const { statusList, statusIndex } = await issue("CERT-3");
  const stranger = createIssuer();
  const sign = (statusListCredential: string) =>
    stranger.signCredential({
      type,
      subject: { certificateId: "CERT-3" },
      credentialStatus: {
        type: "BitstringStatusListEntry",
        statusPurpose: "revocation",
        statusListIndex: String(statusIndex),
        statusListCredential,
      },
    });
  assert.match(await verify(await sign(`${publicUrl}/v1/status-lists/${statusList}`)), /another issuer/);
  for (const path of ["/v1/status-lists/2", "/v1/status-lists/01", "/v1/status-lists/1?x", "/elsewhere/1"]) {
    assert.match(await verify(await sign(`${publicUrl}${path}`)), /could not be reached|does not resolve|address/);
  }
});
