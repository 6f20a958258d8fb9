// npm start: the embedded chain, the contracts on it, the indexer and the API, until a signal ends all of them in order.
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { readOptions } from "./command-options.ts";
import { isBuilt } from "./console/sources.ts";
import { type EmbeddedChain, embeddedChainId, startEmbeddedChain } from "./embedded-chain.ts";
import { endWatched, spawnWatched } from "./parent-watchdog.ts";
import { tryLock } from "./process-lock.cjs";
import { adminKeyFile, loadAdminKey } from "./stack/admin-key.ts";
import { requireFreePorts } from "./stack/ports.ts";
import { Preparation, type StartSettings } from "./stack/preparation.ts";
import { Service } from "./stack/service.ts";

readOptions(
  `npm start     chain, contracts, indexer, API and console, until Ctrl-C. It prints their URLs and, the first time, the admin key.
With RPC_URL the chain runs elsewhere, and with INDEXER_URL the indexer: they are not started here.
Takes no options: variables such as PORT, INDEXER_PORT, CHAIN_PORT and DATA_DIR change its defaults (docs/configuration.md).`,
  {},
);

const root = join(import.meta.dirname, "..");
/** An indexer that runs elsewhere (INDEXER_URL) is used and not started. */
const startsIndexer = !process.env.INDEXER_URL;
// Only the owner may read the data folder, whatever modes the programs below set.
process.umask(0o077);
const began = Date.now();
const say = (line: string) => console.log(line);

/** What runs, in the order in which it was started; stopped in the opposite order. */
const running: { name: string; stop: () => Promise<void> }[] = [];
let stopped: Promise<void> | undefined;

/** Ends everything once, however many signals and failures ask for it. */
function stopAll(reason: string, exitCode: number): Promise<void> {
  stopped ??= (async () => {
    say(`${reason}; stopping …`);
    for (const { name, stop } of running.reverse()) {
      await stop().catch((error: unknown) => {
        exitCode = 1;
        console.error(`the ${name} did not stop cleanly: ${error instanceof Error ? error.message : error}`);
      });
    }
    say("stopped.");
    process.exit(exitCode);
  })();
  return stopped;
}

function watchSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopAll(signal, 0));
  // End together with a direct parent that is the launcher; further ancestors are ignored.
  const launcher = Number(process.env.HEARTH_LAUNCHER_PID);
  if (launcher !== process.ppid) return;
  setInterval(() => {
    if (process.ppid !== launcher) stopAll("the launching process is gone", 1);
  }, 500).unref();
}

function lockFolder(dataDir: string): void {
  const lock = tryLock(join(dataDir, "lock"));
  if (lock.owner !== undefined) {
    throw new Error(
      `Hearth already runs in ${dataDir} (process ${lock.owner.pid}). Stop it, or set DATA_DIR to another folder.`,
    );
  }
  process.on("exit", lock.release);
}

async function startChain(config: StartSettings): Promise<EmbeddedChain> {
  const chain = await startEmbeddedChain({
    folder: join(config.dataDir, "chain"),
    port: Number(new URL(config.chain.rpcUrl).port),
    logFile: join(config.dataDir, "logs", "chain.log"),
  });
  running.push({ name: "chain", stop: chain.stop });
  void chain.died.then((reason) => stopAll(`the chain is lost: ${reason}`, 1));
  const head = Number(await chain.rpc<string>("eth_blockNumber"));
  say(chain.isNew ? "chain: new" : `chain: continues at block ${head}`);
  return chain;
}

/**
 * Limits of glibc's malloc: without these, every thread that compiles at the start gets a separate pool, and none gives back what
 * was freed. Together they held some 180 MB that nobody used.
 */
const frugalMalloc = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };

/**
 * Limits V8's space for new objects: to three times 8 MB in the indexer and three times 4 MB in the API. By default it grows to 130 MB
 * during the start, on machines with much memory, and shrinks late.
 */
const indexerHeap = ["--max-semi-space-size=8"];

/**
 * In the API, V8 also collects the old heap once it has grown by 15 %. By default, on machines with much memory, the heap grows to
 * four times its size first, so an import of 100 000 households leaves 300 MB of garbage.
 */
const apiHeap = ["--max-semi-space-size=4", "--heap-growing-percent=15"];

/** Options of node with which this process was started, for its parts too. A debugger's port serves one process. */
const givenOptions = process.execArgv.filter((option) => !option.startsWith("--inspect"));

/** The indexer's database only mirrors the chain, so a database that a kill left incomplete is rebuilt. */
async function forgetIndex(dataDir: string): Promise<void> {
  say("indexer: its database is damaged; rebuilding it from the chain");
  await rm(join(dataDir, "indexer"), { recursive: true, force: true });
}

/** @param program the API's, as `Preparation` built it */
function startServices(config: StartSettings, adminKey: string, program: string): Service[] {
  const { dataDir, host, port, chain, indexer } = config;
  const address = host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host;
  const shared = { cwd: root, say };
  // Shared secret by which the indexer authenticates the API, which it does not rate limit.
  const token = indexer.token ?? randomBytes(24).toString("hex");
  // The `_FILE` variables are emptied, because a secret that is set in both ways is refused.
  const secrets = { INDEXER_TOKEN: token, INDEXER_TOKEN_FILE: "", ADMIN_API_KEY_FILE: "" };
  const options = [
    {
      name: "indexer",
      args: [...givenOptions, ...indexerHeap, "indexer/start.ts"],
      env: {
        ...frugalMalloc,
        ...process.env,
        DATA_DIR: dataDir,
        RPC_URL: chain.rpcUrls.join(","),
        ...(chain.embedded ? { RPC_SOCKET_URL: chain.rpcUrl.replace(/^http/, "ws") } : {}),
        CHAIN_ID: String(chain.chainId),
        DEPLOYMENT: chain.deployment,
        HOST: host,
        ...secrets,
      },
      readyUrl: `http://${address}:${indexer.port}/ready`,
      graceMs: 8_000,
      ...(indexer.databaseUrl === undefined ? { repair: () => forgetIndex(dataDir) } : {}),
    },
    {
      name: "API",
      args: [...givenOptions, ...apiHeap, program],
      env: {
        ...frugalMalloc,
        ...process.env,
        DATA_DIR: dataDir,
        HOST: host,
        ...secrets,
        ADMIN_API_KEY: adminKey,
      },
      readyUrl: `http://${address}:${port}/ready`,
      graceMs: 40_000,
    },
  ];
  return options.slice(startsIndexer ? 0 : 1).map(({ name, ...rest }) => {
    const service = new Service({
      ...shared,
      ...rest,
      name,
      logFile: join(dataDir, "logs", `${name.toLowerCase()}.log`),
    });
    running.push({ name, stop: () => service.stop() });
    void service.givenUp.then((reason) => stopAll(reason, 1));
    service.start();
    return service;
  });
}

/** Builds the console while the system runs, if its sources changed, so that no request waits for it. */
function buildConsole({ dataDir }: StartSettings): void {
  const logFile = join(dataDir, "logs", "console.log");
  const output = openSync(logFile, "w", 0o600);
  const child = spawnWatched(process.execPath, ["scripts/build-console.ts"], { cwd: root, output });
  closeSync(output);
  running.push({ name: "console's build", stop: () => endWatched(child, 1_000) });
  child.once("exit", (code) => {
    if (stopped !== undefined) return;
    say(code === 0 ? "console: built" : `console: its build failed; see ${logFile}`);
  });
}

function announce(config: StartSettings, adminKey: string): void {
  const { publicUrl, chain, indexer, dataDir } = config;
  // The file says that the key was seen: a start that was killed before it printed shows the key again.
  const shown = `${adminKeyFile(dataDir)}.shown`;
  const showsKey = config.adminApiKey === undefined && !existsSync(shown);
  const key = `
  Admin key      ${adminKey}
                 (shown only once; kept in ${adminKeyFile(dataDir)})`;
  // One write, so that a program that waits for the first line gets the rest with it.
  say(`
Hearth is ready (${Math.round((Date.now() - began) / 1000)} s). Ctrl-C stops it.
  API            ${publicUrl}/v1
  API reference  ${publicUrl}/docs
  Console        ${publicUrl}/console${isBuilt() ? "" : " (being built, a moment)"}
  Indexer        ${indexer.url}/graphql
  Chain          ${chain.embedded ? chain.rpcUrl : new URL(chain.rpcUrl).origin} (chain id ${chain.chainId})
  Data           ${dataDir}${showsKey ? key : ""}`);
  if (showsKey) writeFileSync(shown, "", { mode: 0o600 });
}

/** A line of the API's log that concerns only who wants to use MCP servers. */
const unusedByDefault = "[boot] excluded: mcp (MCP_SERVERS)";

async function main(): Promise<void> {
  const preparation = new Preparation();
  const config = await preparation.readSettings();
  const { dataDir, host, port, chain, indexer } = config;
  await mkdir(join(dataDir, "logs"), { recursive: true, mode: 0o700 });
  lockFolder(dataDir);
  if (existsSync(join(dataDir, "restore-unfinished.json")))
    throw new Error(`${dataDir} has an unfinished restore: run the same npm run restore again to finish it.`);
  watchSignals();
  const chainPort = { variable: "CHAIN_PORT", port: Number(new URL(chain.rpcUrl).port), host: "127.0.0.1" };
  const services = [
    { variable: "PORT", port, host },
    ...(startsIndexer ? [{ variable: "INDEXER_PORT", port: indexer.port, host }] : []),
  ];
  await requireFreePorts(chain.embedded ? [chainPort, ...services] : services);

  if (chain.embedded) {
    if (chain.chainId !== embeddedChainId) throw new Error(`The embedded chain's CHAIN_ID is ${embeddedChainId}.`);
    const { checkpoint } = await startChain(config);
    await preparation.deploy(checkpoint);
  }
  const program = await preparation.buildApi();
  await preparation.end();
  const adminKey = config.adminApiKey ?? (await loadAdminKey(dataDir));
  if (stopped !== undefined) return;
  say(startsIndexer ? "indexer and API: starting …" : "API: starting …");
  const started = startServices(config, adminKey, program);
  await Promise.all(started.map((service) => service.ready()));
  if (stopped !== undefined) return;
  const lines = started.flatMap((service) => service.said().split("\n"));
  for (const line of lines.filter((each) => each.startsWith("[boot]") && each !== unusedByDefault)) say(line);
  announce(config, adminKey);
  if (!isBuilt()) buildConsole(config);
  for (const line of lines.filter((each) => each.startsWith("Oracle '"))) say(line);
}

main().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  if (running.length > 0 || stopped !== undefined) return stopAll(reason, 1);
  console.error(reason);
  process.exit(1);
});
