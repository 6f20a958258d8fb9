import type { RuleDetail } from "../../api/platform/errors.ts";
import type { Choice, Question } from "./forms/question.ts";
import { textOf, type XmlElement } from "./parse-xml.ts";

type Asked = Exclude<Question, { questions: Question[] }>;
/** The kinds of questions that have one answer. */
export const fieldKinds = [
  "text",
  "barcode",
  "integer",
  "decimal",
  "date",
  "dateTime",
  "geopoint",
  "photo",
  "signature",
  "select",
  "selectFrom",
] as const satisfies readonly Asked["kind"][];

/** A question that was asked, and its answer as it was sent, whether or not it is valid. */
export type Field = {
  /** As broken rules name it: `fuels.0.start`. */
  path: string;
  /** With the labels of the groups that it is in. */
  label: string;
  kind: Asked["kind"];
  choices: Choice[] | null;
  required: boolean;
  answer: string | null;
};

/**
 * List the questions of a record in the order of the form, with their answers. A question that is asked in some cases only, such as
 * the readings of a meter, is listed when it has an answer or a broken rule names it.
 */
export function fieldsOf(questions: readonly Question[], data: XmlElement, broken: readonly RuleDetail[]): Field[] {
  const named = broken.flatMap(({ path }) => path ?? []);
  return walk(questions, data, { path: "", label: "" }).flatMap(({ question, ...field }) => {
    const isNamed = named.some((each) => field.path === each || field.path.startsWith(`${each}.`));
    return question.relevant === undefined || field.answer !== null || isNamed ? [field] : [];
  });
}

/** Find each question of a record that has one answer, by its path. */
export function questionsByPath(questions: readonly Question[], data: XmlElement): Map<string, Asked> {
  return new Map(walk(questions, data, { path: "", label: "" }).map(({ path, question }) => [path, question]));
}

/** The elements of a group or its repetitions. A template is not a repetition. */
export function partsOf(data: XmlElement | undefined, name: string): XmlElement[] {
  return (data?.children ?? []).filter((each) => each.name === name && !("template" in each.attributes));
}

type Above = { path: string; label: string };

function walk(
  questions: readonly Question[],
  data: XmlElement | undefined,
  above: Above,
): (Field & { question: Asked })[] {
  return questions.flatMap((question) => {
    const path = `${above.path}${question.name}`;
    const label = `${above.label}${question.label}`;
    if (!("questions" in question)) {
      const choices = question.kind === "select" ? question.choices : null;
      const answer = textOf(data, question.name) ?? null;
      return [{ path, label, kind: question.kind, choices, required: question.required === true, answer, question }];
    }
    const parts = partsOf(data, question.name);
    if (question.kind === "group") return walk(question.questions, parts[0], { path: `${path}.`, label: `${label}: ` });
    return parts.flatMap((part, i) =>
      walk(question.questions, part, { path: `${path}.${i}.`, label: `${label} ${i + 1}: ` }),
    );
  });
}
