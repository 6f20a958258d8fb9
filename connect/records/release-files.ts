import type { RecordDeps } from "./deps.ts";
import { because } from "./reasons.ts";
import { destroyFiles } from "./sealed-files.ts";
import type { SubmissionRow } from "./tables.ts";

const dayMs = 24 * 3_600_000;
/** Most records of one step. */
const mostAtOnce = 200;
/** Records that cannot be released before a run gives up: the file store may be out of reach. */
const mostFailed = 1_000;

/**
 * Release the files that ended in no record, some days after nothing happened to their record any more: abandon records that nobody
 * corrected or completed, destroy the files of deleted records with those of the versions that they replaced, and destroy photos that
 * were stored for a correction and not used. What an accepted record or a version before it names stays: it is evidence.
 * `host.recordsOpenDays` is how long a record can be corrected or completed.
 * @returns how many files were destroyed
 */
export async function releaseFiles(deps: RecordDeps, signal: AbortSignal): Promise<number> {
  const { submissions, host } = deps;
  const days = host.recordsOpenDays;
  if (days === 0) return 0;
  const before = new Date(host.clock.now().getTime() - days * dayMs);
  const why = [because("record-abandoned", undefined, { days })];
  let isMore = true;
  while (isMore && !signal.aborted) isMore = (await submissions.abandonIdle(before, why, mostAtOnce)) > 0;
  let destroyed = 0;
  const failed: string[] = [];
  let rows = await submissions.toRelease(before, mostAtOnce);
  while (rows.length > 0) {
    for (const row of rows) {
      if (signal.aborted) return destroyed;
      try {
        destroyed += await releaseOf(deps, row);
      } catch (error) {
        // The others do not wait for it; the next run tries it again.
        failed.push(row.id);
        host.log.error({ err: error, submissionId: row.id }, "files of a record could not be destroyed");
      }
    }
    rows = failed.length < mostFailed ? await submissions.toRelease(before, mostAtOnce, failed) : [];
  }
  return destroyed;
}

async function releaseOf({ submissions, host }: RecordDeps, row: SubmissionRow): Promise<number> {
  const versions = [row, ...(await submissions.replacedBy(row.id))];
  const ids = versions.map(({ id }) => id);
  const isEvidence = row.status === "accepted";
  const named = new Set(isEvidence ? (await submissions.filesOf(ids)).map(({ sha256 }) => sha256) : []);
  let destroyed = 0;
  // Before the rows: after a kill they say what is left to destroy.
  for (const version of versions) destroyed += await destroyFiles(host, version, (sha256) => named.has(sha256));
  await submissions.noteReleased({ id: row.id, withoutFiles: isEvidence ? [] : ids }, host.clock.now());
  if (destroyed > 0) host.log.info({ submissionId: row.id, destroyed }, "files that ended in no record were destroyed");
  return destroyed;
}
