import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LosslessNumber } from "lossless-json";
import { type Algorithm, createIssuer, hashOf, type SignOptions } from "../../../test/support/credentials.ts";
import type { CredentialVerdict } from "./credential-verifier.ts";
import { openVerifier } from "./open-verifier.ts";

const TYPE = "ProductDeliveryCredential";
const now = new Date("2026-03-15T12:00:00Z");
const hour = 3600_000;
const verifier = openVerifier({ outbound: { allowLoopback: false }, ethrNetworks: [], clock: { now: () => now } });
const issuer = createIssuer();
const base: SignOptions = { type: TYPE, subject: { redemptionId: "REDM-1" }, issuedAt: new Date(now.getTime() - hour) };

const verify = (input: unknown, type = TYPE) => verifier.verifyCredential(input, { type, now });
const wrap = (proof: string, type: string | string[] = TYPE) => ({ type, proof });
const sign = (changes: Partial<SignOptions> = {}) => issuer.signCredential({ ...base, ...changes });
const rulesOf = (verdict: CredentialVerdict) => (verdict.verified ? [] : verdict.broken.map(({ rule }) => rule));

async function assertRefused(input: unknown, rule: string, message: RegExp): Promise<void> {
  const verdict = await verify(input);
  assert.ok(!verdict.verified, "it was accepted");
  assert.ok(
    verdict.broken.some((broken) => broken.rule === rule && message.test(broken.message)),
    JSON.stringify(verdict.broken),
  );
}

describe("accepted credentials", () => {
  for (const alg of ["EdDSA", "ES256K", "ES256"] as Algorithm[]) {
    for (const version of ["1.1", "2.0"] as const) {
      it(`verifies a VCDM ${version} token signed with ${alg}`, async () => {
        const signer = createIssuer({ alg });
        const jwt = await signer.signCredential({ ...base, version });
        const verdict = await verify(wrap(jwt));
        assert.ok(verdict.verified, JSON.stringify(verdict));
        assert.equal(verdict.credential.issuerDid, signer.did);
        assert.equal(verdict.credential.credentialHash, hashOf(jwt));
        assert.equal(verdict.credential.twinHash === undefined, alg === "EdDSA");
        assert.equal(verdict.credential.subject.redemptionId, "REDM-1");
        assert.deepEqual(verdict.credential.issuedAt, base.issuedAt);
      });
    }
  }

  it("verifies a VCDM 2.0 token that names its issuer only in the credential", async () => {
    assert.ok((await verify(wrap(await sign({ version: "2.0", claims: { iss: undefined } })))).verified);
  });

  it("accepts the wrapper's type as a string or as a list that contains it", async () => {
    assert.ok((await verify(wrap(await sign(), ["VerifiableCredential", TYPE]))).verified);
  });

  it("reads an EnvelopedVerifiableCredential", async () => {
    const id = `data:application/vc+jwt,${await sign({ version: "2.0" })}`;
    assert.ok((await verify({ "@context": [], type: "EnvelopedVerifiableCredential", id })).verified);
  });

  it("reads the W3C object with its jwt in a JwtProof2020", async () => {
    const proof = { type: "JwtProof2020", jwt: await sign() };
    const object = {
      "@context": ["https://www.w3.org/2018/credentials/v1"],
      type: ["VerifiableCredential", TYPE],
      issuer: issuer.did,
      issuanceDate: "2026-03-15T11:00:00Z",
      credentialSubject: { redemptionId: "REDM-1" },
    };
    const verdict = await verify({ ...object, proof });
    assert.ok(verdict.verified, JSON.stringify(verdict));
    for (const change of [
      { credentialSubject: { redemptionId: "REDM-2" } },
      { issuer: "did:key:zOther" },
      { expirationDate: "2030-01-01T00:00:00Z" },
      { issuanceDate: undefined },
    ]) {
      await assertRefused({ ...object, ...change, proof }, "proof-verifies", /differ from those that its jwt signs/);
    }
  });

  it("keeps the subject's numbers exact", async () => {
    const text = JSON.stringify({
      iss: issuer.did,
      vc: { type: ["VerifiableCredential", TYPE], credentialSubject: {} },
    });
    const jwt = await issuer.signToken(
      Buffer.from(text.replace("{}", '{"verifiedReduction":9007199254.740991}')).toString("base64url"),
    );
    const verdict = await verify(wrap(jwt));
    assert.ok(verdict.verified, JSON.stringify(verdict));
    assert.deepEqual(verdict.credential.subject.verifiedReduction, new LosslessNumber("9007199254.740991"));
  });
});

describe("forms that are refused", () => {
  it("refuses an embedded proof of another type around a good jwt", async () => {
    const proof = { type: "EthereumEip712Signature2021", jwt: await sign() };
    await assertRefused({ type: ["VerifiableCredential", TYPE], proof }, "proof-verifies", /only embedded proof/);
  });

  it("refuses another type than the wanted one, in the wrapper or signed", async () => {
    await assertRefused(wrap(await sign(), "OtherCredential"), "credential-type", /not a ProductDelivery/);
    await assertRefused(wrap(await sign({ type: "OtherCredential" })), "credential-type", /not a ProductDelivery/);
  });

  it("refuses presentations, whether as token, envelope or inside a credential", async () => {
    const inner = await sign();
    const vp = { "@context": [], type: ["VerifiablePresentation"], verifiableCredential: [inner] };
    await assertRefused(wrap(await issuer.signToken({ iss: issuer.did, vp })), "proof-verifies", /inside a credential/);
    await assertRefused(
      wrap(await sign({ credential: { verifiableCredential: [inner] } })),
      "proof-verifies",
      /inside/,
    );
    const id = `data:application/vp+jwt,${inner}`;
    await assertRefused({ type: "EnvelopedVerifiablePresentation", id }, "proof-verifies", /no proof/);
  });

  it("refuses tokens over 64 KiB before reading them", async () => {
    await assertRefused(wrap(`${await sign()}${"A".repeat(65_536)}`), "token-size", /64 KiB/);
  });

  for (const [name, token] of [
    ["no token", "not a token"],
    ["two parts", "e30.e30"],
    ["a payload that is not JSON", `${Buffer.from('{"alg":"EdDSA"}').toString("base64url")}.AAAA.AAAA`],
    ["a payload that is a list", `${Buffer.from('{"alg":"EdDSA"}').toString("base64url")}.W10.AAAA`],
  ] as const) {
    it(`refuses ${name}`, () => assertRefused(wrap(token), "proof-verifies", /token|JWT/));
  }

  it("refuses payloads with members stated twice, named __proto__, or nested without end", async () => {
    const subject = `"vc":{"type":["VerifiableCredential","${TYPE}"],"credentialSubject":{"a":1}}`;
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    for (const extra of ['"iss":"did:key:zOther"', '"__proto__":{"iss":"x"}', `"x":${deep}`]) {
      const text = `{"iss":"${issuer.did}",${subject},${extra}}`;
      const jwt = await issuer.signToken(Buffer.from(text).toString("base64url"));
      await assertRefused(wrap(jwt), "proof-verifies", /not usable JSON/);
    }
  });
});

describe("signatures", () => {
  it("refuses an altered payload", async () => {
    const [header, , signature] = (await sign()).split(".");
    const other = (await sign({ subject: { redemptionId: "REDM-2" } })).split(".")[1];
    await assertRefused(wrap(`${header}.${other}.${signature}`), "proof-verifies", /signature/);
  });

  it("refuses alg none and algorithms outside the list", async () => {
    const [, payload, signature] = (await sign()).split(".");
    for (const alg of ["none", "HS256", "ES256K-R", "Ed25519"]) {
      const header = Buffer.from(JSON.stringify({ alg })).toString("base64url");
      await assertRefused(wrap(`${header}.${payload}.`), "proof-verifies", /algorithm/);
      await assertRefused(wrap(`${header}.${payload}.${signature}`), "proof-verifies", /algorithm/);
    }
  });

  it("refuses an algorithm that is not the key's", async () => {
    for (const [alg, header] of [
      ["EdDSA", "ES256"],
      ["ES256", "ES256K"],
      ["ES256K", "EdDSA"],
    ] as const) {
      const jwt = await createIssuer({ alg }).signCredential(base);
      const [, payload, signature] = jwt.split(".");
      const forged = Buffer.from(JSON.stringify({ alg: header, typ: "JWT" })).toString("base64url");
      assert.deepEqual(rulesOf(await verify(wrap(`${forged}.${payload}.${signature}`))), ["proof-verifies"]);
    }
  });

  it("refuses critical extensions and unencoded payloads", async () => {
    await assertRefused(wrap(await sign({ header: { crit: ["x"], x: 1 } })), "proof-verifies", /critical/);
    await assertRefused(wrap(await sign({ header: { b64: false } })), "proof-verifies", /critical/);
  });

  it("refuses a token nested in a token", async () => {
    const outer = {
      iss: issuer.did,
      jwt: await sign(),
      vc: { type: ["VerifiableCredential", TYPE], credentialSubject: { redemptionId: "REDM-9" } },
    };
    const [header, payload] = (await issuer.signToken(outer, { cty: "JWT" })).split(".");
    await assertRefused(wrap(`${header}.${payload}.AAAA`), "proof-verifies", /content type/);
  });

  it("refuses a second spelling of the same token", async () => {
    const jwt = await sign();
    await assertRefused(wrap(`${jwt}=`), "proof-verifies", /canonical/);
    await assertRefused(
      wrap(`${jwt.slice(0, -1)}${jwt.endsWith("A") ? "B" : String.fromCharCode(jwt.charCodeAt(jwt.length - 1) + 1)}`),
      "proof-verifies",
      /canonical|signature/,
    );
  });

  it("knows an ECDSA signature's twin, which anybody can make, for the same credential", async () => {
    const orders = {
      ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
      ES256K: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
    };
    for (const alg of ["ES256", "ES256K"] as const) {
      const jwt = await createIssuer({ alg }).signCredential(base);
      const at = jwt.lastIndexOf(".") + 1;
      const signature = Buffer.from(jwt.slice(at), "base64url");
      const s = orders[alg] - BigInt(`0x${signature.subarray(32).toString("hex")}`);
      const twin = Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
      const [first, second] = [
        await verify(wrap(jwt)),
        await verify(wrap(jwt.slice(0, at) + twin.toString("base64url"))),
      ];
      assert.ok(first.verified);
      assert.notEqual(first.credential.twinHash, first.credential.credentialHash);
      // Where both signatures are accepted, each token has the other as its twin.
      const other = second.verified ? second.credential : second.stated;
      assert.deepEqual(
        [other?.twinHash, other?.credentialHash],
        [first.credential.credentialHash, first.credential.twinHash],
      );
    }
  });

  it("refuses a token that is made out to an audience, with or without iss", async () => {
    for (const claims of [{ iss: undefined, aud: "did:web:elsewhere.example" }, { aud: "did:web:elsewhere.example" }]) {
      await assertRefused(wrap(await sign({ version: "2.0", claims })), "proof-verifies", /audience/);
    }
  });

  it("refuses a credential that names another issuer than its signer", async () => {
    const trusted = createIssuer().did;
    for (const changes of [
      { claims: { issuer: { id: trusted } } },
      { credential: { issuer: trusted } },
      { claims: { iss: trusted } },
      { version: "2.0" as const, credential: { issuer: trusted } },
    ]) {
      assert.deepEqual(rulesOf(await verify(wrap(await sign(changes)))), ["proof-verifies"]);
    }
  });

  it("refuses self-issued tokens, whose key the token itself would choose", async () => {
    const claims = { iss: "https://self-issued.me/v2", sub: issuer.did };
    await assertRefused(wrap(await sign({ claims })), "proof-verifies", /issuer is not a DID/);
  });

  it("refuses a key of the issuer that the header's kid does not name", async () => {
    const kid = `${issuer.did}#${issuer.did.slice("did:key:".length)}`;
    assert.ok((await verify(wrap(await sign({ header: { kid } })))).verified);
    await assertRefused(wrap(await sign({ header: { kid: `${issuer.did}#other` } })), "proof-verifies", /kid/);
  });

  it("refuses a token that states two subjects, types or statuses", async () => {
    const credentialSubject = { redemptionId: "REDM-2" };
    await assertRefused(wrap(await sign({ claims: { credentialSubject } })), "proof-verifies", /two different values/);
    await assertRefused(wrap(await sign({ claims: { type: ["Other"] } })), "proof-verifies", /two different values/);
    await assertRefused(wrap(await sign({ claims: { sub: "a" }, subject: { id: "b" } })), "proof-verifies", /sub/);
    const many = [{ redemptionId: "REDM-1" }, { redemptionId: "REDM-2" }] as unknown as Record<string, unknown>;
    await assertRefused(wrap(await sign({ subject: many })), "proof-verifies", /exactly one subject/);
  });

  it("refuses DIDs of unknown methods and keys that do not exist", async () => {
    for (const did of [
      "did:nothing:1",
      "did:key:zzzz",
      "did:web:10.0.0.1",
      "did:ethr:0x7a69:0x0000000000000000000000000000000000000001",
    ]) {
      await assertRefused(wrap(await createIssuer({ did }).signCredential(base)), "proof-verifies", /./);
    }
  });
});

describe("dates", () => {
  const at = (milliseconds: number) => new Date(now.getTime() + milliseconds);
  const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

  for (const [name, changes] of [
    ["exp in the past", { expiresAt: at(-1000) }],
    ["exp at this second", { expiresAt: now }],
    ["validUntil in the past", { credential: { validUntil: at(-1000).toISOString() } }],
    ["validUntil in the past next to the vc claim", { claims: { validUntil: at(-1000).toISOString() } }],
    ["validUntil in the past in VCDM 2.0", { version: "2.0", credential: { validUntil: at(-1000).toISOString() } }],
    [
      "expirationDate in the past with a later exp",
      { expiresAt: at(hour), credential: { expirationDate: at(-1000).toISOString() } },
    ],
    ["nbf in the future", { claims: { nbf: seconds(at(hour)) } }],
    ["iat in the future", { claims: { iat: seconds(at(hour)) } }],
    ["validFrom in the future", { credential: { validFrom: at(hour).toISOString() } }],
    ["issuanceDate in the future with an earlier nbf", { credential: { issuanceDate: at(hour).toISOString() } }],
    ["nbf two minutes ahead, which Veramo would accept", { claims: { nbf: seconds(at(120_000)) } }],
    ["exp in milliseconds", { claims: { exp: 1_900_000_000_000 } }],
    ["exp as text", { claims: { exp: "1900000000" } }],
    ["a validUntil without time zone", { credential: { validUntil: "2030-01-01T00:00:00" } }],
    ["a validUntil that does not exist", { credential: { validUntil: "2030-02-30T00:00:00Z" } }],
  ] as [string, Partial<SignOptions>][]) {
    it(`refuses ${name}`, async () => {
      assert.ok(rulesOf(await verify(wrap(await sign(changes)))).includes("not-expired"));
    });
  }

  it("tolerates a clock that is less than a minute ahead, for the start of validity only", async () => {
    assert.ok((await verify(wrap(await sign({ claims: { nbf: seconds(at(59_000)) } })))).verified);
    assert.deepEqual(rulesOf(await verify(wrap(await sign({ expiresAt: at(-1000) })))), ["not-expired"]);
  });

  it("names every broken rule, and lets no caller or token switch one off", async () => {
    const expired = await createIssuer().signCredential({
      ...base,
      type: "OtherCredential",
      expiresAt: at(-1000),
      claims: { iss: issuer.did, policies: { expirationDate: false } },
    });
    const requirements = { type: TYPE, now, policies: { expirationDate: false, format: false } };
    const verdict = await verifier.verifyCredential(wrap(expired), requirements);
    assert.deepEqual(rulesOf(verdict).sort(), ["credential-type", "not-expired", "proof-verifies"]);
    assert.ok(!verdict.verified && verdict.stated?.subject.redemptionId === "REDM-1");
  });
});
