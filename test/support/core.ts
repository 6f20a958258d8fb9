import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, readConfig } from "../../api/config.ts";
import { createLog, type Log } from "../../api/platform/log.ts";
import { createBaseApp } from "../../api/platform/server/base-app.ts";
import { type CoreDeps, type CoreOptions, openCoreDeps } from "../../api/platform/server/core.ts";
import { placeDatabase } from "./database.ts";

/** Admin key of every test app. */
export const testAdminKey = "test-admin-key-of-24-characters";

export type TestCore = {
  app: ReturnType<typeof createBaseApp>;
  deps: CoreDeps<Config>;
  config: Config;
  close: () => Promise<void>;
};

/** For tests: the app without features, on a real database in a temporary folder that `close` removes. */
export async function openTestCore(
  env: Record<string, string> = {},
  { log, ...options }: CoreOptions & { log?: Log } = {},
): Promise<TestCore> {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-api-"));
  if (env.DATABASE_URL === undefined) await placeDatabase(dataDir);
  const config = readConfig({ DATA_DIR: dataDir, ADMIN_API_KEY: testAdminKey, LOG_LEVEL: "silent", ...env });
  const { deps, close } = await openCoreDeps(config, log ?? createLog(config), options);
  const app = createBaseApp(deps);
  const closeAll = async () => {
    await close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { app, deps, config, close: closeAll };
}
