import { createHash } from "node:crypto";
import { newId } from "../../../api/platform/new-id.ts";
import { fileNamesOf, type ReadAnswers, readAnswers } from "../../records/answers.ts";
import { campaignOf, isMeasuring } from "../../records/forms/catalogue.ts";
import { formIdOf } from "../../records/forms/form-ids.ts";
import { childOf, parseXml, textOf, type XmlElement, XmlError } from "../../records/parse-xml.ts";
import { mostFileBytes, photoTypeOf } from "../../records/photo.ts";
import { processRecord, takeRecord } from "../../records/process.ts";
import type { ReasonLanguage } from "../../records/reason-texts.ts";
import { regionSaid } from "../../records/region.ts";
import { sealFile, sealRecord } from "../../records/sealed-files.ts";
import { sendPhoto } from "../../records/send-photo.ts";
import { rewritten } from "../../records/statuses.ts";
import type { AttachmentRow, FormRow, SubmissionRow } from "../../records/tables.ts";
import type { SignedIn } from "../collectors/service.ts";
import type { OdkDeps } from "../deps.ts";
import { OpenRosaError } from "../openrosa/answer.ts";
import { type Part, recordPart } from "../openrosa/multipart.ts";
import { incompleteSentence, sentenceOf } from "./sentence.ts";

/** A record while its request arrives, in any order. Its parts are stored while the next ones are read. */
export type Receipt = {
  /** Check the record, then each of its files, and begin to store them. @throws OpenRosaError */
  add: (part: Part) => Promise<void>;
  /**
   * Wait until all is stored, and write the record to Hearth once it is complete.
   * @returns a sentence for the phone, in its language
   * @throws OpenRosaError
   */
  finish: (end: { isIncomplete: boolean; language: ReasonLanguage }) => Promise<string>;
  /** Keep the files that have arrived of a record whose request failed. */
  abandon: () => Promise<void>;
};

type Opened = { row: SubmissionRow; read: ReadAnswers; files: Map<string, { isPhoto: boolean }> };
/** Most bytes that are being stored while the next file is read. */
const mostStoringBytes = 2 * 1024 * 1024;
/** Most bytes of files that arrive before their record and wait in memory for it. */
const mostEarlyBytes = mostFileBytes;
const instanceIdForm = /^[\x21-\x7e]{1,200}$/;

export function openReceipt(deps: OdkDeps, signedIn: SignedIn): Receipt {
  let opened: Opened | undefined;
  /** What is being stored: the record itself, which needs no row, and its files by name. */
  const storing = new Map<string | undefined, Promise<AttachmentRow | undefined>>();
  let storingBytes = 0;
  let early: Part[] = [];
  let earlyBytes = 0;
  const store = async (name: string | undefined, size: number, work: () => Promise<AttachmentRow | undefined>) => {
    // The last of two files with one name counts.
    await storing.get(name);
    const stored = work();
    // `finish` throws the error; until then nobody waits.
    stored.catch(() => {});
    storing.set(name, stored);
    storingBytes += size;
    if (storingBytes <= mostStoringBytes) return;
    await Promise.all(storing.values());
    storingBytes = 0;
  };
  const addFile = async (to: Opened, part: Part) => {
    const { row } = to;
    const file = await checkFile(deps, to, part);
    if (file === undefined) return;
    const { name, mimeType } = file;
    await store(name, part.bytes.length, async () => {
      const sealed = await sealFile(deps.host, row, file);
      await sendPhoto(signedIn.client, row.kind, file.bytes);
      return { submissionId: row.id, name, mimeType, ...sealed };
    });
  };
  const addRecord = async ({ bytes }: Part) => {
    // The first of two would stay incomplete for ever.
    if (opened !== undefined) throw new OpenRosaError(400, "oneRecord");
    const begun = await openRecord(deps, signedIn, bytes);
    opened = begun;
    if (begun.row.status === "incomplete") {
      await store(undefined, bytes.length, async () => {
        await sealRecord(deps.host, begun.row, bytes);
        return undefined;
      });
    }
    for (const part of early) await addFile(begun, part);
    early = [];
  };
  return {
    async add(part) {
      if (part.name === recordPart) return await addRecord(part);
      if (opened !== undefined) return await addFile(opened, part);
      earlyBytes += part.bytes.length;
      if (earlyBytes > mostEarlyBytes) throw new OpenRosaError(400, "recordFirst");
      early.push(part);
    },
    async finish({ isIncomplete, language }) {
      if (opened === undefined) throw new OpenRosaError(400, "recordMissing");
      const files = await Promise.all(storing.values());
      await deps.submissions.keepFiles(files.filter((file) => file !== undefined));
      storing.clear();
      if (isIncomplete) return incompleteSentence(language);
      // While the team corrects a refused record, only one of the two is written.
      const row = rewritten.has(opened.row.status) ? await takeRecord(deps, opened.row) : opened.row;
      if (row.status === "deleted") throw deletedByTeam();
      const end = rewritten.has(row.status) ? await processRecord(deps, signedIn, row, opened.read) : row;
      return sentenceOf(end, language);
    },
    async abandon() {
      const all = await Promise.allSettled(storing.values());
      await deps.submissions.keepFiles(all.flatMap((each) => (each.status === "fulfilled" && each.value) || []));
    },
  };
}

async function openRecord(deps: OdkDeps, signedIn: SignedIn, bytes: Buffer): Promise<Opened> {
  const { submissions, host } = deps;
  const { collector } = signedIn;
  const data = parse(bytes);
  const { formId, version, instanceId, deprecatedId } = identityOf(data);
  const form = await knownForm(deps, signedIn, formId, version);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const read = readAnswers(form.questions, data);
  const files = fileNamesOf(form.questions, data, read.answers);
  const known = await submissions.find(collector.implementerDid, formId, instanceId);
  if (known !== undefined) {
    requireSame(known, sha256);
    return { row: known, read, files };
  }
  if (deprecatedId !== undefined) await requireCurrent(deps, signedIn, formId, deprecatedId);
  await requireOpenCampaign(signedIn, form);
  const row: SubmissionRow = {
    id: newId(host.clock.now()),
    implementerDid: collector.implementerDid,
    formId,
    version,
    kind: form.kind,
    instanceId,
    deprecatedId: deprecatedId ?? null,
    replacedBy: null,
    correctedBy: null,
    collectorId: collector.id,
    collectorName: collector.name,
    campaignId: form.kind === "kpt" || form.kind === "usage" ? collector.campaignId : null,
    sha256,
    status: "incomplete",
    householdDid: null,
    day: null,
    region: regionSaid(form.kind, read.answers),
    resultId: null,
    details: [],
    receivedAt: host.clock.now(),
    endedAt: null,
    filesReleasedAt: null,
  };
  const stored = await host.db.transaction(async (tx) => {
    // While the record arrived, its link may have been revoked.
    if (!(await deps.collectors.holdInForce(tx, collector.id))) throw new OpenRosaError(403, "linkInvalid");
    return await submissions.insert(row, tx);
  });
  requireSame(stored, sha256);
  return { row: stored, read, files };
}

function parse(bytes: Buffer): XmlElement {
  try {
    return parseXml(bytes);
  } catch (error) {
    if (error instanceof XmlError) throw new OpenRosaError(400, error.problem, error.values);
    throw error;
  }
}

function identityOf(data: XmlElement) {
  const meta = childOf(data, "meta");
  const { id: formId, version = "", encrypted } = data.attributes;
  const instanceId = textOf(meta, "instanceID");
  // The manifest of a record that the phone encrypted; nothing here has the key.
  if (encrypted !== undefined) throw new OpenRosaError(400, "encryptedRecord");
  if (formId === undefined) throw new OpenRosaError(400, "formUnsaid");
  if (instanceId === undefined || !instanceIdForm.test(instanceId)) {
    throw new OpenRosaError(400, "noInstanceId");
  }
  return { formId, version, instanceId, deprecatedId: textOf(meta, "deprecatedID") };
}

async function knownForm(deps: OdkDeps, { collector }: SignedIn, formId: string, version: string): Promise<FormRow> {
  const form = await deps.forms.find(collector.implementerDid, formId, version);
  if (form === undefined) {
    throw new OpenRosaError(404, "formVersionUnknown", { version, form: formId });
  }
  // Another collector of the same implementer may have the form, such as that of another campaign.
  if (!collector.forms.some((kind) => formIdOf(collector, kind) === formId))
    throw new OpenRosaError(403, "formNotAllowed", { form: formId });
  return form;
}

const deletedByTeam = () => new OpenRosaError(409, "deletedByTeam");

function requireSame({ status, sha256 }: SubmissionRow, sent: string): void {
  if (status === "deleted") throw deletedByTeam();
  if (sha256 === sent) return;
  throw new OpenRosaError(409, "otherRecord");
}

/** An edit must name the latest version of its record. */
async function requireCurrent(deps: OdkDeps, { collector }: SignedIn, formId: string, deprecatedId: string) {
  const edited = await deps.submissions.find(collector.implementerDid, formId, deprecatedId);
  if (edited === undefined) throw new OpenRosaError(404, "editedUnknown");
  if (edited.status === "replaced" || edited.status === "deleted") {
    throw new OpenRosaError(409, "editedGone");
  }
}

async function requireOpenCampaign({ collector, client }: SignedIn, { kind }: FormRow): Promise<void> {
  if (kind !== "kpt" && kind !== "usage") return;
  if (isMeasuring(await campaignOf(client, collector))) return;
  throw new OpenRosaError(409, "campaignClosed", { campaign: collector.campaignId ?? "" });
}

type NamedFile = { name: string; mimeType: string; bytes: Buffer };

/** Check a file. @returns undefined for one that the record does not name, which is ignored, or that is stored already */
async function checkFile(deps: OdkDeps, { row, files }: Opened, part: Part): Promise<NamedFile | undefined> {
  const name = [part.filename, part.name].find((each) => files.has(each));
  const expected = name === undefined ? undefined : files.get(name);
  if (name === undefined || expected === undefined) return undefined;
  const photoType = photoTypeOf(part.bytes);
  if (expected.isPhoto && photoType === undefined) {
    throw new OpenRosaError(400, "notPhoto", { file: name });
  }
  if (!rewritten.has(row.status) && (await isStored(deps, row, name, part.bytes))) return undefined;
  return { name, mimeType: photoType ?? part.mimeType, bytes: part.bytes };
}

/** Whether a record that was written has this file. @throws OpenRosaError when it has another one of its name, which was evidence */
async function isStored(deps: OdkDeps, row: SubmissionRow, name: string, bytes: Buffer): Promise<boolean> {
  const stored = (await deps.submissions.filesOf([row.id])).find((file) => file.name === name);
  if (stored === undefined) return false;
  if (stored.sha256 === createHash("sha256").update(bytes).digest("hex")) return true;
  throw new OpenRosaError(409, "otherFile", { file: name });
}
