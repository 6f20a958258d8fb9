import { RE2JS } from "re2js";
import { AppError } from "../../../platform/errors.ts";

export type GrepPattern = { q: string; regex?: boolean | undefined; ignoreCase?: boolean | undefined };

/** Find the first match in a line; -1 without a match. */
export type LineMatcher = (line: string) => number;

const maxLength = 512;
/** Most instructions of a compiled expression: each takes time for every character of a line. */
const maxProgram = 200;

/**
 * Parse a pattern for lines: the text itself, or with `regex` an expression in RE2 syntax, which is matched in linear time and
 * therefore has no back references.
 * @throws AppError INVALID_INPUT
 */
export function parseGrepPattern({ q, regex = false, ignoreCase = false }: GrepPattern): LineMatcher {
  if (q.length < 1 || q.length > maxLength)
    throw invalid("length", `The pattern must have 1 to ${maxLength} characters.`);
  // A line does not contain its line end.
  if (q.includes("\n"))
    throw invalid("one-line", "The pattern must not contain a line end, because it is matched with single lines.");
  if (!regex) {
    const wanted = ignoreCase ? q.toLowerCase() : q;
    return (line) => (ignoreCase ? line.toLowerCase() : line).indexOf(wanted);
  }
  const compiled = compile(q, ignoreCase);
  return (line) => {
    const matcher = compiled.matcher(line);
    return matcher.find() ? matcher.start() : -1;
  };
}

function compile(expression: string, ignoreCase: boolean): RE2JS {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(expression, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    throw invalid("syntax", "The pattern is not an expression in RE2 syntax.");
  }
  if (compiled.programSize() > maxProgram)
    throw invalid("program-size", "The pattern is too large; repeat less in it.");
  return compiled;
}

function invalid(rule: string, message: string): AppError {
  return new AppError("INVALID_INPUT", message, { details: [{ path: "q", rule, message }] });
}
