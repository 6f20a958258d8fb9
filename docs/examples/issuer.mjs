// A credential issuer to try things out with. Its private key is in the file ISSUER_KEY (.hearth/issuer-key.json), made on first use.
//   node docs/examples/issuer.mjs                        prints the issuer's DID
//   node docs/examples/issuer.mjs TYPE '{"subject":…}'   prints a signed credential of that type (a compact VC-JWT)
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { bytesToBase58 } from "did-jwt";
import { exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";

const [type, subject] = process.argv.slice(2);
if (type?.startsWith("-") || (type !== undefined && subject === undefined)) {
  console.error(`Usage: node docs/examples/issuer.mjs [<credential type> '<subject as JSON>']`);
  process.exit(2);
}

const { ISSUER_KEY: file = ".hearth/issuer-key.json" } = process.env;
if (!existsSync(file)) {
  const { privateKey } = await generateKeyPair("Ed25519", { extractable: true });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(await exportJWK(privateKey)), { mode: 0o600 });
}
const jwk = JSON.parse(readFileSync(file, "utf8"));
const publicKey = Buffer.concat([Buffer.from([0xed, 0x01]), Buffer.from(jwk.x, "base64url")]);
const did = `did:key:z${bytesToBase58(publicKey)}`;

if (type === undefined) {
  console.log(did);
} else {
  const vc = {
    "@context": ["https://www.w3.org/2018/credentials/v1"],
    type: ["VerifiableCredential", type],
    credentialSubject: JSON.parse(subject),
  };
  const credential = new SignJWT({ vc })
    .setProtectedHeader({ alg: "EdDSA", typ: "JWT" })
    .setIssuer(did)
    .setJti(`urn:uuid:${randomUUID()}`)
    .setNotBefore("0 s")
    .setExpirationTime("365 d");
  console.log(await credential.sign(await importJWK(jwk, "EdDSA")));
}
