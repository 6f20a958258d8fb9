import { HearthError, PendingTransactionError } from "../../wire/src/index.ts";
import { fileNamesOf, type ReadAnswers, readAnswers } from "./answers.ts";
import type { RecordDeps } from "./deps.ts";
import type { FormKind } from "./forms/question.ts";
import { fileDelivery } from "./kinds/delivery.ts";
import { registerDevice } from "./kinds/device.ts";
import { registerHousehold } from "./kinds/household.ts";
import { addVisit } from "./kinds/kpt-visit.ts";
import { recordUse } from "./kinds/usage.ts";
import { isRefusal, type Outcome, refused, rulesOf, type Work } from "./outcome.ts";
import { parseXml } from "./parse-xml.ts";
import { because, type Reason } from "./reasons.ts";
import { regionOf } from "./region.ts";
import { readRecord } from "./sealed-files.ts";
import type { SignedIn } from "./source.ts";
import { type SubmissionStatus, settled } from "./statuses.ts";
import type { AttachmentRow, FormRow, SubmissionRow } from "./tables.ts";

/** Write one kind of record to Hearth. @throws HearthError when Hearth refuses it */
export type WriteRecord = (work: Work) => Promise<Outcome>;

const writers: Record<FormKind, WriteRecord> = {
  household: registerHousehold,
  device: registerDevice,
  kpt: addVisit,
  usage: recordUse,
  delivery: fileDelivery,
};

/**
 * Take a record whose files are here, to write it. While they arrived, the team may have deleted it, or another request accepted it.
 * @returns the record as it is now; only one whose status is `rewritten` is to be written
 */
export async function takeRecord(
  { submissions }: Pick<RecordDeps, "submissions">,
  row: SubmissionRow,
): Promise<SubmissionRow> {
  // A waiting visit stays one: the last visit of its test must find it.
  await submissions.changeUnless(row.id, [...settled, "waiting"], { status: "received" });
  return (await submissions.byId(row.id)) ?? row;
}

/**
 * Write a complete record to Hearth, and store the outcome. Repeating it writes nothing twice: requests have the record's
 * instanceID as their Idempotency-Key.
 * @returns the outcome that is stored: what another request or the team decided meanwhile stays
 * @throws HearthError when Hearth cannot answer now, or the API key is revoked; the record then stays open
 */
export async function processRecord(
  deps: RecordDeps,
  signedIn: SignedIn,
  row: SubmissionRow,
  { answers, problems }: ReadAnswers,
): Promise<Outcome> {
  const outcome = await outcomeOf({ deps, signedIn, row, answers }, problems);
  const endedAt = outcome.status === "accepted" || outcome.status === "refused" ? deps.host.clock.now() : null;
  if (outcome.status === "accepted") {
    // The team may have deleted it meanwhile. What was made of it counts.
    await deps.submissions.change(row.id, { ...outcome, endedAt });
    return outcome;
  }
  // A waiting visit is stored as such already. Meanwhile the last visit of its test may have been accepted, and this one with it.
  const isStored =
    outcome.status !== "waiting" && (await deps.submissions.changeUnless(row.id, settled, { ...outcome, endedAt }));
  return isStored ? outcome : await storedOutcome(deps, row, outcome);
}

async function storedOutcome({ submissions }: RecordDeps, { id }: SubmissionRow, outcome: Outcome): Promise<Outcome> {
  const { status, resultId, details } = (await submissions.byId(id)) ?? outcome;
  return { status, resultId, details };
}

async function outcomeOf(work: Work, problems: Reason[]): Promise<Outcome> {
  const { deps, row } = work;
  const earlier = await earlierVersions(deps, row);
  const kept = await replaceVersions(deps, earlier, row);
  if (kept !== undefined) {
    if (kept.status !== "received") return refused([whyNotEdited(kept.status)]);
    // Its writing may have been interrupted, or another request does it now. What was made of it counts.
    const { status } = await processStored(deps, work.signedIn, kept);
    return status === "received" ? { status, resultId: null, details: [] } : await outcomeOf(work, problems);
  }
  await takeFiles(deps, earlier, row);
  const region = await regionOf(work);
  if (region !== row.region) await deps.submissions.change(row.id, { region });
  if (problems.length > 0) {
    await deps.submissions.leaveDay(row.id);
    return refused(problems);
  }
  try {
    return await writers[row.kind](work);
  } catch (error) {
    if (error instanceof PendingTransactionError) return { status: "received", resultId: null, details: [] };
    if (error instanceof HearthError && isRefusal(error)) return refused(rulesOf(error));
    throw error;
  }
}

/** Why an edit cannot take the place of a record of this status. */
function whyNotEdited(status: SubmissionStatus): Reason {
  const path = "meta.deprecatedID";
  if (status === "deleted") return because("corrected-deleted", path);
  return because(status === "replaced" ? "edited-first" : "accepted-before", path);
}

/** The earlier versions of a record, the latest first. */
async function earlierVersions({ submissions }: RecordDeps, row: SubmissionRow): Promise<SubmissionRow[]> {
  const found: SubmissionRow[] = [];
  for (let last: SubmissionRow | undefined = row; last !== undefined && last.deprecatedId !== null; ) {
    last = await submissions.find(row.implementerDid, row.formId, last.deprecatedId);
    // A version names an earlier one, so one that comes again would be an error in the rows.
    if (last === undefined || [row, ...found].some(({ id }) => id === last?.id)) break;
    found.push(last);
  }
  return found;
}

/**
 * Let an edit take the place of all earlier versions of its record. The one before it may not have done so: it never became complete,
 * or it was refused.
 * @returns the version that cannot be replaced now, as it is now; undefined when all are
 */
async function replaceVersions(
  { submissions }: RecordDeps,
  earlier: readonly SubmissionRow[],
  row: SubmissionRow,
): Promise<SubmissionRow | undefined> {
  const versions = new Set(earlier.map(({ id }) => id));
  for (const version of earlier.toReversed()) {
    if (await submissions.replaceBy(version.id, row.id)) continue;
    const now = (await submissions.byId(version.id)) ?? version;
    const isReplaced = now.status === "replaced" && now.replacedBy !== null && versions.has(now.replacedBy);
    if (!isReplaced) return now;
  }
  return undefined;
}

/**
 * Add the files of earlier versions that an edit names and does not send again. One that it no longer names, such as a photo of
 * another household, stays with the earlier version only.
 */
async function takeFiles(deps: RecordDeps, earlier: readonly SubmissionRow[], row: SubmissionRow): Promise<void> {
  if (earlier.length === 0) return;
  const { submissions } = deps;
  const sent = new Set((await submissions.filesOf([row.id])).map(({ name }) => name));
  const missing = new Map<string, AttachmentRow>();
  for (const { id } of earlier.toReversed()) {
    for (const file of await submissions.filesOf([id])) if (!sent.has(file.name)) missing.set(file.name, file);
  }
  if (missing.size === 0) return;
  const form = await formOf(deps, row);
  const named = fileNamesOf(form.questions, parseXml(await readRecord(deps.host, row)));
  const taken = [...missing.values()].filter(({ name }) => named.has(name));
  await submissions.keepFiles(taken.map((file) => ({ ...file, submissionId: row.id })));
}

/** Write the records of a collector that were stored but not written, such as when the server stopped in between. */
export async function processOpenRecords(deps: RecordDeps, signedIn: SignedIn): Promise<void> {
  for (const row of await deps.submissions.openOf(signedIn.collector.id, 20)) {
    // The other records, and the list of forms, do not wait for one that Hearth cannot write now.
    await processStored(deps, signedIn, row).catch((error: unknown) =>
      deps.host.log.error({ err: error, submissionId: row.id }, "a stored record was not written"),
    );
  }
}

/** Write a record that is stored and complete. */
async function processStored(deps: RecordDeps, signedIn: SignedIn, row: SubmissionRow): Promise<Outcome> {
  const form = await formOf(deps, row);
  return await processRecord(
    deps,
    signedIn,
    row,
    readAnswers(form.questions, parseXml(await readRecord(deps.host, row))),
  );
}

async function formOf({ forms }: Pick<RecordDeps, "forms">, row: SubmissionRow): Promise<FormRow> {
  const form = await forms.find(row.implementerDid, row.formId, row.version);
  if (form === undefined) throw new Error(`The form ${row.formId} of a stored record is missing.`);
  return form;
}
