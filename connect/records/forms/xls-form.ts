import type { Choice, Form, Question } from "./question.ts";
import { formLanguages, translate } from "./texts.ts";
import { constraintOf } from "./xform.ts";

type Asked = Exclude<Question, { questions: Question[] }>;
type Row = Record<string, string>;

/** Names of XLSForm's types where they differ from ours. */
const types: Partial<Record<Asked["kind"], string>> = { photo: "image", signature: "image" };
const inAll = (column: string) => formLanguages.map((language) => `${column}::${language}`);
const [labels, hints, messages] = ["label", "hint", "constraint_message"].map(inAll) as [string[], string[], string[]];
const columns = {
  survey: ["type", "name", ...labels, ...hints, "required", "relevant", "constraint", ...messages, "appearance"],
  choices: ["list_name", "name", ...labels],
  settings: ["form_title", "form_id", "version", "default_language"],
};

/**
 * Write a form as an XLSForm (xlsform.org), the workbook that KoboToolbox and ODK Central read. Its questions have the names of the
 * XForm, so a project made from it needs no mapping.
 */
export async function toXlsForm({ title, formId, questions }: Form, version: string): Promise<Buffer> {
  const choices: Row[] = [];
  const survey = rowsOf(questions, "", choices);
  const sheets = {
    survey,
    choices,
    settings: [{ form_title: title, form_id: formId, version, default_language: formLanguages[0] }],
  };
  const { default: excel } = await import("exceljs");
  const workbook = new excel.Workbook();
  for (const [name, header] of Object.entries(columns)) {
    const sheet = workbook.addWorksheet(name);
    sheet.addRow(header);
    for (const row of sheets[name as keyof typeof sheets] as Row[])
      sheet.addRow(header.map((column) => row[column] ?? ""));
  }
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

/** A text in each language, in the columns of it. */
function said(columnsOfText: readonly string[], text: string | undefined): Row {
  if (text === undefined) return {};
  return Object.fromEntries(
    columnsOfText.map((column, i) => [column, translate(text, formLanguages[i] ?? formLanguages[0]) ?? text]),
  );
}

function rowsOf(questions: readonly Question[], parent: string, choices: Row[]): Row[] {
  return questions.flatMap((question): Row[] => {
    const { name, label, relevant = "" } = question;
    const path = `${parent}${name}`;
    if (!("questions" in question))
      return [{ ...asked(question, path, choices), name, ...said(labels, label), relevant }];
    const { kind } = question;
    const within = rowsOf(question.questions, `${path}_`, choices);
    return [
      { type: `begin_${kind}`, name, ...said(labels, label), relevant },
      ...within,
      { type: `end_${kind}`, name },
    ];
  });
}

function asked(question: Asked, path: string, choices: Row[]): Row {
  const limit = constraintOf(question);
  return {
    type: typeOf(question, path, choices),
    ...said(hints, question.hint),
    ...said(messages, limit?.message),
    required: question.required === true ? "yes" : "",
    constraint: limit?.xpath ?? "",
    appearance: question.kind === "signature" ? "signature" : "",
  };
}

/** The type of a question. A list of choices is named by its question's path. */
function typeOf(question: Asked, path: string, choices: Row[]): string {
  if (question.kind === "selectFrom") return `select_one_from_file ${question.list}.csv`;
  if (question.kind !== "select") return types[question.kind] ?? question.kind;
  choices.push(
    ...question.choices.map(({ name, label }: Choice) => ({ list_name: path, name, ...said(labels, label) })),
  );
  return `select_one ${path}`;
}
