// node scripts/trial.ts: prepare what compose.yaml needs to try Hearth on a chain for tests.
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, S3ServiceException } from "@aws-sdk/client-s3";
import { readConfig } from "../api/config.ts";
import { openBucketClient } from "../api/files/blobs/bucket-client.ts";
import type { FilesConfig } from "../api/files/configuration.ts";
import { ConfigError } from "../api/platform/config-error.ts";
import { readOptions } from "./command-options.ts";
import { compileChanged } from "./deploy/compile.ts";
import { deploy } from "./deploy.ts";
import { runCommand } from "./run-command.ts";
import { loadRoleAccounts } from "./stack/accounts.ts";

readOptions(
  `node scripts/trial.ts     creates the secrets in SECRETS_DIR and the bucket of BLOB_URL, deploys the contracts and writes DEPLOYMENT
Only for anvil: it gives the accounts of the roles ether, and stores the council's keys with the secrets. It changes nothing that exists.
compose.yaml runs it.`,
  {},
);

/** How long the bucket's service may take to start, in milliseconds. */
const startMs = 60_000;

async function createBucket(place: FilesConfig["blobs"]): Promise<void> {
  if (place.kind === "disk") return;
  const client = openBucketClient(place);
  for (const until = Date.now() + startMs; ; await sleep(500)) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: place.bucket }));
      return;
    } catch (error) {
      if (error instanceof S3ServiceException && error.name === "BucketAlreadyOwnedByYou") return;
      if (error instanceof S3ServiceException || Date.now() > until) throw error;
    }
  }
}

async function main(): Promise<void> {
  const { SECRETS_DIR: secrets } = process.env;
  if (!secrets) throw new Error("Set SECRETS_DIR, as in docker/hearth.env.");
  const { code } = await runCommand(process.execPath, ["scripts/secrets.ts", secrets]);
  if (code !== 0) throw new Error("The secrets could not be created.");
  const { chain, files } = readConfig(process.env);
  if (chain.chainId !== 31_337) throw new Error("This prepares a chain for tests; use npm run deploy for another one.");
  await compileChanged(console.log);
  const { contracts } = await deploy({
    rpcUrl: chain.rpcUrl,
    out: chain.deployment,
    roles: await loadRoleAccounts(secrets, chain),
  });
  console.log(`${Object.keys(contracts).length} contracts are deployed, see ${chain.deployment}.`);
  await createBucket(files.blobs);
}

await main().catch((error: unknown) => {
  console.error(error instanceof ConfigError || error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
