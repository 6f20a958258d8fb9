import { randomBytes } from "node:crypto";
import { ed25519 } from "@ucanto/principal";
import { readConfig } from "../api/config.ts";
import { ConfigError } from "../api/platform/config-error.ts";
import { openIdentity } from "../api/platform/identity/identity.ts";
import { rotateSigningKey } from "../api/platform/identity/signing-keys.ts";
import { readOptions } from "./command-options.ts";

const usage = `Usage: npm run rotate-signing-key
Makes a new key that signs receipts, credentials, status lists and proofs. Restart the service afterwards.

The former public key stays in the service's DID document, so what it signed still verifies. If the former key was
stolen, delete its line from DATA_DIR/keys/signing-previous.txt, and fetch the receipts and proofs again.
The service key (DATA_DIR/keys/service.key) stays: it owns the scheme's files.

With SIGNING_KEY or SERVICE_KEY in the environment nothing is written: this command prints a new seed, and the variables
to set in two steps. After each step, restart every process. In the first, every process learns to verify the new key; in
the second, the new key signs. Run the command once for a rotation: each run prints another seed.

--help`;

readOptions(usage, {});

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const { signingKeyDid } = await openIdentity(config);
  if (config.signingKey !== undefined || config.serviceKey !== undefined) {
    const next = randomBytes(32);
    const nextDid = (await ed25519.derive(next)).verifier.did();
    const listOf = (did: string) => [...new Set([...config.previousSigningKeys, did])].join(",");
    console.log("The keys come from the environment. Set in every process, and restart one after the other:");
    console.log(`SIGNING_KEYS_PREVIOUS=${listOf(nextDid)}`);
    console.log("When all have started again, set, and restart again:");
    console.log(`SIGNING_KEY=${next.toString("hex")}`);
    console.log(`SIGNING_KEYS_PREVIOUS=${listOf(signingKeyDid)}`);
    return;
  }
  const next = await rotateSigningKey(config.dataDir, signingKeyDid);
  console.log(`From the next start on, ${next} signs. What ${signingKeyDid} signed still verifies.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
});
