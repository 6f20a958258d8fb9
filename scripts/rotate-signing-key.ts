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

With SIGNING_KEY or SERVICE_KEY in the environment nothing is written: set SIGNING_KEY to the new seed in every process,
and append the did:key that this command prints to SIGNING_KEYS_PREVIOUS.

--help`;

readOptions(usage, {});

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const { signingKeyDid } = await openIdentity(config);
  if (config.signingKey !== undefined || config.serviceKey !== undefined) {
    const previous = [...new Set([...config.previousSigningKeys, signingKeyDid])].join(",");
    console.log("The keys come from the environment. Set in every process, then restart:");
    console.log(`SIGNING_KEY=<64 new hexadecimal digits, for example from: openssl rand -hex 32>`);
    console.log(`SIGNING_KEYS_PREVIOUS=${previous}`);
    return;
  }
  const next = await rotateSigningKey(config.dataDir, signingKeyDid);
  console.log(`From the next start on, ${next} signs. What ${signingKeyDid} signed still verifies.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
});
