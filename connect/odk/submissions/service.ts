import { AppError } from "../../../api/platform/errors.ts";
import { decodeCursor, decodeTimeCursor, type RequestContext, toPage } from "../../../api/platform/http/index.ts";
import { readAnswers } from "../../records/answers.ts";
import { fieldsOf } from "../../records/fields.ts";
import { parseXml } from "../../records/parse-xml.ts";
import { because } from "../../records/reasons.ts";
import { openSealedFile, readRecord } from "../../records/sealed-files.ts";
import type { SubmissionFilter } from "../../records/store.ts";
import type { FormRow, SubmissionRow } from "../../records/tables.ts";
import type { OdkDeps } from "../deps.ts";
import type { CollectionProgress, ProgressQuery, Submission, SubmissionDetail, SubmissionQuery } from "./schemas.ts";
import { requireTeam, toSubmission, toSubmissions, visible } from "./visible.ts";

/** List one page of records, newest first; an implementer sees its own. @throws AppError FORBIDDEN */
export async function listSubmissions(deps: OdkDeps, ctx: RequestContext, query: SubmissionQuery) {
  requireTeam(ctx);
  const { limit, cursor, person, ...filter } = query;
  const position = decodeTimeCursor(cursor);
  const before = position && { receivedAt: position.at, id: position.id };
  const named = withPerson(deps, { ...filter, ...ownOf(ctx) }, person);
  const rows = await deps.submissions.list(named, limit, before);
  const { items, nextCursor } = toPage(rows, limit, (row) => [row.receivedAt.getTime(), row.id]);
  return { items: await toSubmissions(deps, items), nextCursor };
}

/** Count one page of records by person and region; an implementer sees its own. @throws AppError FORBIDDEN */
export async function listProgress(deps: OdkDeps, ctx: RequestContext, query: ProgressQuery) {
  requireTeam(ctx);
  const { limit, cursor, person, ...filter } = query;
  const position = decodeCursor(cursor, 2);
  const after = position && { collectorId: String(position[0]), region: String(position[1]) };
  const named = withPerson(deps, { ...filter, ...ownOf(ctx) }, person);
  const rows = await deps.submissions.progress(named, limit, after);
  const { items, nextCursor } = toPage(rows, limit, (row) => [row.collectorId, row.region]);
  const unnamed = items.filter(({ collectorName }) => collectorName === null);
  const names = await deps.collectors.namesOf(unnamed.map(({ collectorId }) => collectorId));
  const counted = items.map(
    ({ collectorId: id, collectorName, region, counts, lastReceivedAt }): CollectionProgress => {
      const { incomplete = 0, received = 0, waiting = 0, accepted = 0, refused = 0 } = counts;
      return {
        collector: { id, name: collectorName ?? names.get(id) ?? null },
        region: region === "" ? null : region,
        incomplete,
        received,
        waiting,
        accepted,
        refused,
        lastReceivedAt: lastReceivedAt.toISOString(),
      };
    },
  );
  return { items: counted, nextCursor };
}

/**
 * Open a photo or another file of a record.
 * @throws AppError FORBIDDEN; NOT_FOUND, also for another implementer's
 */
export async function openSubmissionFile(
  deps: OdkDeps,
  ctx: RequestContext,
  { id, name }: { id: string; name: string },
): Promise<{ mimeType: string; size: number; stream: AsyncIterable<Uint8Array> }> {
  const row = await visible(deps, ctx, id);
  const file = (await deps.submissions.filesOf([id])).find((each) => each.name === name);
  if (file === undefined) throw new AppError("NOT_FOUND", `The record ${id} has no file ${name}.`);
  const stream = await openSealedFile(deps.host, await withCorrected(deps, row), file);
  return { mimeType: file.mimeType, size: file.size, stream };
}

/** A record, and those that it corrects, latest first. */
async function withCorrected(deps: OdkDeps, row: SubmissionRow): Promise<SubmissionRow[]> {
  const found = [row];
  for (let last: SubmissionRow | undefined = row; last !== undefined && last.deprecatedId !== null; ) {
    last = await deps.submissions.find(row.implementerDid, row.formId, last.deprecatedId);
    // An edit names an earlier record, so a record that comes again would be an error in the rows.
    if (last === undefined || found.some(({ id }) => id === last?.id)) break;
    found.push(last);
  }
  return found;
}

function withPerson({ collectors }: OdkDeps, filter: SubmissionFilter, name: string | undefined): SubmissionFilter {
  if (name === undefined) return filter;
  return { ...filter, person: { name, ids: collectors.idsNamed(name, filter.implementerDid) } };
}

const ownOf = ({ actor }: RequestContext) =>
  actor.role === "implementer" ? { implementerDid: actor.implementerDid ?? "" } : {};

/** Read a record with its answers. @throws AppError FORBIDDEN; NOT_FOUND, also for another implementer's */
export async function readSubmission(deps: OdkDeps, ctx: RequestContext, id: string): Promise<SubmissionDetail> {
  const row = await visible(deps, ctx, id);
  const form = await deps.forms.find(row.implementerDid, row.formId, row.version);
  if (form === undefined) throw new Error(`The form ${row.formId} of a stored record is missing.`);
  const files = await deps.submissions.filesOf([id]);
  return {
    ...(await toSubmission(deps, row)),
    ...(await answersOf(deps, row, form)),
    files: files.map(({ name, cid, sha256, size, mimeType }) => ({ name, cid, sha256, size, mimeType })),
  };
}

/** The answers of a stored record; none where its request was cut off before they came. */
async function answersOf(
  { host }: OdkDeps,
  row: SubmissionRow,
  { questions }: FormRow,
): Promise<Pick<SubmissionDetail, "answers" | "fields">> {
  try {
    const data = parseXml(await readRecord(host, row));
    return { answers: readAnswers(questions, data).answers, fields: fieldsOf(questions, data, row.details) };
  } catch (error) {
    // The row comes before the answers.
    const isCutOff = row.status === "incomplete" || row.status === "deleted";
    if (isCutOff && error instanceof AppError && error.code === "NOT_FOUND") return { answers: {}, fields: [] };
    throw error;
  }
}

/**
 * Delete a record that nothing was made of. A phone that sends it again is refused.
 * @throws AppError FORBIDDEN; NOT_FOUND; CONFLICT when the record was accepted
 */
export async function deleteSubmission(
  deps: OdkDeps,
  ctx: RequestContext,
  id: string,
  { reason }: { reason: string },
): Promise<Submission> {
  const row = await visible(deps, ctx, id);
  const details = [because("deleted-by-team", undefined, { reason })];
  const changes = { status: "deleted" as const, details, endedAt: deps.host.clock.now() };
  if (!(await deps.submissions.changeUnless(id, ["accepted"], changes))) {
    const { resultId } = await visible(deps, ctx, id);
    throw new AppError("CONFLICT", `The record was accepted as ${resultId}, so it cannot be deleted.`);
  }
  return await toSubmission(deps, { ...row, ...changes });
}
