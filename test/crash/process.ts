import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { readConfig } from "../../api/config.ts";
import type { FileDeps } from "../../api/files/deps.ts";
import { runFsck } from "../../api/files/fsck/fsck.ts";
import { filesInOrder } from "../../api/files/fsck/retained-versions.ts";
import { openFiles } from "../../api/files/open-files.ts";
import { openContent } from "../../api/files/read/open-content.ts";
import { detailsOf } from "../../api/files/records/find-file.ts";
import { files as fileTable } from "../../api/files/records/tables.ts";
import { createLog } from "../../api/platform/log.ts";
import { openCoreDeps } from "../../api/platform/server/core.ts";
import { testContext, textOf } from "../support/files/files.ts";
import { type FoundState, hashOf } from "./model.ts";
import type { Command, Word } from "./protocol.ts";
import { writeForEver } from "./writer.ts";

/**
 * The process that is killed: it waits for the order to open, opens the store, reports what it finds, and on "go" starts the
 * writers. Every message is written to the pipe before the call that it reports continues, so a kill loses none.
 */
function say(word: Word): void {
  const line = Buffer.from(`${JSON.stringify(word)}\n`);
  for (let at = 0; at < line.length; ) {
    try {
      at += writeSync(1, line, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}

let stepsLeft = Number.POSITIVE_INFINITY;
let stepName = "";

async function open(): Promise<FileDeps> {
  const config = readConfig(process.env);
  const { deps } = await openCoreDeps(config, createLog(config));
  await othersGone(deps);
  const step = (name: string) => {
    if (name !== stepName) return;
    stepsLeft -= 1;
    if (stepsLeft > 0) return;
    process.kill(process.pid, "SIGKILL");
  };
  const { files } = await openFiles(deps, { step });
  return { ...deps, files };
}

/**
 * A killed process's last statement may still be at work in PostgreSQL: what it does counts as done before the kill. Every
 * process has its own application name.
 */
async function othersGone({ db, exclusive }: Pick<FileDeps, "db" | "exclusive">): Promise<void> {
  while (!exclusive) {
    const { rows } = await db.execute<{ others: number }>(
      sql`select count(*)::int as others from pg_stat_activity
        where datname = current_database() and application_name <> current_setting('application_name')`,
    );
    if (rows[0]?.others === 0) return;
    await sleep(5);
  }
}

async function describeAll(deps: FileDeps): Promise<FoundState[]> {
  const rows = await deps.db
    .select({ id: fileTable.id, path: fileTable.path, trashedAt: fileTable.trashedAt })
    .from(fileTable);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found: FoundState[] = [];
  for await (const versions of filesInOrder(deps.db)) {
    const [first] = versions;
    const row = first && byId.get(first.fileId);
    if (first === undefined || row === undefined) throw new Error("A version without its file.");
    const key = await deps.files.keys.openFileKey(first, first.fileKey);
    const hashes = versions
      .map((each): [number, string] => [each.version, detailsOf(key, each.fileId, each).contentHash])
      .sort(([a], [b]) => a - b);
    found.push({
      id: row.id,
      owner: first.namespace,
      path: row.path,
      trashed: row.trashedAt !== null,
      versions: hashes,
    });
  }
  return found;
}

/** The store after a kill, checked to the last byte, before anybody writes again. */
async function inspect(deps: FileDeps): Promise<Word> {
  await deps.files.blobs.collectLeftovers(0);
  const report = await runFsck(deps, {
    schemeKey: "0".repeat(64),
    chain: undefined,
    repair: true,
    graceMs: 0,
    scrub: true,
  });
  // What a killed write may leave: bytes and secrets that nothing names. All else is a loss.
  const litter = new Set(["blob-orphaned", "secret-orphaned"]);
  const wrong = report.findings.filter(({ kind }) => !litter.has(kind));
  const orphanBlobs = report.findings.filter(({ kind }) => kind === "blob-orphaned").length;
  const collected = report.findings.length - wrong.length;
  const { checked, audit } = report;
  return { found: await describeAll(deps), wrong, collected, orphanBlobs, checked, events: audit.events };
}

async function run(deps: FileDeps, { step, writers }: Extract<Command, { go: true }>): Promise<void> {
  if (step !== undefined) [stepName, stepsLeft] = [step.name, step.count];
  const endless = writers.map(({ owner, folder, files }, writer) =>
    writeForEver(testContext({ deps }, owner), folder, files, (word) => say({ writer, ...word })),
  );
  await Promise.all(endless);
}

/** Read the heads as the service does: complete, and equal to the rows. */
async function readHeads(deps: FileDeps, { writers }: Extract<Command, { go: true }>): Promise<void> {
  for (const { owner, files } of writers) {
    for (const { id, trashed, versions } of files.slice(0, 2)) {
      const head = versions.at(-1);
      if (trashed || head === undefined) continue;
      const opened = await openContent(testContext({ deps }, owner), { ref: { id } });
      const text = await textOf(opened);
      if (!text.startsWith(`token:${head.content.head};`) || opened.contentHash !== hashOf(head.content)) {
        throw new Error(`File ${id} does not read as it was written.`);
      }
    }
  }
}

let deps: FileDeps | undefined;
say({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command;
  try {
    if ("open" in command) {
      deps = await open();
      say(await inspect(deps));
    } else if (deps !== undefined) {
      await readHeads(deps, command);
      say({ going: true });
      void run(deps, command).catch((error: unknown) => say({ failed: describe(error) }));
    }
  } catch (error) {
    say({ failed: describe(error) });
  }
}
// The killing process has ended.
process.exit(0);

function describe(error: unknown): string {
  return error instanceof Error
    ? `${error.stack}${error.cause === undefined ? "" : `\ncaused by ${describe(error.cause)}`}`
    : String(error);
}
