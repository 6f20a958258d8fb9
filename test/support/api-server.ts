import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./anvil.ts";
import type { TestWorld } from "./chain.ts";
import { testAdminKey } from "./core.ts";

export type ServerProcess = {
  url: string;
  /** Kill it with SIGKILL, and start another one over the same folder. */
  killAndStart: () => Promise<void>;
  stop: (signal: NodeJS.Signals) => Promise<void>;
};

/** For tests: the API as a process over a world's folder, ready for requests. */
export async function startServer(world: TestWorld): Promise<ServerProcess> {
  const port = await freePort();
  let server = await spawnServer(world, port);
  const stop = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, "exit");
  };
  return {
    url: `http://127.0.0.1:${port}`,
    stop,
    killAndStart: async () => {
      await stop("SIGKILL");
      server = await spawnServer(world, port);
    },
  };
}

async function spawnServer({ dataDir, anvil }: TestWorld, port: number): Promise<ChildProcess> {
  const main = fileURLToPath(new URL("../../api/main.ts", import.meta.url));
  const variables = { DATA_DIR: dataDir, CHAIN_PORT: String(anvil.port), PORT: String(port) };
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...variables, ADMIN_API_KEY: testAdminKey, LOG_LEVEL: "silent" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (let i = 0; i < 600; i++) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    const up = await fetch(`http://127.0.0.1:${port}/v1/keys`).then(
      () => true,
      () => false,
    );
    if (up) return child;
    await sleep(100);
  }
  child.kill("SIGKILL");
  throw new Error("The server does not listen.");
}
