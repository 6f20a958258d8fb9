import { createRequire } from "node:module";
import { JSDOM } from "jsdom";
import type { ListedForm, Phone, RecordFile } from "./odk-phone.ts";

/** What the engine reads of a browser. */
const ofBrowser = [
  "DOMParser",
  "XMLSerializer",
  "Element",
  "Node",
  "Document",
  "XMLDocument",
  "XPathResult",
  "Attr",
  "Text",
];
type Engine = typeof import("@getodk/xforms-engine");
type Root = Awaited<ReturnType<Engine["createInstance"]>>["root"];
type EngineNode = Root["currentState"]["children"][number];

/** Answers by the names of the form: a text, a number, a photo, a group's answers, or the answers of each repetition. */
export type Filled = { [name: string]: string | number | Date | File | Filled | Filled[] };

/** Load ODK's XForms engine, which ODK Web Forms runs in browsers. It needs a DOM and, bundled for browsers, some of CommonJS. */
async function loadEngine(): Promise<Engine> {
  const { window } = new JSDOM("", { url: "http://localhost/" });
  const global = globalThis as unknown as Record<string, unknown>;
  global.__dirname ??= process.cwd();
  global.require ??= createRequire(import.meta.url);
  global.window ??= window;
  global.document ??= window.document;
  for (const name of ofBrowser) global[name] ??= window[name as keyof typeof window];
  return await import("@getodk/xforms-engine");
}

let engine: Promise<Engine> | undefined;

/**
 * For tests: fill a form with ODK's own engine and return the record, as ODK Web Forms sends it.
 * @throws Error when the form does not load, an answer has no question, or the engine finds an answer that breaks the form's rules
 */
export async function fillForm(
  phone: Phone,
  form: ListedForm,
  answers: Filled,
): Promise<{ xml: string; files: RecordFile[] }> {
  engine ??= loadEngine();
  const { createInstance } = await engine;
  const xml = await (await phone.fetch(form.downloadUrl)).text();
  const { root } = await createInstance(xml, {
    form: {
      fetchFormAttachment: async (url) => {
        const name = new URL(String(url)).pathname.split("/").at(-1);
        const csv = name === undefined ? "" : await phone.listOf(form);
        return new Response(csv, { headers: { "content-type": "text/csv" } }) as never;
      },
    },
  });
  fill(root.currentState.children, answers);
  const payload = await root.prepareInstancePayload({ payloadType: "monolithic" });
  if (payload.violations !== null)
    throw new Error(
      `The engine refuses: ${payload.violations.map((each) => `${each.reference} ${each.violation.condition}`).join(", ")}`,
    );
  const [data] = payload.data;
  const files: RecordFile[] = [];
  let record = "";
  for (const [name, file] of data.entries()) {
    const bytes = Buffer.from(await file.arrayBuffer());
    if (name === "xml_submission_file") record = bytes.toString();
    else files.push({ name, type: file.type, bytes });
  }
  return { xml: record, files };
}

function fill(nodes: readonly EngineNode[], answers: Filled): void {
  for (const [name, answer] of Object.entries(answers)) {
    const node = nodes.find(
      (each) =>
        each.currentState.reference
          .split("/")
          .at(-1)
          ?.replace(/\[\d+\]$/, "") === name,
    );
    if (node === undefined) throw new Error(`The form has no question ${name}.`);
    if (node.nodeType === "group") fill(node.currentState.children as readonly EngineNode[], answer as Filled);
    else if (node.nodeType === "repeat-range:uncontrolled") {
      const wanted = answer as Filled[];
      const missing = wanted.length - node.currentState.children.length;
      if (missing > 0) node.addInstances(undefined, missing);
      for (const [i, each] of wanted.entries()) {
        fill((node.currentState.children[i]?.currentState.children ?? []) as readonly EngineNode[], each);
      }
    } else if (node.nodeType === "select") node.selectValue(String(answer));
    else if (node.nodeType === "upload") node.setValue(answer as File);
    else if (node.nodeType === "input") node.setValue(answer as never);
    else throw new Error(`${name} is a ${node.nodeType}, which this test cannot answer.`);
  }
}
