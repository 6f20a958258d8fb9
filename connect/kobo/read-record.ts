import { createHash } from "node:crypto";
import { newId } from "../../api/platform/new-id.ts";
import type { HearthClient, Schemas } from "../../wire/src/index.ts";
import { filesNamed, readAnswers } from "../records/answers.ts";
import { campaignOf, isMeasuring } from "../records/forms/catalogue.ts";
import { deliveryForm } from "../records/forms/delivery.ts";
import { deviceForm } from "../records/forms/device.ts";
import { householdForm } from "../records/forms/household.ts";
import { kptForm } from "../records/forms/kpt.ts";
import type { Form } from "../records/forms/question.ts";
import { usageForm } from "../records/forms/usage.ts";
import { toXForm } from "../records/forms/xform.ts";
import { refused } from "../records/outcome.ts";
import { parseXml } from "../records/parse-xml.ts";
import { photoTypeOf } from "../records/photo.ts";
import { processRecord, takeRecord } from "../records/process.ts";
import { because, type Reason } from "../records/reasons.ts";
import { sealFile, sealRecord } from "../records/sealed-files.ts";
import { sendPhoto } from "../records/send-photo.ts";
import type { RecordSource, SignedIn } from "../records/source.ts";
import { rewritten, settled } from "../records/statuses.ts";
import type { SubmissionRow } from "../records/tables.ts";
import type { KoboDeps } from "./deps.ts";
import type { KoboApi, KoboRecord } from "./kobo-api.ts";
import type { BellRow, ConnectionRow } from "./tables.ts";
import { toRecordXml } from "./to-record.ts";

type Campaign = Schemas["Campaign"];

/** The record cannot be written yet, and will be tried again. The message is for the team. */
export class NotYetError extends Error {
  override name = "NotYetError";
}

/** When the record is read that a bell named by one of its versions, in milliseconds. */
const otherRecordMs = 10_000;

/** Where a connection's records come from. */
export function sourceOf({ form, ...row }: ConnectionRow): RecordSource {
  const { id, name, collectorDid, implementerDid, campaignId, planId, supplierDid } = row;
  return { id, name, collectorDid, implementerDid, forms: [form], campaignId, planId, supplierDid };
}

/** The form of Hearth that a connection's records become, and its campaign. A closed campaign has its form still. @throws HearthError */
export async function formOf(client: HearthClient, row: ConnectionRow): Promise<{ form: Form; campaign?: Campaign }> {
  switch (row.form) {
    case "household":
      return { form: householdForm };
    case "device":
      return { form: deviceForm(row.planId ?? "") };
    case "delivery":
      return { form: deliveryForm(row.supplierDid ?? "") };
    default: {
      const campaign = await campaignOf(client, row);
      if (campaign === undefined) throw new Error(`The connection ${row.id} has no campaign.`);
      return { form: row.form === "kpt" ? kptForm(campaign) : usageForm(campaign.campaignId), campaign };
    }
  }
}

/**
 * Read a record's present version from Kobo and write it to Hearth. Repeating it writes nothing twice: a version is one record, by its
 * instanceID.
 * @throws KoboError; HearthError; NotYetError
 */
export async function readKoboRecord(
  deps: KoboDeps,
  { connection, client, kobo, bell }: { connection: ConnectionRow; client: HearthClient; kobo: KoboApi; bell: BellRow },
): Promise<void> {
  const found = await kobo.record(bell.rootUuid);
  if (found.rootUuid !== bell.rootUuid) {
    // The bell named a version. The record has one bell, whichever version rang.
    // With a pause: a server that names another record each time would otherwise keep this process busy.
    const due = new Date(deps.host.clock.now().getTime() + otherRecordMs);
    await deps.store.ring({ connectionId: connection.id, rootUuid: found.rootUuid }, due);
    deps.wake();
    return;
  }
  const { form, campaign } = await formOf(client, connection);
  const signedIn: SignedIn = { collector: sourceOf(connection), client };
  const { row, isWritten } = await storeRecord(deps, { connection, found, form, bell });
  await deps.store.changeBell(bell, { instanceId: found.instanceId, submissionId: row.id });
  if (isWritten) return;
  const read = readAnswers(form.questions, parseXml(recordXml(connection, form, found, row)));
  const files = filesNamed(form.questions, read.answers);
  const problems = await storeFiles(deps, { client, kobo, found, row, files });
  if (campaign !== undefined && !isMeasuring(campaign)) problems.push(closed(campaign));
  problems.push(...(await editProblems(deps, row)));
  if (problems.length > 0) {
    await deps.submissions.leaveDay(row.id);
    await deps.submissions.changeUnless(row.id, settled, { ...refused(problems), endedAt: deps.host.clock.now() });
    return;
  }
  const taken = await takeRecord(deps, row);
  if (!rewritten.has(taken.status)) return;
  const { status } = await processRecord(deps, signedIn, taken, read);
  if (status === "received") throw new NotYetError("Hearth has sent the transaction; it is not in a block yet.");
}

/** Name of the record as Kobo sent it, among its files. */
const originalName = "kobo.json";

const versionOf = (form: Form) => toXForm(form).version;

function recordXml(connection: ConnectionRow, form: Form, found: KoboRecord, row: SubmissionRow): Buffer {
  const { formId, version, instanceId, deprecatedId } = row;
  return toRecordXml(form, found.answers, connection.mapping, { formId, version, instanceId, deprecatedId });
}

type Stored = { row: SubmissionRow; isWritten: boolean };

/** Store the record, sealed, before anything is made of it. A version that was refused is stored again, as the mapping reads it now. */
async function storeRecord(
  deps: KoboDeps,
  { connection, found, form, bell }: { connection: ConnectionRow; found: KoboRecord; form: Form; bell: BellRow },
): Promise<Stored> {
  const { submissions, host, forms } = deps;
  const { implementerDid } = connection;
  const { formId } = form;
  const version = versionOf(form);
  const now = host.clock.now();
  await forms.keep({
    implementerDid,
    formId,
    version,
    kind: form.kind,
    questions: form.questions,
    firstOfferedAt: now,
  });
  const known = await submissions.find(implementerDid, formId, found.instanceId);
  if (known !== undefined && !rewritten.has(known.status)) return { row: known, isWritten: true };
  const draft: SubmissionRow = {
    id: known?.id ?? newId(now),
    implementerDid,
    formId,
    version,
    kind: form.kind,
    instanceId: found.instanceId,
    deprecatedId: known === undefined ? await editedBy(deps, { connection, found, formId, bell }) : known.deprecatedId,
    replacedBy: null,
    correctedBy: null,
    collectorId: connection.id,
    collectorName: connection.name,
    campaignId: form.kind === "kpt" || form.kind === "usage" ? connection.campaignId : null,
    sha256: "",
    status: known?.status ?? "incomplete",
    householdDid: known?.householdDid ?? null,
    day: known?.day ?? null,
    region: known?.region ?? null,
    resultId: null,
    details: known?.details ?? [],
    receivedAt: known?.receivedAt ?? now,
    endedAt: null,
    filesReleasedAt: null,
  };
  const xml = recordXml(connection, form, found, draft);
  const row = { ...draft, sha256: createHash("sha256").update(xml).digest("hex") };
  if (row.sha256 !== known?.sha256) await sealRecord(host, row, xml);
  if (known === undefined) return { row: await submissions.insert(row), isWritten: false };
  const { sha256, collectorId, collectorName } = row;
  await submissions.change(row.id, { version, sha256, collectorId, collectorName });
  return { row, isWritten: false };
}

/** The instanceID of the stored version that this one takes the place of. Kobo may have had others in between that were never read. */
async function editedBy(
  { submissions }: KoboDeps,
  { connection, found, formId, bell }: { connection: ConnectionRow; found: KoboRecord; formId: string; bell: BellRow },
): Promise<string | null> {
  if (bell.instanceId !== null && bell.instanceId !== found.instanceId) return bell.instanceId;
  const { deprecatedId } = found;
  if (deprecatedId === undefined) return null;
  const former = await submissions.find(connection.implementerDid, formId, deprecatedId);
  return former === undefined ? null : deprecatedId;
}

/** Store the files that the record names. @returns those that are not what they should be. @throws NotYetError while Kobo lacks one */
async function storeFiles(
  { submissions, host }: KoboDeps,
  {
    client,
    kobo,
    found,
    row,
    files,
  }: {
    client: HearthClient;
    kobo: KoboApi;
    found: KoboRecord;
    row: SubmissionRow;
    files: { name: string; isPhoto: boolean }[];
  },
): Promise<Reason[]> {
  const stored = new Set((await submissions.filesOf([row.id])).map(({ name }) => name));
  const problems: Reason[] = [];
  const keep = async (name: string, mimeType: string, bytes: Buffer) => {
    const { cid, sha256, size } = await sealFile(host, row, { name, mimeType, bytes });
    await sendPhoto(client, row.kind, bytes);
    await submissions.keepFiles([{ submissionId: row.id, name, cid, sha256, size, mimeType }]);
  };
  // The mapping leaves out answers that Hearth does not ask for. They stay with the record.
  if (!stored.has(originalName)) await keep(originalName, "application/json", found.json);
  for (const { name, isPhoto } of files) {
    if (stored.has(name)) continue;
    const attachment = attachmentOf(found, name);
    if (attachment === undefined) throw new NotYetError(`KoboToolbox does not have the file ${name} yet.`);
    const bytes = await kobo.file(found.id, attachment.uid);
    const photoType = photoTypeOf(bytes);
    if (isPhoto && photoType === undefined) {
      problems.push(because("not-photo", name, { name }));
      continue;
    }
    await keep(name, photoType ?? attachment.mimeType, bytes);
  }
  return problems;
}

/** Kobo's file of a name. Kobo may have put blanks of a name as underscores, and then finds the question by itself. */
function attachmentOf({ attachments, answers }: KoboRecord, name: string) {
  const plain = (text: string) => text.replace(/\s/g, "_");
  return (
    attachments.find(({ basename }) => basename === name) ??
    attachments.find(({ basename }) => plain(basename) === plain(name)) ??
    attachments.find(({ question }) => question !== "" && answers[question] === name)
  );
}

/** A record that the team deleted stays deleted, whatever is edited at Kobo. */
async function editProblems({ submissions }: KoboDeps, row: SubmissionRow): Promise<Reason[]> {
  if (row.deprecatedId === null) return [];
  const former = await submissions.find(row.implementerDid, row.formId, row.deprecatedId);
  if (former?.status !== "deleted") return [];
  return [because("corrected-deleted", "meta.deprecatedID")];
}

const closed = ({ campaignId }: Campaign): Reason => because("no-more-records", "campaignId", { campaignId });
