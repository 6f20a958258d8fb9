import type { Server as HttpServer } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import packageJson from "../package.json" with { type: "json" };
import { configurationExitCode } from "../scripts/stack/exit-codes.ts";
import { openApp } from "./app.ts";
import type { Deps } from "./compose.ts";
import { type Config, readConfig, redactConfig } from "./config.ts";
import { BootError, registerOwnOracle, registrationWarning } from "./oracle/index.ts";
import { ConfigError } from "./platform/config-error.ts";
import { DatabaseLockedError } from "./platform/db/index.ts";
import { createFirstAdminKey, generateKey } from "./platform/keys/index.ts";
import {
  readFirstAdminKey,
  removeFirstAdminKey,
  removeRunFile,
  writeFirstAdminKey,
  writeRunFile,
} from "./platform/local-run.ts";
import { createLog } from "./platform/log.ts";
import {
  carrySecurityHeaders,
  type Drain,
  limitClientConnections,
  limitSlowBodies,
  maxClientConnections,
  maxConnections,
  prepareDrain,
  serverOptions,
} from "./platform/server/index.ts";

/** How long open requests may take to end after SIGTERM, in milliseconds, in addition to the time that they wait for a block. */
const drainMs = 5_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config);
  log.info({ config: redactConfig(config) }, "configuration");
  const stopTracing = await traceIfAsked(config);
  const operatorKey = generateKey().key;
  const { app, deps, close } = await openApp(config, log, { operatorKey, say: (line) => console.log(line) });
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions }) as HttpServer;
  server.maxConnections = maxConnections;
  if (!config.trustProxy) limitClientConnections(server, { perClient: maxClientConnections });
  deps.oracle.attach(server);
  carrySecurityHeaders(server);
  limitSlowBodies(server);
  const drain = prepareDrain(server);

  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, "stopping");
    await removeRunFile(config.dataDir);
    await endConnections(server, drain, deps);
    await close();
    await stopTracing();
    process.exit(0);
  };
  const stopWith = (reason: string) => () =>
    stop(reason).catch((error: unknown) => {
      log.fatal({ err: error }, "stopping failed");
      process.exit(1);
    });
  process.once("SIGTERM", stopWith("SIGTERM"));
  process.once("SIGINT", stopWith("SIGINT"));

  const registered = await registerOwnOracle({ config, chain: deps.chain, payments: deps.oracle.payments }).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );
  const port = await listen(server, config).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const host = config.host.includes(":") ? `[${config.host}]` : config.host === "0.0.0.0" ? "127.0.0.1" : config.host;
  await writeRunFile(config.dataDir, { pid: process.pid, url: `http://${host}:${port}`, operatorKey });
  log.info({ host: config.host, port, publicUrl: config.publicUrl }, "listening");
  await printFirstAdminKey(config, deps);
  const warning = registrationWarning(registered, { publicUrl: config.publicUrl, port, did: deps.oracle.did });
  if (warning !== undefined) console.log(warning);
  console.log(`Oracle '${deps.oracle.name}' (runtime v${packageJson.version}) listening on :${port}`);
}

/** OpenTelemetry is large, and loaded only when it is used. */
async function traceIfAsked({ sendsTraces }: Config): Promise<() => Promise<void>> {
  if (!sendsTraces) return async () => {};
  const { startTracing } = await import("./platform/tracing/open-telemetry.ts");
  return startTracing(packageJson.version);
}

async function listen(server: HttpServer, config: Config): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.port, config.host, resolve);
  });
  const bound = server.address();
  return typeof bound === "object" && bound !== null ? bound.port : config.port;
}

/** Streams and sockets end in order, and every request that was sent is answered. */
async function endConnections(server: HttpServer, drain: Drain, { config, oracle, events }: Deps): Promise<void> {
  const mostMs = config.chain.txWaitMs + drainMs;
  const forced = setTimeout(() => server.closeAllConnections(), mostMs).unref();
  await drain.begin();
  events.endStreams();
  // Before the streams are waited for, which else would last as long as their turns.
  await oracle.stop();
  await drain.idleEnded();
  // Turns that began meanwhile, on connections that were still there.
  await oracle.stop();
  await drain.wait(mostMs);
  clearTimeout(forced);
}

async function printFirstAdminKey(config: Config, deps: Deps): Promise<void> {
  if (config.adminApiKey !== undefined) return;
  await createFirstAdminKey(deps, (key) => writeFirstAdminKey(config.dataDir, key));
  // The file is there after the first start, and after one that was killed before it showed the key.
  const key = await readFirstAdminKey(config.dataDir);
  if (key === undefined) return;
  console.log(`Admin API key (shown only once): ${key}`);
  await removeFirstAdminKey(config.dataDir);
}

main().catch((error: unknown) => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (error instanceof BootError) for (const line of error.lines) console.error(line);
  else if (error instanceof ConfigError || error instanceof DatabaseLockedError) console.error(error.message);
  else if (code === "EADDRINUSE") console.error(`Port ${process.env.PORT ?? 3000} is taken. Set PORT to a free one.`);
  else console.error(error);
  process.exit(error instanceof BootError || error instanceof ConfigError ? configurationExitCode : 1);
});
