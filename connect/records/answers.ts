import type { RuleValues } from "../../api/platform/errors.ts";
import { parseScaled } from "../../api/platform/values/numbers.ts";
import type { Question } from "./forms/question.ts";
import { childOf, textOf, type XmlElement } from "./parse-xml.ts";
import { because, type Reason, type ReasonCode } from "./reasons.ts";

export type Point = { latitude: string; longitude: string; accuracy?: string };
/** The answer to a question; decimals as exact text, a photo as its file's name. */
export type Answer = string | number | Point | Answers | Answers[] | undefined;
export type Answers = { [name: string]: Answer };

/** A record's answers, and what is wrong with them. */
export type ReadAnswers = { answers: Answers; problems: Reason[] };

/** Read a record's answers by its form. Each problem names its field; the form checked the same on the phone, if it is genuine. */
export function readAnswers(questions: readonly Question[], data: XmlElement, path = ""): ReadAnswers {
  const answers: Answers = {};
  const problems: Reason[] = [];
  for (const question of questions) {
    const at = `${path}${question.name}`;
    if ("questions" in question) {
      const found = data.children.filter(
        ({ name, attributes }) => name === question.name && !("template" in attributes),
      );
      const read = found.map((each, i) =>
        readAnswers(question.questions, each, question.kind === "repeat" ? `${at}.${i}.` : `${at}.`),
      );
      // A form begins with one empty repetition, which a person may leave.
      const used = question.kind === "repeat" ? read.filter((each) => isAnswered(each.answers)) : read;
      problems.push(...used.flatMap((each) => each.problems));
      const parts = used.map((each) => each.answers);
      answers[question.name] = question.kind === "repeat" ? parts : (parts[0] ?? {});
      continue;
    }
    const text = textOf(data, question.name);
    if (text === undefined) {
      if (question.required && question.relevant === undefined)
        problems.push(because("no-answer", at, { question: question.label }));
      continue;
    }
    const read = readAnswer(question, text);
    if ("value" in read) answers[question.name] = read.value;
    else problems.push(because(read.code, at, { question: question.label, ...read.values }));
  }
  return { answers, problems };
}

function isAnswered(answers: Answers): boolean {
  return Object.values(answers).some((each) => {
    if (typeof each !== "object") return each !== undefined;
    return Array.isArray(each) ? each.length > 0 : isAnswered(each as Answers);
  });
}

type Read = { value: Answer } | { code: ReasonCode; values: RuleValues };

function readAnswer(question: Exclude<Question, { questions: Question[] }>, text: string): Read {
  const refuse = (code: ReasonCode, values: RuleValues = {}): Read => ({ code, values });
  switch (question.kind) {
    case "text":
    case "barcode":
      if (question.pattern === undefined || new RegExp(question.pattern.regex).test(text)) return { value: text };
      return refuse(question.pattern.code ?? "not-did");
    case "integer": {
      // Clients write a whole number as 14 or 14.0.
      const whole = /^-?\d{1,15}(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
      if (whole >= question.min && whole <= question.max) return { value: whole };
      return refuse("not-whole", { min: question.min, max: question.max });
    }
    case "decimal":
      return readDecimal(question, text) ?? refuse("not-decimal", limitsOf(question));
    case "date":
      if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text.slice(0, 10))))
        return { value: text.slice(0, 10) };
      return refuse("not-date");
    case "dateTime": {
      const time = Date.parse(text);
      if (/^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(time)) return { value: new Date(time).toISOString() };
      return refuse("not-time");
    }
    case "geopoint":
      return readPoint(text) ?? refuse("not-place");
    case "select":
      if (question.choices.some(({ name }) => name === text)) return { value: text };
      return refuse("not-choice");
    default:
      return { value: text };
  }
}

type DecimalQuestion = Extract<Question, { kind: "decimal" }>;

const limitsOf = ({ min, max, decimals }: DecimalQuestion): RuleValues => ({ min, max, decimals });

/** A phone may add zeros, such as 1.50 for a typed 1.5, or 07. More decimals than the form allows are refused, not rounded. */
function readDecimal({ min, max, decimals }: DecimalQuestion, text: string): { value: string } | undefined {
  if (!/^-?\d{1,15}(\.\d{1,20})?$/.test(text)) return undefined;
  const plain = withoutLeadingZeros(text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
  const scaled = parseScaled(plain, decimals);
  const scale = 10n ** BigInt(decimals);
  if (scaled === undefined || scaled < BigInt(min) * scale || scaled > BigInt(max) * scale) return undefined;
  return { value: plain };
}

/** JSON has no numbers such as 07. */
const withoutLeadingZeros = (number: string) => number.replace(/^(-?)0+(?=\d)/, "$1");

function readPoint(text: string): { value: Point } | undefined {
  const [latitude, longitude, , accuracy, ...rest] = text.split(/\s+/);
  const number = /^-?\d{1,3}(\.\d{1,20})?$/;
  if (latitude === undefined || longitude === undefined || rest.length > 0) return undefined;
  if (!number.test(latitude) || !number.test(longitude)) return undefined;
  if (Math.abs(Number(latitude)) > 90 || Math.abs(Number(longitude)) > 180) return undefined;
  const place = { latitude: decimalsOf(latitude, 9), longitude: decimalsOf(longitude, 9) };
  if (accuracy === undefined || !/^\d{1,6}(\.\d{1,20})?$/.test(accuracy)) return { value: place };
  return { value: { ...place, accuracy: decimalsOf(accuracy, 3) } };
}

/** Cut a sensor's reading to the decimals that a record keeps. */
function decimalsOf(text: string, most: number): string {
  const [whole = "0", fraction = ""] = withoutLeadingZeros(text).split(".");
  const kept = fraction.slice(0, most);
  return kept === "" ? whole : `${whole}.${kept}`;
}

/** Names of all files that a record has: answers to its photos and signatures, and the log of the phone. */
export function fileNamesOf(
  questions: readonly Question[],
  data: XmlElement,
  answers = readAnswers(questions, data).answers,
): Map<string, { isPhoto: boolean }> {
  const files = new Map(filesNamed(questions, answers).map(({ name, isPhoto }) => [name, { isPhoto }]));
  const audit = textOf(childOf(data, "meta"), "audit");
  if (audit !== undefined) files.set(audit, { isPhoto: false });
  return files;
}

/** Names of the photos and signatures that a record's answers name. */
export function filesNamed(questions: readonly Question[], answers: Answers): { name: string; isPhoto: boolean }[] {
  return questions.flatMap((question): { name: string; isPhoto: boolean }[] => {
    const answer = answers[question.name];
    if ("questions" in question) {
      const parts = Array.isArray(answer) ? answer : [(answer ?? {}) as Answers];
      return parts.flatMap((part) => filesNamed(question.questions, part));
    }
    const isPhoto = question.kind === "photo" || question.kind === "signature";
    return isPhoto && typeof answer === "string" ? [{ name: answer, isPhoto }] : [];
  });
}
