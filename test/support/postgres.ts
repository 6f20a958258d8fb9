import { type ChildProcess, spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { killWithParent } from "./parent-watchdog.ts";
import { freePorts } from "./ports.ts";
import { dataFolder, postgresPrograms, type ServerUser, serverUser } from "./postgres-program.ts";

export type TestPostgres = {
  /** Make an empty database; its connection URL. */
  createDatabase: () => Promise<string>;
  /** Stop it as an operator's restart does, which ends every connection, and start it again on the same port after `downMs`. */
  restart: (downMs: number) => Promise<void>;
  /** Process id of the server, which a restart changes. */
  pid: () => number;
  stop: () => Promise<void>;
};

/** A server that is not ready by then has not started. Milliseconds. */
const startLimit = 120_000;

/**
 * Start a separate real PostgreSQL, in a folder that `stop` removes.
 * @param durable commits wait for the disk, as in production; tests have no need of it
 * @param programs folder of `postgres` and `initdb`; undefined: those of npm
 * @throws Error with what PostgreSQL said, when it does not start
 */
export async function startPostgres({
  durable = false,
  programs: given,
}: {
  durable?: boolean;
  programs?: string | undefined;
} = {}): Promise<TestPostgres> {
  const [port] = (await freePorts(1)) as [number];
  const user = serverUser();
  const programs = given ?? (await postgresPrograms(user));
  const folder = await dataFolder(user);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await initialise(join(programs, "initdb"), folder, user);
    const flags = ["-p", String(port), "-c", "unix_socket_directories=", ...(durable ? [] : ["-c", "fsync=off"])];
    const startServer = async () => {
      const server = start(join(programs, "postgres"), ["-D", join(folder, "data"), ...flags], user);
      await says(server, /ready to accept connections/, "postgres");
      return server;
    };
    return running(await startServer(), startServer, port, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

async function initialise(initdb: string, folder: string, user: ServerUser): Promise<void> {
  const password = join(folder, "password");
  await writeFile(password, "hearth\n", { mode: 0o644 });
  const flags = [
    "--auth=password",
    "--username=hearth",
    `--pwfile=${password}`,
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ];
  await says(start(initdb, [`--pgdata=${join(folder, "data")}`, ...flags], user), undefined, "initdb");
}

function running(
  first: ChildProcess,
  startAgain: () => Promise<ChildProcess>,
  port: number,
  remove: () => Promise<void>,
): TestPostgres {
  let server = first;
  let release = killWithParent(server.pid as number, "QUIT");
  const end = async () => {
    const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
    server.ref();
    if (server.kill("SIGINT")) await ended;
    release();
  };
  const url = (database: string) => `postgres://hearth:hearth@127.0.0.1:${port}/${database}`;
  let databases = 0;
  return {
    async createDatabase() {
      const name = `test_${++databases}`;
      const client = new pg.Client(url("postgres"));
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return url(name);
    },
    async restart(downMs) {
      await end();
      await sleep(downMs);
      server = await startAgain();
      release = killWithParent(server.pid as number, "QUIT");
    },
    pid: () => server.pid as number,
    async stop() {
      await end();
      await remove();
    },
  };
}

/** A test that fails to stop its server still ends: the server does not keep the process, and goes with it. */
function start(program: string, args: string[], user: ServerUser): ChildProcess {
  const child = spawn(program, args, {
    ...user,
    cwd: "/",
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const output of [child.stdout, child.stderr]) (output as Socket).unref();
  return child;
}

/** Wait until a program has said a thing, or, without one, until it has ended well. */
async function says(child: ChildProcess, wanted: RegExp | undefined, name: string): Promise<void> {
  let said = "";
  const limit = setTimeout(() => child.kill("SIGKILL"), startLimit);
  await new Promise<void>((resolve, reject) => {
    const listen = (part: Buffer) => {
      said = `${said}${part}`.slice(-4_000);
      if (wanted?.test(said)) resolve();
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    child.once("error", (error) => reject(new Error(`PostgreSQL's ${name} did not start: ${error.message}`)));
    child.once("close", (code, signal) => {
      if (code === 0 && wanted === undefined) resolve();
      else
        reject(
          new Error(`PostgreSQL's ${name} ended (${signal ?? `exit code ${code}`}) before it was ready:\n${said}`),
        );
    });
  }).finally(() => clearTimeout(limit));
  child.unref();
}
