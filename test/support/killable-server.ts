import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ServerProcess, startServer } from "./api-server.ts";
import { createTestWorld, type TestWorld } from "./chain.ts";

export type KillableServer = ServerProcess & {
  world: TestWorld;
  /** Do some work, while the server kills itself before its given statement to the database, counted from now on, from 1. */
  killBefore: <T>(statement: number, work: () => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

/** For tests: the API as a process that can be killed between any two steps of a write (kill-at-statement.ts). */
export async function startKillableServer(): Promise<KillableServer> {
  const world = await createTestWorld();
  const killAt = join(world.dataDir, "kill-at");
  const preload = fileURLToPath(new URL("kill-at-statement.ts", import.meta.url));
  const env = { REQUESTS_PER_MINUTE: "100000", KILL_AT_FILE: killAt, NODE_OPTIONS: `--import=${preload}` };
  const server = await startServer(world, env);
  return {
    ...server,
    world,
    async killBefore(statement, work) {
      // In one step: a background job's statement would read an empty file, and the server would never be killed.
      await writeFile(`${killAt}.new`, String(statement));
      await rename(`${killAt}.new`, killAt);
      try {
        return await work();
      } finally {
        await rm(killAt);
      }
    },
    async close() {
      await server.stop("SIGKILL");
      await world.close();
    },
  };
}
