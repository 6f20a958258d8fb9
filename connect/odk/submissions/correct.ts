import { createHash } from "node:crypto";
import { AppError, refuseBrokenRules } from "../../../api/platform/errors.ts";
import type { RequestContext } from "../../../api/platform/http/index.ts";
import { newId } from "../../../api/platform/new-id.ts";
import { HearthError } from "../../../wire/src/index.ts";
import { readAnswers } from "../../records/answers.ts";
import { brokenChanges, type Change, type NewFile, toCorrectedXml } from "../../records/corrected-xml.ts";
import { mostXmlBytes, parseXml } from "../../records/parse-xml.ts";
import { processRecord } from "../../records/process.ts";
import { regionSaid } from "../../records/region.ts";
import { readRecord, sealRecord } from "../../records/sealed-files.ts";
import { settled } from "../../records/statuses.ts";
import type { AttachmentRow, FormRow, SubmissionRow } from "../../records/tables.ts";
import type { SignedIn } from "../collectors/service.ts";
import type { OdkDeps } from "../deps.ts";
import { isUnwrittenCorrection } from "./correct-in.ts";
import { requireHere, requireOpenCampaign, sentences } from "./correctable.ts";
import { findPhotos } from "./new-photos.ts";
import type { Correction, Submission } from "./schemas.ts";
import { toSubmission, visible } from "./visible.ts";

/**
 * Correct a refused record from the desk: the changed answers and new photos become a record that takes its place, as an edit on the
 * phone does, and are written by the same rules with what the caller may do. Without a change, the record is tried again as it is.
 * Repeating the request writes nothing twice: the correction's instanceID is made from what is corrected.
 * @throws AppError FORBIDDEN; NOT_FOUND, also for another implementer's; RULE_VIOLATION for questions that the record does not have
 *   and photos that were not stored; CONFLICT when it is not refused, or is corrected elsewhere; UNAVAILABLE when Hearth cannot write
 *   now: the correction is stored
 */
export async function correctSubmission(
  deps: OdkDeps,
  ctx: RequestContext,
  id: string,
  { answers, files = [] }: Correction,
): Promise<Submission> {
  const former = await visible(deps, ctx, id);
  const collector = await deps.collectors.find(former.collectorId);
  const form = await formOf(deps, former);
  const instanceId = instanceIdOf(former, answers, files);
  const isOpen = isUnwrittenCorrection(former) || isOwnWaiting(ctx, former);
  const continues = isOpen && answers.length + files.length === 0;
  const stored = continues ? former : await deps.submissions.find(former.implementerDid, former.formId, instanceId);
  if (stored === undefined) requireHere(former, collector !== undefined);
  if (collector === undefined) throw new AppError("CONFLICT", sentences.kobotoolbox);
  const signedIn: SignedIn = { collector, client: deps.host.clientAs(ctx) };
  const row = stored ?? (await store(deps, ctx, { signedIn, former, form, instanceId, answers, files }));
  return await toSubmission(deps, await write(deps, ctx, signedIn, form, row));
}

/** The same changes of the same record are the same correction. */
function instanceIdOf({ id }: SubmissionRow, answers: readonly Change[], files: readonly NewFile[]): string {
  const changes = answers.map(({ path, answer }) => [path, answer]).sort();
  const photos = files.map(({ path, sha256 }) => [path, sha256]).sort();
  const all = photos.length === 0 ? [id, changes] : [id, changes, photos];
  return `correction:${createHash("sha256").update(JSON.stringify(all)).digest("hex")}`;
}

async function formOf(deps: OdkDeps, row: SubmissionRow): Promise<FormRow> {
  const form = await deps.forms.find(row.implementerDid, row.formId, row.version);
  if (form === undefined) throw new Error(`The form ${row.formId} of a stored record is missing.`);
  return form;
}

type ToStore = {
  signedIn: SignedIn;
  former: SubmissionRow;
  form: FormRow;
  instanceId: string;
  answers: Change[];
  files: NewFile[];
};

/** Store a correction in the place of its record, which stays readable. */
async function store(deps: OdkDeps, ctx: RequestContext, correction: ToStore): Promise<SubmissionRow> {
  const { signedIn, former, form, instanceId, answers, files } = correction;
  const data = parseXml(await readRecord(deps.host, former));
  const broken = brokenChanges(form.questions, data, answers, files);
  const { photos, missing } = await findPhotos(deps, former, files);
  refuseBrokenRules([...broken, ...missing], "The record cannot be corrected like this.");
  await requireOpenCampaign(signedIn, former);
  const { formId, version } = former;
  const changes = [...answers, ...photos.map(({ path, name }) => ({ path, answer: name }))];
  const xml = toCorrectedXml(form.questions, data, changes, {
    formId,
    version,
    instanceId,
    deprecatedId: former.instanceId,
  });
  if (xml.byteLength > mostXmlBytes) refuseBrokenRules([tooLarge], "The record cannot be corrected like this.");
  const now = deps.host.clock.now();
  const row: SubmissionRow = {
    ...former,
    id: newId(now),
    instanceId,
    deprecatedId: former.instanceId,
    replacedBy: null,
    sha256: createHash("sha256").update(xml).digest("hex"),
    status: "received",
    householdDid: null,
    day: null,
    region: regionSaid(form.kind, readAnswers(form.questions, parseXml(xml)).answers),
    resultId: null,
    details: [],
    receivedAt: now,
    endedAt: null,
    filesReleasedAt: null,
    correctedBy: ctx.actor.keyId,
  };
  await sealRecord(deps.host, row, xml);
  const attachments = photos.map(({ path: _, ...photo }): AttachmentRow => ({ submissionId: row.id, ...photo }));
  if (await deps.submissions.replaceRefused(former.id, row, attachments)) return row;
  // The same request may have been faster. Another correction, or the phone, has its record already.
  const stored = await deps.submissions.find(former.implementerDid, formId, instanceId);
  if (stored !== undefined) return stored;
  throw new AppError(
    "CONFLICT",
    "The record is not refused any more: it was corrected, sent again or deleted meanwhile.",
  );
}

const tooLarge = {
  path: "answers",
  rule: "record-size",
  message: `The corrected record would be larger than ${mostXmlBytes} bytes. Shorten its longest answers.`,
};

/** Whether it is a visit that this caller has corrected. An interrupted request may not have filed the claim of its test. */
const isOwnWaiting = ({ actor }: RequestContext, { status, correctedBy }: SubmissionRow) =>
  status === "waiting" && correctedBy === actor.keyId;

/** Write a correction that is not written yet, and return it as it is now. */
async function write(
  deps: OdkDeps,
  ctx: RequestContext,
  signedIn: SignedIn,
  form: FormRow,
  row: SubmissionRow,
): Promise<SubmissionRow> {
  if (row.status !== "received" && !isOwnWaiting(ctx, row)) return row;
  // An interrupted request may have written it, which only a request of the same caller finds out.
  if (row.correctedBy !== ctx.actor.keyId) {
    throw new AppError("CONFLICT", "Another person has corrected this record, and Hearth has not written it yet.");
  }
  const read = readAnswers(form.questions, parseXml(await readRecord(deps.host, row)));
  try {
    await processRecord(deps, signedIn, row, read);
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    // Also a visit whose test is complete: as one that waits, nobody would find that its claim was not filed.
    await deps.submissions.changeUnless(row.id, settled, { status: "received" });
    deps.host.log.error({ err: error, submissionId: row.id }, "a correction was not written");
    const message =
      "The correction is stored, but Hearth cannot write it now. Send it again later: nothing happens twice.";
    throw new AppError("UNAVAILABLE", message, { cause: error, headers: { "Retry-After": "10" } });
  }
  return (await deps.submissions.byId(row.id)) ?? row;
}
