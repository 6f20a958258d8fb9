import assert from "node:assert/strict";
import { createSign, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { Signature } from "@ucanto/core";
import type { Signer } from "@ucanto/interface";
import { RSA } from "@ucanto/principal";
import type { DIDDocument, VerificationMethod } from "did-resolver";
import { varint } from "multiformats";
import { base58btc } from "multiformats/bases/base58";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { openTestAuthority, type TestAuthority } from "../../../../test/support/files/ucan.ts";
import { type SignatureKind, signatureCodes } from "../../dids/signature-kinds.ts";
import { formatDelegation, generateKey, type Key, mintDelegation, mintToken } from "../mint.ts";

type Sign = (text: Buffer) => Uint8Array | Promise<Uint8Array>;

/** A signer of any DID and kind. */
function signerOf(did: string, kind: SignatureKind, signText: Sign): Signer {
  const signPayload = async (payload: Uint8Array) =>
    Signature.create(signatureCodes[kind], new Uint8Array(await signText(Buffer.from(payload))));
  const signer = { did: () => did, signatureCode: signatureCodes[kind], signatureAlgorithm: kind, sign: signPayload };
  return signer as unknown as Signer;
}

function didKey(code: number, bytes: Uint8Array): string {
  const size = varint.encodingLength(code);
  const tagged = varint.encodeTo(code, new Uint8Array(size + bytes.length));
  tagged.set(bytes, size);
  return `did:key:${base58btc.encode(tagged)}`;
}

/** The point of an EC key with its prefix that tells the sign of y. */
function compressed(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const last = Buffer.from(y, "base64url").at(-1) as number;
  return Buffer.concat([Buffer.from([2 + (last & 1)]), Buffer.from(x, "base64url")]);
}

function ecSigner(namedCurve: "prime256v1" | "secp256k1", kind: SignatureKind, code: number): Signer {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve });
  const signText: Sign = (text) => sign("sha256", text, { key: privateKey, dsaEncoding: "ieee-p1363" });
  return signerOf(didKey(code, compressed(publicKey)), kind, signText);
}

describe("signatures of links", () => {
  let test: TestAuthority;
  let bob: Key;
  const documents = new Map<string, DIDDocument>();
  const asked: string[] = [];
  before(async () => {
    const resolver = {
      resolve: async (did: string) => {
        asked.push(did);
        return { didDocument: documents.get(did) ?? null, didDocumentMetadata: {}, didResolutionMetadata: {} };
      },
    };
    test = await openTestAuthority({}, resolver);
    bob = await generateKey();
  });
  after(() => test.close());

  const bearerOf = (issuer: Signer) => mintToken({ issuer, audience: test.identity.did, abilities: ["fs/read"] });
  const verify = (token: string) => test.authority.verifyBearer(`Bearer ${token}`);
  const accepts = async (issuer: Signer) => assert.equal((await verify(await bearerOf(issuer))).owner, issuer.did());
  const refuses = async (issuer: Signer) => assert.rejects(verify(await bearerOf(issuer)), { code: "INVALID_TOKEN" });

  function publish(
    did: string,
    methods: Omit<VerificationMethod, "controller">[],
    purposes: Partial<DIDDocument> = {},
  ) {
    const verificationMethod = methods.map((method) => ({ controller: did, ...method }));
    documents.set(did, { id: did, verificationMethod, ...purposes });
  }

  it("accepts did:key of Ed25519, P-256, secp256k1 and RSA", async () => {
    await accepts(await generateKey());
    await accepts(ecSigner("prime256v1", "ES256", 0x1200));
    await accepts(ecSigner("secp256k1", "ES256K", 0xe7));
    await accepts(await RSA.generate());
  });

  it("refuses a did:key whose signature is of another kind, and keys that are too short or of an unknown kind", async () => {
    const p256 = ecSigner("prime256v1", "ES256", 0x1200);
    await refuses(signerOf(p256.did(), "ES256K", async (text) => (await p256.sign(text)).raw));
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const der = publicKey.export({ format: "der", type: "pkcs1" });
    const signText: Sign = (text) => createSign("sha256").update(text).sign(privateKey);
    await refuses(signerOf(didKey(0x1205, der), "RS256", signText));
    await refuses(signerOf(didKey(0x1201, Buffer.alloc(49, 2)), "ES256", () => new Uint8Array(64)));
  });

  it("accepts an organisation's did:web by its authentication keys, and sees a change of keys immediately", async () => {
    const did = "did:web:org.example";
    const [key, next] = [await generateKey(), await generateKey()];
    const method = (each: Key, id: string) => {
      const publicKeyMultibase = each.did().slice("did:key:".length);
      return { id: `${did}#${id}`, type: "Ed25519VerificationKey2020", publicKeyMultibase };
    };
    publish(did, [method(key, "one")], { authentication: [`${did}#one`] });
    const signer = signerOf(did, "EdDSA", async (text) => (await key.sign(text)).raw);
    const given = await mintDelegation({ issuer: signer, audience: bob.did(), abilities: ["fs/write"] });
    const proofs = [given];
    const token = await mintToken({
      issuer: bob,
      audience: test.identity.did,
      owner: did,
      abilities: ["fs/read"],
      proofs,
    });
    assert.equal((await verify(token)).owner, did);
    assert.equal((await verify(token)).invoker, bob.did());
    publish(did, [method(next, "two")], { authentication: [`${did}#two`] });
    await assert.rejects(verify(token), { code: "INVALID_TOKEN" });
  });

  it("does not let keys for agreement or for credentials alone open files", async () => {
    const did = "did:web:purposes.example";
    const key = await generateKey();
    const id = `${did}#key`;
    const methods = [{ id, type: "Ed25519VerificationKey2020", publicKeyMultibase: key.did().slice(8) }];
    const signer = signerOf(did, "EdDSA", async (text) => (await key.sign(text)).raw);
    for (const [purposes, accepted] of [
      [{ authentication: [id] }, true],
      [{ authentication: ["#key"] }, true],
      [{ capabilityDelegation: [id], authentication: [] }, true],
      [{}, true],
      [{ assertionMethod: [id] }, false],
      [{ keyAgreement: [id] }, false],
      [{ authentication: [], assertionMethod: [id] }, false],
      [{ capabilityInvocation: [`${did}#other`], authentication: [id] }, false],
    ] as const) {
      publish(did, methods, purposes as unknown as Partial<DIDDocument>);
      await (accepted ? accepts : refuses)(signer);
    }
  });

  it("accepts did:ethr by ES256K with and without the recovery byte, and by a wallet's message", async () => {
    const secret = generatePrivateKey();
    const account = privateKeyToAccount(secret);
    const did = `did:ethr:0x7a69:${account.address}`;
    const id = `${did}#controller`;
    const blockchainAccountId = `eip155:31337:${account.address}`;
    publish(did, [{ id, type: "EcdsaSecp256k1RecoveryMethod2020", blockchainAccountId }], { authentication: [id] });
    const { ES256KSigner, hexToBytes, base64ToBytes } = await import("did-jwt");
    for (const recoverable of [false, true]) {
      const signText = ES256KSigner(hexToBytes(secret), recoverable);
      await accepts(signerOf(did, "ES256K", async (text) => base64ToBytes((await signText(text)) as string)));
    }
    const signMessage: Sign = async (text) =>
      Buffer.from((await account.signMessage({ message: { raw: text } })).slice(2), "hex");
    await accepts(signerOf(did, "EIP191", signMessage));
    const stranger = privateKeyToAccount(generatePrivateKey());
    const forge: Sign = async (text) =>
      Buffer.from((await stranger.signMessage({ message: { raw: text } })).slice(2), "hex");
    await refuses(signerOf(did, "EIP191", forge));
  });

  it("accepts this service as an owner without asking the network for its document", async () => {
    const { did, keyId } = test.identity;
    const signText: Sign = async (text) => {
      const [, , signature = ""] = (await test.identity.signJws(text)).split(".");
      return Buffer.from(signature, "base64url");
    };
    assert.ok(keyId.startsWith(did));
    // A JWS signs its own header too: as a UCAN's signature it is worth nothing.
    await refuses(signerOf(did, "EdDSA", signText));
    assert.ok(!asked.includes(did));
  });

  it("refuses a DID that does not resolve, and asks for none when the token is refused anyway", async () => {
    const key = await generateKey();
    const signer = signerOf("did:web:nowhere.example", "EdDSA", async (text) => (await key.sign(text)).raw);
    await refuses(signer);
    asked.length = 0;
    const token = await mintDelegation({ issuer: signer, audience: bob.did(), abilities: ["fs/read"] });
    await assert.rejects(verify(await formatDelegation(token)), { code: "WRONG_AUDIENCE" });
    assert.deepEqual(asked, []);
  });

  it("keeps an ECDSA token revoked when its signature is mirrored", async () => {
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const p256 = ecSigner("prime256v1", "ES256", 0x1200);
    let mirrored = false;
    const either = signerOf(p256.did(), "ES256", async (text) => {
      const raw = Buffer.from((await p256.sign(text)).raw);
      const s = BigInt(`0x${raw.subarray(32).toString("hex")}`);
      const low = s < order - s ? s : order - s;
      const chosen = (mirrored ? order - low : low).toString(16).padStart(64, "0");
      return Buffer.concat([raw.subarray(0, 32), Buffer.from(chosen, "hex")]);
    });
    const made = await mintDelegation({ issuer: either, audience: test.identity.did, abilities: ["fs/read"] });
    const { CBOR } = await import("@ucanto/core");
    const { packDelegation } = await import("../../../../test/support/files/ucan.ts");
    const fields = CBOR.decode(made.root.bytes as never) as Record<string, unknown>;
    const { signedText } = (await import("./delegation-chain.ts")).decodeChain(await formatDelegation(made)).bearer;
    mirrored = true;
    const other = await either.sign(Buffer.from(signedText));
    const bytes = new Uint8Array(CBOR.encode({ ...fields, s: new Uint8Array(other) } as never));
    const { createHash } = await import("node:crypto");
    const { CID } = await import("multiformats/cid");
    const { create } = await import("multiformats/hashes/digest");
    const cid = CID.createV1(0x71, create(0x12, createHash("sha256").update(bytes).digest()));
    const twin = packDelegation({ root: { cid, bytes } } as never);
    await verify(twin);
    await test.revoke(await formatDelegation(made), 0);
    await assert.rejects(verify(twin), { code: "REVOKED" });
  });
});
