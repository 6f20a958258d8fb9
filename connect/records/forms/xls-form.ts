import type { Choice, Form, Question } from "./question.ts";
import { constraintOf } from "./xform.ts";

type Asked = Exclude<Question, { questions: Question[] }>;
type Row = Record<string, string>;

/** Names of XLSForm's types where they differ from ours. */
const types: Partial<Record<Asked["kind"], string>> = { photo: "image", signature: "image" };
const columns = {
  survey: ["type", "name", "label", "hint", "required", "relevant", "constraint", "constraint_message", "appearance"],
  choices: ["list_name", "name", "label"],
  settings: ["form_title", "form_id", "version"],
};

/**
 * Write a form as an XLSForm (xlsform.org), the workbook that KoboToolbox and ODK Central read. Its questions have the names of the
 * XForm, so a project made from it needs no mapping.
 */
export async function toXlsForm({ title, formId, questions }: Form, version: string): Promise<Buffer> {
  const choices: Row[] = [];
  const survey = rowsOf(questions, "", choices);
  const sheets = { survey, choices, settings: [{ form_title: title, form_id: formId, version }] };
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

function rowsOf(questions: readonly Question[], parent: string, choices: Row[]): Row[] {
  return questions.flatMap((question): Row[] => {
    const { name, label, relevant = "" } = question;
    const path = `${parent}${name}`;
    if (!("questions" in question)) return [{ ...asked(question, path, choices), name, label, relevant }];
    const { kind } = question;
    const within = rowsOf(question.questions, `${path}_`, choices);
    return [{ type: `begin_${kind}`, name, label, relevant }, ...within, { type: `end_${kind}`, name }];
  });
}

function asked(question: Asked, path: string, choices: Row[]): Row {
  const limit = constraintOf(question);
  return {
    type: typeOf(question, path, choices),
    hint: question.hint ?? "",
    required: question.required === true ? "yes" : "",
    constraint: limit?.xpath ?? "",
    constraint_message: limit?.message ?? "",
    appearance: question.kind === "signature" ? "signature" : "",
  };
}

/** The type of a question. A list of choices is named by its question's path. */
function typeOf(question: Asked, path: string, choices: Row[]): string {
  if (question.kind === "selectFrom") return `select_one_from_file ${question.list}.csv`;
  if (question.kind !== "select") return types[question.kind] ?? question.kind;
  choices.push(...question.choices.map(({ name, label }: Choice) => ({ list_name: path, name, label })));
  return `select_one ${path}`;
}
