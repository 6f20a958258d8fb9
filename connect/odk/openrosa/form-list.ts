import { campaignOf, formsOf } from "../../records/forms/catalogue.ts";
import type { Form } from "../../records/forms/question.ts";
import { escapeXml, toXForm, type XForm } from "../../records/forms/xform.ts";
import { toXlsForm } from "../../records/forms/xls-form.ts";
import type { SignedIn } from "../collectors/service.ts";
import type { OdkDeps } from "../deps.ts";
import { entriesOf, listOfFile, md5Of, toCsv } from "../lists.ts";
import { OpenRosaError } from "./answer.ts";

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
type Campaign = Awaited<ReturnType<typeof campaignOf>>;
type Offered = { form: Form; xform: XForm; campaign: Campaign };

/** List the collector's forms as an OpenRosa document, and remember the versions that it offers. */
export async function formListOf(
  deps: OdkDeps,
  signedIn: SignedIn,
  { base, formId }: { base: string; formId: string | undefined },
): Promise<string> {
  const offered = await offer(deps, signedIn);
  const wanted = offered.filter(({ form }) => formId === undefined || form.formId === formId);
  const items = wanted.map(({ xform: { formId: id, title, version, xml, lists } }) => {
    const url = escapeXml(`${base}/forms/${encodeURIComponent(id)}`);
    const manifest = lists.length === 0 ? "" : `<manifestUrl>${url}/manifest</manifestUrl>`;
    return `<xform><formID>${escapeXml(id)}</formID><name>${escapeXml(title)}</name><version>${version}</version><hash>${md5Of(xml)}</hash><downloadUrl>${url}</downloadUrl>${manifest}</xform>`;
  });
  return `${declaration}<xforms xmlns="http://openrosa.org/xforms/xformsList">${items.join("")}</xforms>`;
}

export async function formOf(deps: OdkDeps, signedIn: SignedIn, formId: string): Promise<string> {
  return (await offeredForm(deps, signedIn, formId)).xform.xml;
}

/** Write a form as an XLSForm. */
export async function workbookOf(deps: OdkDeps, signedIn: SignedIn, formId: string): Promise<Buffer> {
  const { form, xform } = await offeredForm(deps, signedIn, formId);
  return await toXlsForm(form, xform.version);
}

/** List the files of a form: its lists, as entity lists, so that phones drop entries that ended. */
export async function manifestOf(
  deps: OdkDeps,
  signedIn: SignedIn,
  { base, formId }: { base: string; formId: string },
): Promise<string> {
  const { form, xform, campaign } = await offeredForm(deps, signedIn, formId);
  const url = escapeXml(`${base}/forms/${encodeURIComponent(formId)}`);
  const files = await Promise.all(
    xform.lists.map(async (list) => {
      const csv = toCsv(await entriesOf(signedIn.client, { kind: form.kind, list, campaign }));
      return `<mediaFile type="entityList"><filename>${list}.csv</filename><hash>${md5Of(csv)}</hash><downloadUrl>${url}/files/${list}.csv</downloadUrl><integrityUrl>${url}/integrity/${list}.csv</integrityUrl></mediaFile>`;
    }),
  );
  return `${declaration}<manifest xmlns="http://openrosa.org/xforms/xformsManifest">${files.join("")}</manifest>`;
}

type FileOfForm = { formId: string; file: string };

export async function listFileOf(deps: OdkDeps, signedIn: SignedIn, asked: FileOfForm): Promise<Buffer> {
  return toCsv(await entriesOfFile(deps, signedIn, asked));
}

/** Say which entries of a list ended. A phone asks this for those that it has and that the list no longer offers. */
export async function integrityOf(
  deps: OdkDeps,
  signedIn: SignedIn,
  { ids, ...asked }: FileOfForm & { ids: string },
): Promise<string> {
  const offered = new Set(
    (await entriesOfFile(deps, signedIn, asked)).filter(({ isEnded }) => !isEnded).map(({ name }) => name),
  );
  const entities = ids
    .split(",")
    .filter((id) => id !== "")
    .map((id) => `<entity id="${escapeXml(id)}"><deleted>${!offered.has(id)}</deleted></entity>`);
  return `${declaration}<data><entities>${entities.join("")}</entities></data>`;
}

async function entriesOfFile(deps: OdkDeps, signedIn: SignedIn, { formId, file }: FileOfForm) {
  const { form, xform, campaign } = await offeredForm(deps, signedIn, formId);
  const list = listOfFile(file);
  if (list === undefined || !xform.lists.includes(list)) throw new OpenRosaError(404, "noFile", { file });
  return await entriesOf(signedIn.client, { kind: form.kind, list, campaign });
}

async function offeredForm(deps: OdkDeps, signedIn: SignedIn, formId: string): Promise<Offered> {
  const found = (await offer(deps, signedIn)).find(({ form }) => form.formId === formId);
  if (found === undefined) throw new OpenRosaError(404, "noForm", { form: formId });
  return found;
}

async function offer(deps: OdkDeps, { collector, client }: SignedIn): Promise<Offered[]> {
  const campaign = await campaignOf(client, collector);
  const offered = formsOf(collector, campaign).map((form) => ({ form, xform: toXForm(form), campaign }));
  for (const { form, xform } of offered) {
    await deps.forms.keep({
      implementerDid: collector.implementerDid,
      formId: form.formId,
      version: xform.version,
      kind: form.kind,
      questions: form.questions,
      firstOfferedAt: deps.host.clock.now(),
    });
  }
  return offered;
}
