import type { Form, Question } from "../records/forms/question.ts";
import { escapeXml } from "../records/forms/xform.ts";
import type { FieldMapping } from "./tables.ts";

export type RecordHead = { formId: string; version: string; instanceId: string; deprecatedId: string | null };

/** A field of a form of Hearth, by its path, such as `people/children`. */
export type FormField = { field: string; label: string; kind: Question["kind"]; required: boolean };

/** List the fields of a form, groups and repeats before what is in them. */
export function fieldsOf(questions: readonly Question[], parent = ""): FormField[] {
  return questions.flatMap((question): FormField[] => {
    const field = `${parent}${question.name}`;
    const { label, kind } = question;
    if ("questions" in question) {
      return [{ field, label, kind, required: false }, ...fieldsOf(question.questions, `${field}/`)];
    }
    return [{ field, label, kind, required: question.required === true && question.relevant === undefined }];
  });
}

/** The question that a field is read from: as the mapping says, or of the same name, in the group that its own group is read from. */
export function questionOf(mapping: readonly FieldMapping[], field: string): string {
  const mapped = mapping.find((each) => each.field === field)?.question;
  if (mapped !== undefined) return mapped;
  const at = field.lastIndexOf("/");
  if (at === -1) return field;
  return `${questionOf(mapping, field.slice(0, at))}${field.slice(at)}`;
}

/**
 * Write Kobo's answers as a record of Hearth's form, as ODK Collect would send it. So both are read, checked and kept alike.
 * Kobo's keys are whole paths, within repeats, too.
 */
export function toRecordXml(
  form: Pick<Form, "questions">,
  answers: Record<string, unknown>,
  mapping: readonly FieldMapping[],
  { formId, version, instanceId, deprecatedId }: RecordHead,
): Buffer {
  const edited = deprecatedId === null ? "" : `<deprecatedID>${escapeXml(deprecatedId)}</deprecatedID>`;
  const meta = `<meta><instanceID>${escapeXml(instanceId)}</instanceID>${edited}</meta>`;
  const content = elementsOf(form.questions, answers, mapping, "");
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><data id="${escapeXml(formId)}" version="${escapeXml(version)}">${content}${meta}</data>`,
  );
}

function elementsOf(
  questions: readonly Question[],
  answers: Record<string, unknown>,
  mapping: readonly FieldMapping[],
  parent: string,
): string {
  return questions
    .map((question) => {
      const field = `${parent}${question.name}`;
      const element = (content: string) => `<${question.name}>${content}</${question.name}>`;
      if (!("questions" in question)) return element(escapeXml(textOf(answers[questionOf(mapping, field)])));
      const within = (values: Record<string, unknown>) =>
        element(elementsOf(question.questions, values, mapping, `${field}/`));
      if (question.kind === "group") return within(answers);
      const repeated = answers[questionOf(mapping, field)];
      return (Array.isArray(repeated) ? repeated : [])
        .map((each) => within(typeof each === "object" && each !== null ? (each as Record<string, unknown>) : {}))
        .join("");
    })
    .join("");
}

/** An answer's text without characters that XML cannot hold. Kobo writes all answers as texts. */
function textOf(answer: unknown): string {
  if (typeof answer !== "string") return "";
  return answer.toWellFormed().replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "");
}
