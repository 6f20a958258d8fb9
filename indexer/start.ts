import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createPublicClient, type Hex, http } from "viem";
import { requireDeployment } from "../deployments/deployment.ts";
import { pgliteVersion } from "../scripts/databases/empty-database.ts";
import { spawnWatched } from "../scripts/parent-watchdog.ts";
import { indexerSecrets, readSecretFiles } from "../scripts/secret-files.ts";
import { configurationExitCode } from "../scripts/stack/exit-codes.ts";
import { pglite } from "./lib/embedded-database.ts";
import { codeHash, type Marker, schemaName } from "./lib/marker.ts";
import { prepareEmbedded, preparePostgres } from "./lib/prepare.ts";
import { environmentOf, type IndexerSettings, nodesOf, settingsFrom } from "./lib/settings.ts";
import { becomeWriter } from "./lib/standby.ts";
import { prepareReadingRole } from "./reader/reading-role.ts";

const root = dirname(fileURLToPath(import.meta.url));

/** Longest wait for a node's answer, in milliseconds. */
const nodeMs = 20_000;

/**
 * Read the hash of the chain's first block. Every node that answers must be of the same chain: Ponder asks all of them, so one of
 * another chain would leave gaps in the index, or have it rebuilt from that chain.
 * @throws Error that names the node; or why the first did not answer, when none did
 */
async function readGenesis(settings: IndexerSettings): Promise<Hex> {
  const answers = await Promise.allSettled(
    nodesOf(settings).map(async (url, i) => {
      const client = createPublicClient({ transport: http(url, { timeout: nodeMs, retryCount: 1 }) });
      const [chainId, { hash }] = await Promise.all([client.getChainId(), client.getBlock({ blockNumber: 0n })]);
      return { node: i + 1, chainId, hash };
    }),
  );
  const given = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const [first] = given;
  if (first === undefined) throw answers.find((answer) => answer.status === "rejected")?.reason;
  for (const { node, chainId, hash } of given) {
    if (chainId !== settings.chainId)
      throw new Error(`Node ${node} of RPC_URL is of chain ${chainId}, not of ${settings.chainId}.`);
    if (hash !== first.hash) throw new Error(`Nodes ${first.node} and ${node} of RPC_URL are of different chains.`);
  }
  return first.hash;
}

async function readMarker(settings: IndexerSettings): Promise<Marker> {
  const genesis = await readGenesis(settings);
  const deployment = await requireDeployment(settings.deployment);
  return {
    genesis,
    chainId: settings.chainId,
    addresses: deployment.contracts,
    code: codeHash(root),
    pglite: pgliteVersion(pglite),
  };
}

/**
 * Make sure that the database belongs to the chain as it is now, before Ponder starts. An embedded database that belongs to
 * another genesis, deployment or code, or to blocks that the chain no longer has, is removed, so that Ponder rebuilds it;
 * PostgreSQL is refused with an Error that says why, and so is a role for anonymous statements that could do more than read.
 * @returns The database schema for Ponder, and why the database is rebuilt, if it is.
 */
export async function prepareIndexer(settings: IndexerSettings): Promise<{ schema: string; rebuilt?: string }> {
  const marker = await readMarker(settings);
  const schema = schemaName(marker);
  if (settings.databaseUrl !== undefined) {
    const { databaseUrl, readerUrl } = settings;
    await preparePostgres(databaseUrl, marker);
    await prepareReadingRole({ databaseUrl, ...(readerUrl === undefined ? {} : { readerUrl }) });
    return { schema };
  }
  const rebuilt = await prepareEmbedded(settings, marker);
  return rebuilt === undefined ? { schema } : { schema, rebuilt };
}

type PonderCommand = { args: string[]; env: NodeJS.ProcessEnv };

/**
 * Arguments of node and the environment with which Ponder runs on a prepared database.
 * @param command `start` writes the index; `serve` only answers queries of one in PostgreSQL
 */
function ponderCommand(settings: IndexerSettings, schema: string, command: "start" | "serve" = "start"): PonderCommand {
  const script = fileURLToPath(new URL("bin/ponder.js", import.meta.resolve("ponder")));
  const preload = `--import=${new URL("preload.mjs", import.meta.url).href}`;
  const options = ["--root", root, "--hostname", settings.host, "--log-format", "json"];
  return {
    args: [preload, script, command, "--log-level", process.env.INDEXER_LOG ?? "warn", ...options],
    env: {
      ...process.env,
      ...environmentOf(settings),
      DATABASE_SCHEMA: schema,
      // Ponder takes its port from PORT before any option.
      PORT: String(settings.port),
      INDEXER_READS_ONLY: command === "serve" ? "1" : "0",
    },
  };
}

/**
 * Start Ponder in a separate process, on a prepared database. It ends with SIGTERM; kill -9 does no harm.
 * @param nodeOptions options of node for that process
 */
export function spawnIndexer(
  settings: IndexerSettings,
  schema: string,
  stdio: "inherit" | "pipe" = "inherit",
  nodeOptions: readonly string[] = [],
): ChildProcess {
  const { args, env } = ponderCommand(settings, schema);
  return spawn(process.execPath, [...nodeOptions, ...args], { env, stdio: ["ignore", stdio, stdio] });
}

/** Prepare, then start. */
export async function startIndexer(settings: IndexerSettings, stdio?: "inherit" | "pipe"): Promise<ChildProcess> {
  const { schema } = await prepareIndexer(settings);
  return spawnIndexer(settings, schema, stdio);
}

/**
 * Run the indexer in the place of this process, with the settings of the environment. What cannot start says why and exits with 78
 * for its configuration, else with 1.
 */
export async function runIndexer(): Promise<never> {
  const settings = await orExit(configurationExitCode, () => settingsFrom(withSecrets(process.env)));
  const { schema } = await orExit(1, () => prepareIndexer(settings));
  if (settings.databaseUrl !== undefined) {
    const serve = () => {
      const { args, env } = ponderCommand(settings, schema, "serve");
      return spawnWatched(process.execPath, args, { env, output: 1 });
    };
    await becomeWriter({ databaseUrl: settings.databaseUrl, schema, serve });
  }
  const { args, env } = ponderCommand(settings, schema);
  // In the place of this process: one that only waited for Ponder would keep some 50 MB.
  if (process.execve === undefined) throw new Error("The indexer runs on Linux and macOS only");
  return process.execve(process.execPath, [process.execPath, ...process.execArgv, ...args], env);
}

function withSecrets(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { env, problems } = readSecretFiles(given, indexerSecrets);
  if (problems.length > 0) throw new Error(problems.map(({ path, message }) => `${path} ${message}`).join("\n"));
  return env;
}

async function orExit<T>(code: number, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(code);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runIndexer();
