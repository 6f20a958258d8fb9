import { isLosslessNumber, parse } from "lossless-json";
import { decimal, decimalText } from "../../api/scheme/emissions/index.ts";
import type { Difference } from "./step.ts";

const none = "none";

/** Parse JSON with the exact digits of its numbers. */
export function parseExact(text: string): unknown {
  return parse(text);
}

/** List every place where two values differ; numbers are compared exactly. */
export function differencesOf(stated: unknown, repeated: unknown, what = ""): Difference[] {
  if (isTree(stated) && isTree(repeated) && Array.isArray(stated) === Array.isArray(repeated)) {
    const names = new Set([...Object.keys(stated), ...Object.keys(repeated)]);
    const [a, b] = [stated as Record<string, unknown>, repeated as Record<string, unknown>];
    return [...names].flatMap((name) => differencesOf(a[name], b[name], what === "" ? name : `${what}.${name}`));
  }
  const [left, right] = [textOf(stated), textOf(repeated)];
  return left === right ? [] : [{ what, stated: left, repeated: right }];
}

function isTree(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isLosslessNumber(value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return none;
  if (isLosslessNumber(value)) return decimalText(decimal(value.value));
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
