import { SaxesParser } from "saxes";
import { fillIn } from "../../api/platform/errors.ts";

/** An element. Names are without their prefixes, since clients choose different ones. */
export type XmlElement = { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string };

/** Why a record is not XML that is read here, in English. */
export const xmlProblems = {
  xmlTooLarge: "The record is larger than {limit} bytes.",
  xmlMalformed: "The record is not well-formed XML: {reason}",
  xmlDoctype: "A record may have no document type.",
  xmlManyElements: "The record has more than {limit} elements.",
  xmlDeep: "The record is nested more than {limit} deep.",
  xmlEmpty: "The record is empty.",
  xmlNotUtf8: "The record is not UTF-8.",
};
type XmlProblem = keyof typeof xmlProblems;
type Values = Record<string, string | number>;

/** The record is not XML that is read here. The message is for the team; `problem` and `values` say it on the phone. */
export class XmlError extends Error {
  readonly problem: XmlProblem;
  readonly values: Values;

  constructor(problem: XmlProblem, values: Values = {}) {
    super(fillIn(xmlProblems[problem], values));
    this.problem = problem;
    this.values = values;
  }
}

export const mostXmlBytes = 1024 * 1024;
const mostDepth = 32;
const mostElements = 20_000;

/**
 * Parse a record. Document types are refused, and with them entities, so nothing is fetched or multiplied.
 * @throws XmlError
 */
export function parseXml(bytes: Uint8Array): XmlElement {
  if (bytes.byteLength > mostXmlBytes) throw new XmlError("xmlTooLarge", { limit: mostXmlBytes });
  const root: XmlElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  let elements = 0;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw new XmlError("xmlMalformed", { reason: error.message });
  });
  parser.on("doctype", () => {
    throw new XmlError("xmlDoctype");
  });
  parser.on("opentag", ({ name, attributes }) => {
    elements += 1;
    if (elements > mostElements) throw new XmlError("xmlManyElements", { limit: mostElements });
    if (open.length > mostDepth) throw new XmlError("xmlDeep", { limit: mostDepth });
    const element: XmlElement = { name: localName(name), attributes: localNames(attributes), children: [], text: "" };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("closetag", () => void open.pop());
  const addText = (text: string) => {
    const current = open.at(-1);
    if (current !== undefined) current.text += text;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.write(decode(bytes)).close();
  const [data] = root.children;
  if (data === undefined) throw new XmlError("xmlEmpty");
  return data;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new XmlError("xmlNotUtf8");
  }
}

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

function localNames(attributes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localName(name), value]));
}

export function childOf(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => child.name === name);
}

/** Text of a child, without blanks at its ends; undefined when it is absent or empty. */
export function textOf(element: XmlElement | undefined, name: string): string | undefined {
  const text = element === undefined ? undefined : childOf(element, name)?.text.trim();
  return text === "" ? undefined : text;
}
