import type { RuleDetail } from "../../api/platform/errors.ts";
import { partsOf, questionsByPath } from "./fields.ts";
import type { Question } from "./forms/question.ts";
import { escapeXml } from "./forms/xform.ts";
import { childOf, textOf, type XmlElement } from "./parse-xml.ts";

/** A new answer to a question, by its path; an empty one removes the answer. JSON bodies have no characters that XML cannot hold. */
export type Change = { path: string; answer: string };
/** A photo that was stored for the correction, as the answer to a question. */
export type NewFile = { path: string; sha256: string };
export type CorrectedHead = { formId: string; version: string; instanceId: string; deprecatedId: string };

/** Name what is wrong with changes of a record; whether the answers are valid is checked when it is written. */
export function brokenChanges(
  questions: readonly Question[],
  data: XmlElement,
  changes: readonly Change[],
  files: readonly NewFile[] = [],
): RuleDetail[] {
  const asked = questionsByPath(questions, data);
  const seen = new Set<string>();
  const check = (path: string, at: string, isFile: boolean): RuleDetail[] => {
    const question = asked.get(path);
    const broken: RuleDetail[] = [];
    const refuse = (rule: string, message: string) => broken.push({ path: at, rule, message });
    if (question === undefined) refuse("field-known", `The record has no question ${path}.`);
    else if (isFile && !isAnsweredByFile(question)) refuse("file-question", `"${question.label}" is not a file.`);
    else if (!isFile && isAnsweredByFile(question)) {
      refuse("file-kept", `"${question.label}" is a file. Store the new one, then name it in \`files\`.`);
    }
    if (seen.has(path)) refuse("field-once", `The question ${path} has two answers.`);
    seen.add(path);
    return broken;
  };
  return [
    ...changes.flatMap(({ path }, i) => check(path, `answers.${i}`, false)),
    ...files.flatMap(({ path }, i) => check(path, `files.${i}`, true)),
  ];
}

const isAnsweredByFile = ({ kind }: Pick<Question, "kind">) => kind === "photo" || kind === "signature";

/** Write a record again with some answers changed, as a phone writes an edit. */
export function toCorrectedXml(
  questions: readonly Question[],
  data: XmlElement,
  changes: readonly Change[],
  { formId, version, instanceId, deprecatedId }: CorrectedHead,
): Buffer {
  const changed = new Map(changes.map(({ path, answer }) => [path, answer]));
  const content = elementsOf(questions, data, changed, "");
  const audit = textOf(childOf(data, "meta"), "audit");
  const log = audit === undefined ? "" : element("audit", escapeXml(audit));
  const ids = `${element("instanceID", escapeXml(instanceId))}${element("deprecatedID", escapeXml(deprecatedId))}`;
  const attributes = `id="${escapeXml(formId)}" version="${escapeXml(version)}"`;
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><data ${attributes}>${content}${element("meta", ids + log)}</data>`,
  );
}

function elementsOf(
  questions: readonly Question[],
  data: XmlElement | undefined,
  changed: ReadonlyMap<string, string>,
  above: string,
): string {
  return questions
    .map((question) => {
      const path = `${above}${question.name}`;
      if (!("questions" in question)) {
        return element(question.name, escapeXml(changed.get(path) ?? textOf(data, question.name) ?? ""));
      }
      const parts = partsOf(data, question.name);
      const { questions: inner } = question;
      if (question.kind === "group") return element(question.name, elementsOf(inner, parts[0], changed, `${path}.`));
      return parts.map((part, i) => element(question.name, elementsOf(inner, part, changed, `${path}.${i}.`))).join("");
    })
    .join("");
}

const element = (name: string, content: string) => `<${name}>${content}</${name}>`;
