import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createIssuer, type TestIssuer } from "../../../test/support/credentials.ts";
import { openTestScheme, type TestScheme, testAdminKey } from "../../../test/support/scheme.ts";

const TYPE = "ProductDeliveryCredential";
const orders = {
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ES256K: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
};
type Curve = keyof typeof orders;

/** The same token with the other valid signature, (r, n − s) for (r, s). It needs no key. */
function twinOf(alg: Curve, jwt: string): string {
  const at = jwt.lastIndexOf(".") + 1;
  const signature = Buffer.from(jwt.slice(at), "base64url");
  const s = orders[alg] - BigInt(`0x${signature.subarray(32).toString("hex")}`);
  const twin = Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
  return jwt.slice(0, at) + twin.toString("base64url");
}

/** The W3C object that a token of data model 1.1 signs, with the token as its proof. */
function asObject(jwt: string): Record<string, unknown> {
  const { iss, nbf, vc } = JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString());
  const issuanceDate = new Date(nbf * 1_000).toISOString();
  return { ...vc, issuer: iss, issuanceDate, proof: { type: "JwtProof2020", jwt } };
}

const asToken = (jwt: string) => ({ type: TYPE, proof: jwt });

/** Every form in which a credential may be presented. */
const forms: Record<string, (jwt: string) => unknown> = {
  "a token": asToken,
  "a W3C object with its token": asObject,
  "an envelope": (jwt) => ({ type: "EnvelopedVerifiableCredential", id: `data:application/vc+jwt,${jwt}` }),
};

describe("the twin of a delivery credential's signature", () => {
  let scheme: TestScheme;
  const issuers = {} as Record<Curve, TestIssuer>;
  before(async () => {
    scheme = await openTestScheme({ REQUESTS_PER_MINUTE: "100000" });
    for (const alg of ["ES256", "ES256K"] as const) {
      issuers[alg] = createIssuer({ alg });
      const answer = await post("/issuers", { did: issuers[alg].did, credentialTypes: [TYPE] });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
    }
  });
  after(() => scheme?.close());

  async function post(path: string, body: unknown) {
    const headers = { authorization: `Bearer ${testAdminKey}`, "content-type": "application/json" };
    const answer = await scheme.app.request(`/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const said = (await answer.json()) as { details?: { rule: string }[] };
    return { status: answer.status, body: said, rules: new Set(said.details?.map(({ rule }) => rule)) };
  }

  async function credentialFor(redemptionId: string, alg: Curve): Promise<string> {
    const { productId, supplierDid, householdDid } = scheme;
    const deliveredAt = new Date().toISOString();
    const subject = { redemptionId, productId, supplierDid, recipient: householdDid, deliveredAt };
    return issuers[alg].signCredential({ type: TYPE, subject });
  }

  const claim = (redemptionId: string, verifiableCredential: unknown) =>
    post("/claims", { redemptionId, verifiableCredential });

  for (const alg of ["ES256", "ES256K"] as const) {
    for (const [form, present] of Object.entries(forms)) {
      it(`is the used credential itself: ${alg}, presented as ${form}`, async () => {
        const first = await scheme.redeem();
        const jwt = await credentialFor(first, alg);
        const taken = await claim(first, present(jwt));
        assert.equal(taken.status, 201, JSON.stringify(taken.body));
        const again = await claim(first, present(twinOf(alg, jwt)));
        assert.deepEqual([again.status, again.rules], [409, new Set(["claimed-once"])]);
        const second = await scheme.redeem();
        for (const other of Object.values(forms)) {
          const refused = await claim(second, other(twinOf(alg, jwt)));
          assert.equal(refused.status, 400, JSON.stringify(refused.body));
          assert.ok(refused.rules.has("credential-unused"), JSON.stringify(refused.body));
        }
      });
    }

    it(`uses up the credential where it comes first: ${alg}`, async () => {
      const first = await scheme.redeem();
      const jwt = await credentialFor(first, alg);
      const taken = await claim(first, asToken(twinOf(alg, jwt)));
      if (taken.status !== 201) {
        assert.deepEqual([taken.status, taken.rules], [400, new Set(["proof-verifies"])]);
        // A refused signature leaves the credential unused.
        assert.equal((await claim(first, asToken(jwt))).status, 201);
        return;
      }
      const refused = await claim(await scheme.redeem(), asToken(jwt));
      assert.equal(refused.status, 400, JSON.stringify(refused.body));
      assert.ok(refused.rules.has("credential-unused"), JSON.stringify(refused.body));
    });
  }
});
