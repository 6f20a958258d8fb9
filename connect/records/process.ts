import type { RuleDetail } from "../../api/platform/errors.ts";
import { HearthError, PendingTransactionError } from "../../wire/src/index.ts";
import { type ReadAnswers, readAnswers } from "./answers.ts";
import type { RecordDeps } from "./deps.ts";
import type { FormKind } from "./forms/question.ts";
import { fileDelivery } from "./kinds/delivery.ts";
import { registerDevice } from "./kinds/device.ts";
import { registerHousehold } from "./kinds/household.ts";
import { addVisit } from "./kinds/kpt-visit.ts";
import { recordUse } from "./kinds/usage.ts";
import { isRefusal, type Outcome, refused, rulesOf, type Work } from "./outcome.ts";
import { parseXml } from "./parse-xml.ts";
import { regionOf } from "./region.ts";
import { readRecord } from "./sealed-files.ts";
import type { SignedIn } from "./source.ts";
import type { SubmissionRow } from "./tables.ts";

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
 * Write a complete record to Hearth, and store the outcome. Repeating it writes nothing twice: requests have the record's
 * instanceID as their Idempotency-Key.
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
  // A waiting visit is stored as such already. Meanwhile the last visit of its test may have been accepted, and this one with it.
  if (outcome.status === "waiting") return outcome;
  // The team may have deleted it meanwhile. What was made of it counts.
  if (outcome.status === "accepted") await deps.submissions.change(row.id, { ...outcome, endedAt });
  else await deps.submissions.changeUnless(row.id, ["deleted", "accepted"], { ...outcome, endedAt });
  return outcome;
}

async function outcomeOf(work: Work, problems: RuleDetail[]): Promise<Outcome> {
  const { deps, row } = work;
  const edited = row.deprecatedId;
  if (edited !== null) {
    const former = await deps.submissions.find(row.implementerDid, row.formId, edited);
    if (former?.status === "accepted") {
      return refused([
        {
          path: "meta.deprecatedID",
          rule: "accepted-once",
          message: "The record was accepted already and cannot change.",
        },
      ]);
    }
    if (former !== undefined) await replace(deps, former, row);
  }
  const region = await regionOf(work);
  if (region !== row.region) await deps.submissions.change(row.id, { region });
  if (problems.length > 0) return refused(problems);
  try {
    return await writers[row.kind](work);
  } catch (error) {
    if (error instanceof PendingTransactionError) return { status: "received", resultId: null, details: [] };
    if (error instanceof HearthError && isRefusal(error)) return refused(rulesOf(error));
    throw error;
  }
}

/** An edit takes the place of its record. Files that it does not send again come with it. */
async function replace(deps: RecordDeps, former: SubmissionRow, row: SubmissionRow): Promise<void> {
  const sent = new Set((await deps.submissions.filesOf([row.id])).map(({ name }) => name));
  for (const file of await deps.submissions.filesOf([former.id])) {
    if (!sent.has(file.name)) await deps.submissions.keepFile({ ...file, submissionId: row.id });
  }
  await deps.submissions.change(former.id, { status: "replaced" });
}

/** Write the records of a collector that were stored but not written, such as when the server stopped in between. */
export async function processOpenRecords(deps: RecordDeps, signedIn: SignedIn): Promise<void> {
  for (const row of await deps.submissions.openOf(signedIn.collector.id, 20)) {
    const form = await deps.forms.find(row.implementerDid, row.formId, row.version);
    if (form === undefined) continue;
    const read = readAnswers(form.questions, parseXml(await readRecord(deps.host, row)));
    // The other records, and the list of forms, do not wait for one that Hearth cannot write now.
    await processRecord(deps, signedIn, row, read).catch((error: unknown) =>
      deps.host.log.error({ err: error, submissionId: row.id }, "a stored record was not written"),
    );
  }
}
