// Signs the hash of a campaign's data room as its verifier, and prints the body of POST /v1/campaigns/:id/verifications.
// SEED=<64 hexadecimal digits> node docs/examples/sign-data-room.mjs KPT-1 0x…    (SEED is the verifier's Ed25519 key)
import { createPrivateKey, createPublicKey } from "node:crypto";
import { SignJWT } from "jose";
import { base58btc } from "multiformats/bases/base58";

const [campaignId, dataRoomHash] = process.argv.slice(2);
const seed = process.env.SEED ?? "";
if (!campaignId || !/^0x[0-9a-f]{64}$/.test(dataRoomHash ?? "") || !/^[0-9a-f]{64}$/i.test(seed)) {
  console.error(
    "Usage: SEED=<64 hexadecimal digits> node docs/examples/sign-data-room.mjs <campaignId> <data room's hash>",
  );
  process.exit(2);
}
// An Ed25519 private key in PKCS #8: a fixed beginning and the seed.
const der = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
const { x } = createPublicKey(key).export({ format: "jwk" });
// did:key of an Ed25519 key: the prefix 0xed 0x01 and the public key, in base58.
const name = base58btc.encode(Buffer.concat([Buffer.from([0xed, 0x01]), Buffer.from(x, "base64url")]));
const did = `did:key:${name}`;
const vc = {
  "@context": ["https://www.w3.org/2018/credentials/v1"],
  type: ["VerifiableCredential", "DataRoomVerificationCredential"],
  credentialSubject: { campaignId, dataRoomHash },
};
const jwt = await new SignJWT({ vc })
  .setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid: `${did}#${name}` })
  .setIssuer(did)
  .setNotBefore(Math.floor(Date.now() / 1000))
  .sign(key);
console.error(`Signed by ${did}. The regulator trusts it by POST /v1/issuers.`);
console.log(JSON.stringify({ verifiableCredential: jwt }));
