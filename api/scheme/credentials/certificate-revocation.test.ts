import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  exampleCertificate,
  openRegistryTest,
  type RegistryTest,
  registerBasics,
  withCredential,
} from "../../../test/support/registry.ts";
import { makeRevocationsFinal, vetoRevocation } from "../../../test/support/veto.ts";

const type = "EmissionReductionCredential";
let test: RegistryTest;
before(async () => {
  test = await openRegistryTest();
});
after(() => test.close());

async function stands(proof: string): Promise<boolean> {
  const verdict = await test.deps.verifier.verifyCredential({ type, proof }, { type, now: new Date() });
  return verdict.verified;
}

it("revokes the service's own credential with its certificate, and not those of other issuers", async () => {
  const verifier = await registerBasics(test);
  const { credentials } = test.deps;
  await test.admin("POST", "/issuers", { did: credentials.issuer, credentialTypes: [type] });
  const body = exampleCertificate();
  const { certificateId, implementerDid, verifiedReduction, vintage, underlyingUnits } = body;
  const { jwt } = await credentials.issue({
    type,
    id: `urn:hearth:certificate:${certificateId}`,
    subject: { certificateId, implementerDid, verifiedReduction, vintage, underlyingUnits },
    issuedAt: new Date(),
    statusOf: certificateId,
  });
  const own = await test.admin("POST", "/certificates", { ...body, verifiableCredential: { type, proof: jwt } });
  assert.equal(own.status, 201, JSON.stringify(own.body));
  const change = (id: string, status: string) => test.admin("PATCH", `/certificates/${id}`, { status, reason: "test" });
  assert.equal((await change(certificateId, "suspended")).status, 200);
  assert.ok(await stands(jwt));
  const { index } = (await test.admin("GET", `/certificates/${certificateId}`)).body as { index: number };
  // A status bit cannot be cleared, so a revocation that may still be vetoed sets none.
  assert.equal((await change(certificateId, "revoked")).status, 200);
  await vetoRevocation(test.world, index);
  assert.equal((await change(certificateId, "valid")).status, 200);
  assert.ok(await stands(jwt));
  assert.equal((await change(certificateId, "revoked")).status, 200);
  assert.ok(await stands(jwt));
  await makeRevocationsFinal(test.world);
  for (let i = 0; i < 400 && (await stands(jwt)); i++) await sleep(50);
  assert.equal(await stands(jwt), false);

  const other = await withCredential(verifier, exampleCertificate());
  assert.equal((await test.admin("POST", "/certificates", other)).status, 201);
  assert.equal((await change(other.certificateId, "revoked")).status, 200);
  assert.ok(await stands(other.verifiableCredential.proof));
});
