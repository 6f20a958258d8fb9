import { OdkWebForm, POST_SUBMIT__NEW_INSTANCE, webFormsPlugin } from "@getodk/web-forms";
import { createApp, h } from "vue";

/** The page of a phone: `#<collector's link>` and `?form=<id>`. It loads a form as an OpenRosa client does, shows it and sends the record. */
const link = decodeURIComponent(location.hash.slice(1));
const formId = new URLSearchParams(location.search).get("form") ?? "";
const headers = { "X-OpenRosa-Version": "1.0" };

const read = async (url: string) => {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`);
  return answer;
};
const xmlOf = async (url: string) =>
  new DOMParser().parseFromString(await (await read(url)).text(), "text/xml").documentElement;
const textOf = (node: Element, name: string) => node.getElementsByTagName(name)[0]?.textContent ?? undefined;

const listed = [...(await xmlOf(`${link}/formList`)).getElementsByTagName("xform")];
const form = listed.find((each) => textOf(each, "formID") === formId);
if (form === undefined) throw new Error(`The link does not offer ${formId}.`);
const manifestUrl = textOf(form, "manifestUrl");
const manifest = manifestUrl === undefined ? [] : [...(await xmlOf(manifestUrl)).getElementsByTagName("mediaFile")];
const media = new Map(manifest.map((file) => [textOf(file, "filename"), textOf(file, "downloadUrl") ?? ""]));

type Payload = { status: string; data: readonly [FormData] | null };

async function send({ data }: Payload): Promise<void> {
  const [record] = data ?? [];
  if (record === undefined) throw new Error("The form gave no record.");
  const answer = await fetch(`${link}/submission`, { method: "POST", headers, body: record });
  const said = document.createElement("output");
  said.textContent = `${answer.status} ${await answer.text()}`;
  document.body.append(said);
}

const xml = await (await read(textOf(form, "downloadUrl") ?? "")).text();
const place = document.createElement("div");
document.body.append(place);
createApp({
  render: () =>
    h(OdkWebForm, {
      formXml: xml,
      fetchFormAttachment: async (url: URL) => await read(media.get(url.pathname.split("/").at(-1)) ?? String(url)),
      onSubmit: async (payload: Payload, done: (result: object) => void) => {
        await send(payload);
        done({ next: POST_SUBMIT__NEW_INSTANCE });
      },
    } as never),
})
  .use(webFormsPlugin)
  .mount(place);
