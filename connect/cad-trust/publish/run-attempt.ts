import { AppError } from "../../../api/platform/errors.ts";
import type { StagedRow } from "../node/server.ts";
import { compare, makeTarget, type Target } from "../plan/make-plan.ts";
import { problem } from "../problems.ts";
import type { Attempt, Outcome } from "./attempt.ts";
import { readBack } from "./read-back.ts";
import { stageTarget } from "./stage.ts";

/** The most records of one commit. */
const mostAtOnce = 10_000;
const pauseMs = 2_000;

/**
 * Bring the server closer to what the index and the settings say: stage, commit, and read back. Each step begins with what the
 * server and the database say, so an attempt can end anywhere and the next one continues.
 * @throws CadTrustRefusal; CadTrustUnavailable; HearthError when the index does not answer; LostRunError
 */
export async function attemptRun(attempt: Attempt): Promise<Outcome> {
  const { store, server, profile, run } = attempt;
  const staged = await server.requests.staged();
  if (staged.some(isBeingWritten)) return waiting("The server is writing a commit.");
  const own = new Set((await store.records(server.url)).map(({ remoteId }) => remoteId));
  for (const { uuid, recordId, hasFailed } of staged) {
    if (hasFailed && recordId !== undefined && own.has(recordId)) await server.requests.retry(uuid);
  }
  const target =
    attempt.memory.target ?? (await makeTarget({ ...attempt, picklist: await server.requests.picklist() }));
  attempt.memory.target = target;
  if (target.problems.length > 0) {
    const message = `${target.problems.length} values would be refused; nothing was sent.`;
    return { status: "failed", message, problems: target.problems };
  }
  try {
    await stageTarget(attempt, target, staged);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "RULE_VIOLATION") throw error;
    return { status: "failed", message: error.message, problems: error.details };
  }
  await attempt.keep();
  if (await commitOwn(attempt, profile.author, run.id)) return waiting("The server is writing the commit.");
  const left = await readBack(attempt, await server.requests.staged());
  if (left > 0) return waiting(`${left} records wait for the server's commit.`);
  return await conclude(attempt, target);
}

const waiting = (message: string, ms = pauseMs): Outcome => ({ status: "waiting", message, pauseMs: ms });
const isBeingWritten = ({ isCommitted, hasFailed }: StagedRow): boolean => isCommitted && !hasFailed;

/** Commit what is staged of our records. @returns whether there was anything */
async function commitOwn({ store, server }: Attempt, author: string, runId: string): Promise<boolean> {
  const ids = new Set((await store.records(server.url)).map(({ remoteId }) => remoteId));
  const uuids = (await server.requests.staged())
    .filter((row) => !row.isCommitted && !row.hasFailed && row.recordId !== undefined && ids.has(row.recordId))
    .map(({ uuid }) => uuid);
  if (uuids.length === 0) return false;
  await server.requests.commit(uuids.slice(0, mostAtOnce), author, `Hearth publication ${runId}`);
  return true;
}

async function conclude({ store, server }: Attempt, target: Target): Promise<Outcome> {
  const rows = await store.records(server.url);
  const different = rows.filter(({ state }) => state === "differs");
  const faulty = new Set(different.map(({ key }) => key));
  const open = compare(target, rows).filter(({ key, changes }) => !faulty.has(key) || changes.length > 0);
  if (open.length > 0) return waiting(`${open.length} records are still to be sent.`, 0);
  if (different.length === 0) return { status: "published", message: null, problems: [] };
  const problems = different.flatMap(({ key, problems: texts }) =>
    texts.map((difference) => problem("registry-differs", key, { difference })),
  );
  return { status: "failed", message: `${different.length} records differ from what was sent.`, problems };
}
