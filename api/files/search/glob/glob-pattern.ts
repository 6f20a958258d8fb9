import { expandBraces, toRegex } from "glob-to-regex.js";
import { RE2JS } from "re2js";
import { AppError } from "../../../platform/errors.ts";
import { parentOf } from "../../../platform/ucan/index.ts";

export type GlobPattern = {
  /** The folder that contains every match, or the only file that can match. */
  within: string;
  matches: (path: string) => boolean;
};

const maxLength = 512;
/** Braces multiply: most patterns that one pattern may expand to. */
const maxAlternatives = 64;
/** Most instructions of a compiled pattern: each takes time for every character of a path. */
const maxProgram = 2_000;

/**
 * Parse a glob over whole paths: `*` and `?` within a segment, `**` across segments, `[a-z]`, `{a,b}`, `{1..3}`. A pattern
 * without a leading slash begins at the root. It is matched in linear time, so no pattern can block the service.
 * @throws AppError INVALID_INPUT
 */
export function parseGlob(text: string): GlobPattern {
  const pattern = text.normalize("NFC").replace(/^(?!\/)/, "/");
  if (pattern.length > maxLength)
    throw invalid("pattern-length", `A pattern may have at most ${maxLength} characters.`);
  if (pattern.includes("\\")) {
    throw invalid(
      "pattern-backslash",
      "A pattern must not contain a backslash, as paths have none; write `[*]` to match a star.",
    );
  }
  if (expandBraces(pattern, maxAlternatives + 1).length > maxAlternatives) {
    throw invalid("pattern-alternatives", `The braces of a pattern may expand to at most ${maxAlternatives} patterns.`);
  }
  const compiled = compile(pattern);
  return { within: literalPart(pattern), matches: (path) => compiled.matches(path) };
}

function compile(pattern: string): RE2JS {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(toRegex(pattern).source, RE2JS.DOTALL);
  } catch {
    throw invalid("pattern-syntax", "The pattern has a bracket that matches nothing or is not closed.");
  }
  if (compiled.programSize() > maxProgram) throw invalid("pattern-size", "The pattern is too large.");
  return compiled;
}

/** The folders before the first wildcard. */
function literalPart(pattern: string): string {
  const special = pattern.search(/[*?[\]{}]/);
  return special === -1 ? pattern : parentOf(pattern.slice(0, special));
}

function invalid(rule: string, message: string): AppError {
  return new AppError("INVALID_INPUT", "The pattern is not valid.", {
    details: [{ path: "pattern", rule, message }],
  });
}
