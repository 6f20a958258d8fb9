import { tables } from "../model/tables.ts";
import type { CadTrustServer, StagedRow } from "../node/server.ts";
import { isSame } from "../plan/same-value.ts";
import type { RecordRow } from "../tables.ts";
import type { Attempt } from "./attempt.ts";

/** Name the fields in which the server's record differs from what was sent. */
export function differencesOf({ table, sent }: RecordRow, read: Record<string, unknown>): string[] {
  const kinds = new Map(tables[table].fields.map(({ name, kind }) => [name, kind]));
  return Object.entries(sent).flatMap(([name, value]) => {
    if (isSame(kinds.get(name) ?? "text", value, read[name])) return [];
    return [`${name}: sent ${JSON.stringify(value)}, the server has ${JSON.stringify(read[name] ?? null)}`];
  });
}

/** Read every staged record that the server has committed, and compare it with what was sent. @returns how many are still staged */
export async function readBack({ store, server, now, run }: Attempt, staged: readonly StagedRow[]): Promise<number> {
  const waiting = new Set(staged.map(({ recordId }) => recordId));
  let left = 0;
  for (const row of await store.records(server.url)) {
    if ((row.state !== "staged" && row.state !== "removing") || row.remoteId === null) continue;
    if (waiting.has(row.remoteId)) left += 1;
    else await settle({ store, now, run, requests: server.requests }, row, row.remoteId);
  }
  return left;
}

type Means = Pick<Attempt, "store" | "now" | "run"> & { requests: CadTrustServer };

async function settle({ store, now, run, requests }: Means, row: RecordRow, id: string): Promise<void> {
  const read = await requests.read(row.table, id);
  if (row.state === "removing") {
    if (read === undefined) await store.removeRecord(run, row);
    else
      await store.changeRecord(run, row, {
        state: "differs",
        problems: ["The server still has it."],
        changedAt: now(),
      });
    return;
  }
  if (read === undefined) {
    // Somebody emptied the staging area: it is sent again.
    await store.changeRecord(run, row, { state: "sending", remoteId: null, publishedAt: null, changedAt: now() });
    return;
  }
  const problems = differencesOf(row, read);
  const state = problems.length === 0 ? "published" : "differs";
  await store.changeRecord(run, row, { state, problems, changedAt: now(), publishedAt: row.publishedAt ?? now() });
}
