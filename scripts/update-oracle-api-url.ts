// npm run update-oracle-api-url: sets the URL in the registry at which clients reach an oracle.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createPublicClient, getAddress, type Hex, http, isAddressEqual, isHex, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Config, readConfig } from "../api/config.ts";
import { callAsOwner, oracleIdOf } from "../api/oracle/index.ts";
import { ConfigError } from "../api/platform/config-error.ts";
import { openIdentity } from "../api/platform/identity/identity.ts";
import { oraclesAbi } from "../deployments/abi/oracles.ts";
import { requireDeployment } from "../deployments/deployment.ts";

const usage = `Change where the registry says that an oracle is. Run it where the system runs (same DATA_DIR and ports).

  npm run update-oracle-api-url -- [--did <did>] [--url <url>] [--ws-url <url>]

  --did <did>       the oracle; absent: the one of this system
  --url <url>       its API; absent: PUBLIC_URL, where this system listens
  --ws-url <url>    its sockets; absent: as registered, at the API's URL if that is empty
  --help

The owner's key is ORACLE_OWNER_KEY, or the one that the first start kept in DATA_DIR/keys/oracle-owner.key. On an outside
chain RPC_URL, CHAIN_ID and DEPLOYMENT name it, as for npm start.`;

const options = {
  did: { type: "string" },
  url: { type: "string" },
  "ws-url": { type: "string" },
  help: { type: "boolean", default: false },
} as const;

class UsageError extends Error {}

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(usage);
  const config = readConfig(process.env);
  const url = urlOf("--url", values.url ?? config.publicUrl);
  const { address, client } = await openRegistry(config);
  const did = await oracleDid(config, values.did);
  const read = { address, abi: oraclesAbi, functionName: "oracleByDid", args: [did] } as const;
  const found = await client.readContract(read);
  if (isAddressEqual(found.owner, zeroAddress))
    throw new UsageError(`The oracle ${did} is not registered on this chain.`);
  const account = await ownerAccount(config);
  if (!isAddressEqual(found.owner, account.address)) {
    throw new UsageError(`The oracle belongs to ${getAddress(found.owner)}, and the key to ${account.address}.`);
  }
  const wsUrl = values["ws-url"] === undefined ? found.wsUrl : urlOf("--ws-url", values["ws-url"]);
  const { rpcUrl, embedded } = config.chain;
  const args = [oracleIdOf(did), url, wsUrl, found.agentCardUri] as const;
  const hash = await callAsOwner({ rpcUrl, account, embedded }, { address, functionName: "setUrls", args });
  console.log(`${did}\n  API      ${found.apiUrl} → ${url}`);
  if (values["ws-url"] !== undefined) console.log(`  sockets  ${found.wsUrl || found.apiUrl} → ${wsUrl}`);
  console.log(`  transaction ${hash}`);
}

function urlOf(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(https?|wss?):$/.test(url.protocol))
    throw new UsageError(`${option} is not a URL: ${text}`);
  return text.replace(/\/+$/, "");
}

async function openRegistry({ chain }: Config) {
  const { contracts, chainId } = await requireDeployment(chain.deployment);
  const client = createPublicClient({ transport: http(chain.rpcUrl, { retryCount: 1 }), cacheTime: 0 });
  const actual = await client.getChainId().catch((cause: unknown) => {
    const where = chain.embedded ? `${chain.rpcUrl} (npm start runs it)` : new URL(chain.rpcUrl).origin;
    throw new UsageError(`The chain does not answer at ${where}.`, { cause });
  });
  if (actual !== chainId) throw new UsageError(`The chain is ${actual}, but the deployment file's is ${chainId}.`);
  return { address: contracts.oracles, client };
}

/** The service's did:key names the same oracle as its did:web, which is what the registry has. */
async function oracleDid(config: Config, given: string | undefined): Promise<string> {
  if (given !== undefined && !given.startsWith("did:key:")) return given;
  const { did, keyDid } = await openIdentity(config);
  return given === undefined || given === keyDid ? did : given;
}

async function ownerAccount({ dataDir }: Config) {
  const path = join(dataDir, "keys", "oracle-owner.key");
  const given = process.env.ORACLE_OWNER_KEY ?? (await readFile(path, "utf8").catch(() => undefined));
  if (given === undefined) throw new UsageError(`There is no owner's key: neither ORACLE_OWNER_KEY nor ${path}.`);
  const key = `0x${given.trim().replace(/^0x/, "")}`;
  if (!isHex(key) || key.length !== 66) throw new UsageError("The owner's key is not 64 hexadecimal digits.");
  return privateKeyToAccount(key as Hex);
}

main().catch((error: unknown) => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isUsage = code.startsWith("ERR_PARSE_ARGS");
  if (isUsage) console.error(`${(error as Error).message}\n\n${usage}`);
  else if (error instanceof UsageError || error instanceof ConfigError) console.error(error.message);
  else console.error(error instanceof Error ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
});
