import { createHash } from "node:crypto";
import type { Form, ListName, Question } from "./question.ts";
import { formLanguages, translate } from "./texts.ts";

/** A form as phones read it. */
export type XForm = { formId: string; title: string; version: string; xml: string; lists: ListName[] };

const types = {
  text: "string",
  barcode: "barcode",
  integer: "int",
  decimal: "decimal",
  date: "date",
  dateTime: "dateTime",
  geopoint: "geopoint",
  photo: "binary",
  signature: "binary",
  select: "string",
  selectFrom: "string",
} as const;

/** Generate the XForm of a form. Its version is a hash of its content: the same questions have the same version. */
export function toXForm(form: Form): XForm {
  const lists = listsOf(form.questions);
  const write = (version: string) => document(form, lists, version);
  const version = createHash("sha256").update(write("")).digest("hex").slice(0, 12);
  return { formId: form.formId, title: form.title, version, xml: write(version), lists };
}

function document({ formId, title, questions }: Form, lists: readonly ListName[], version: string): string {
  const texts = textsOf(questions);
  const secondary = lists.map((list) => `<instance id="${list}" src="jr://file-csv/${list}.csv"/>`).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>
<h:html xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml" xmlns:jr="http://openrosa.org/javarosa" xmlns:odk="http://www.opendatakit.org/xforms" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><h:head><h:title>${escapeXml(title)}</h:title><model odk:xforms-version="1.0.0"><instance><data id="${escapeXml(formId)}" version="${version}">${questions.map(instance).join("")}<meta><instanceID/><audit/></meta></data></instance>${secondary}${itext(texts)}${binds(questions, "/data", texts)}<bind nodeset="/data/meta/instanceID" type="string" readonly="true()" jr:preload="uid"/><bind nodeset="/data/meta/audit" type="binary"/></model></h:head><h:body>${controls(questions, "/data", texts)}</h:body></h:html>
`;
}

/** Every text that a form shows, once. Its place is its id. */
export function textsOf(questions: readonly Question[]): string[] {
  const all = questions.flatMap((question): string[] => {
    if ("questions" in question) return [question.label, ...textsOf(question.questions)];
    const { label, hint = [] } = question;
    const choices = question.kind === "select" ? question.choices.map((choice) => choice.label) : [];
    return [label, hint, constraintOf(question)?.message ?? [], choices].flat();
  });
  return [...new Set(all)];
}

function itext(texts: readonly string[]): string {
  const translations = formLanguages.map((language, i) => {
    const values = texts.map((text, id) => {
      return `<text id="t${id}"><value>${escapeXml(translate(text, language) ?? text)}</value></text>`;
    });
    return `<translation lang="${language}"${i === 0 ? ' default="true()"' : ""}>${values.join("")}</translation>`;
  });
  return `<itext>${translations.join("")}</itext>`;
}

/** Refers to a text, in the language that the person has chosen. */
const refOf = (texts: readonly string[], text: string) => `jr:itext('t${texts.indexOf(text)}')`;

function listsOf(questions: readonly Question[]): ListName[] {
  const all = questions.flatMap((question): ListName[] => {
    if ("questions" in question) return listsOf(question.questions);
    return question.kind === "selectFrom" ? [question.list] : [];
  });
  return [...new Set(all)];
}

function instance(question: Question): string {
  if (!("questions" in question)) return `<${question.name}/>`;
  const content = question.questions.map(instance).join("");
  if (question.kind === "group") return `<${question.name}>${content}</${question.name}>`;
  return `<${question.name} jr:template="">${content}</${question.name}><${question.name}>${content}</${question.name}>`;
}

function binds(questions: readonly Question[], parent: string, texts: readonly string[]): string {
  return questions
    .map((question) => {
      const path = `${parent}/${question.name}`;
      const relevant = question.relevant === undefined ? "" : ` relevant="${escapeXml(question.relevant)}"`;
      if ("questions" in question) {
        const own = relevant === "" ? "" : `<bind nodeset="${path}"${relevant}/>`;
        return own + binds(question.questions, path, texts);
      }
      const required = question.required ? ' required="true()"' : "";
      const limit = constraintOf(question);
      const constraint =
        limit === undefined
          ? ""
          : ` constraint="${escapeXml(limit.xpath)}" jr:constraintMsg="${refOf(texts, limit.message)}"`;
      return `<bind nodeset="${path}" type="${types[question.kind]}"${required}${relevant}${constraint}/>`;
    })
    .join("");
}

/** What the answer to a question must satisfy, in XPath, and what the form says otherwise. */
export function constraintOf(question: Exclude<Question, { questions: Question[] }>) {
  if (question.constraint !== undefined) return question.constraint;
  if (question.kind === "integer" || question.kind === "decimal") {
    const { min, max } = question;
    return { xpath: `. >= ${min} and . <= ${max}`, message: `A number from ${min} to ${max} is expected.` };
  }
  if ((question.kind === "text" || question.kind === "barcode") && question.pattern !== undefined) {
    return { xpath: `regex(., '${question.pattern.regex}')`, message: question.pattern.message };
  }
  return undefined;
}

function controls(questions: readonly Question[], parent: string, texts: readonly string[]): string {
  return questions.map((question) => control(question, `${parent}/${question.name}`, texts)).join("");
}

function control(question: Question, path: string, texts: readonly string[]): string {
  const label = `<label ref="${refOf(texts, question.label)}"/>`;
  if ("questions" in question) {
    const content = controls(question.questions, path, texts);
    if (question.kind === "group") return `<group ref="${path}">${label}${content}</group>`;
    return `<group ref="${path}">${label}<repeat nodeset="${path}">${content}</repeat></group>`;
  }
  const head = question.hint === undefined ? label : `${label}<hint ref="${refOf(texts, question.hint)}"/>`;
  if (question.kind === "select") {
    const items = question.choices
      .map(
        ({ name, label: text }) => `<item><label ref="${refOf(texts, text)}"/><value>${escapeXml(name)}</value></item>`,
      )
      .join("");
    return `<select1 ref="${path}">${head}${items}</select1>`;
  }
  if (question.kind === "selectFrom") {
    const items = `<itemset nodeset="instance('${question.list}')/root/item"><value ref="name"/><label ref="label"/></itemset>`;
    return `<select1 ref="${path}">${head}${items}</select1>`;
  }
  if (question.kind === "photo") return `<upload ref="${path}" mediatype="image/*">${head}</upload>`;
  if (question.kind === "signature") {
    return `<upload ref="${path}" mediatype="image/*" appearance="signature">${head}</upload>`;
  }
  return `<input ref="${path}">${head}</input>`;
}

export function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
