import { createAdaptorServer } from "@hono/node-server";
import { createApp } from "./app.ts";
import { ConfigError, readConfig, redactConfig } from "./config.ts";
import { openDeps } from "./deps.ts";
import { createLog } from "./log.ts";

/** How long open requests may take to end after SIGTERM, in milliseconds. */
const drainMs = 10_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config);
  log.info({ config: redactConfig(config) }, "configuration");
  const { deps, close } = await openDeps(config, log);
  const server = createAdaptorServer({ fetch: createApp(deps).fetch });

  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, "stopping");
    const forced = setTimeout(() => "closeAllConnections" in server && server.closeAllConnections(), drainMs).unref();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      if ("closeIdleConnections" in server) server.closeIdleConnections();
    });
    clearTimeout(forced);
    await close();
    process.exit(0);
  };
  process.once("SIGTERM", () => stop("SIGTERM"));
  process.once("SIGINT", () => stop("SIGINT"));
  process.once("disconnect", () => stop("parent is gone"));

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.port, config.host, resolve);
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : config.port;
  log.info({ host: config.host, port, publicUrl: config.publicUrl }, "listening");
  process.send?.({ type: "listening", port });
}

main().catch((error: unknown) => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (error instanceof ConfigError) console.error(error.message);
  else if (code === "EADDRINUSE") console.error(`Port ${process.env.PORT ?? 3000} is taken. Set PORT to a free one.`);
  else console.error(error);
  process.exit(1);
});
