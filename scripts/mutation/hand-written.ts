import type { Node } from "solidity-ast/node.js";
import type { Mutant } from "../../test/contracts/mutation/mutants.ts";
import { childrenOf, find, type Program } from "../analysis/tree.ts";
import { hashOfCode, type Site } from "./operators.ts";

/** Replace the text, which must occur exactly once. */
export function mutate(source: string, { from, to }: Pick<Mutant, "from" | "to">): string | undefined {
  const parts = source.split(from);
  return parts.length === 2 ? parts.join(to) : undefined;
}

const statements = new Set([
  "ExpressionStatement",
  "IfStatement",
  "EmitStatement",
  "Return",
  "ForStatement",
  "RevertStatement",
]);
const expressions = new Set([
  "Assignment",
  "BinaryOperation",
  "Conditional",
  "FunctionCall",
  "Identifier",
  "IndexAccess",
  "Literal",
  "MemberAccess",
  "TupleExpression",
  "UnaryOperation",
]);

const rangeOf = ({ src }: { src: string }) => {
  const [start = 0, length = 0] = src.split(":").map(Number);
  return { start, end: start + length };
};

/** Find the range where two texts differ, without their common start and end. */
function difference(from: string, to: string): { start: number; end: number } {
  let start = 0;
  while (start < Math.min(from.length, to.length) && from[start] === to[start]) start++;
  let rest = 0;
  const most = Math.min(from.length, to.length) - start;
  while (rest < most && from[from.length - 1 - rest] === to[to.length - 1 - rest]) rest++;
  return { start, end: from.length - rest };
}

/** Find the smallest statement or expression that contains a range, with the inserted text inside it. */
function smallestAround(root: Node, start: number, end: number): Node | undefined {
  const edge = start === end ? 1 : 0;
  for (const child of childrenOf(root)) {
    const range = rangeOf(child);
    if (range.start + edge > start || range.end - edge < end) continue;
    const inner = smallestAround(child, start, end);
    if (child.nodeType === "ExpressionStatement" && inner === child.expression) return child;
    if (inner !== undefined) return inner;
    if (statements.has(child.nodeType) || expressions.has(child.nodeType)) return child;
  }
  return undefined;
}

/**
 * Convert a hand-written change to one that can be switched on. @throws when its text does not occur exactly once, or is neither a
 * statement nor an expression
 */
export function siteOfMutant(program: Program, texts: ReadonlyMap<string, string>, mutant: Mutant): Site {
  const file = `contracts/${mutant.file}`;
  const source = texts.get(file) ?? "";
  const unit = program.units.find(({ path }) => path === file);
  const parts = source.split(mutant.from);
  if (unit === undefined || parts.length !== 2) throw new Error(`${mutant.file}: "${mutant.name}" is not there once.`);
  const bytesOf = (text: string) => Buffer.byteLength(text);
  // A statement's node ends before its semicolon.
  const [from, to] = [mutant.from, mutant.to].map((text) => text.trim().replace(/;$/, "")) as [string, string];
  const begin = source.indexOf(from, source.indexOf(mutant.from));
  const apart = difference(from, to);
  const isDropped = to.length === from.length - (apart.end - apart.start);
  // A removed text with its semicolon and blanks is a statement.
  if (isDropped) apart.end = apart.start + from.slice(apart.start, apart.end).replace(/;?\s*$/, "").length;
  const [start, end] = [apart.start, apart.end].map((at) => bytesOf(source.slice(0, begin + at))) as [number, number];
  const node = smallestAround(unit.unit, start, end);
  if (node === undefined) throw new Error(`${mutant.file}: "${mutant.name}" changes no statement and no expression.`);
  const range = rangeOf(node);
  const bytes = Buffer.from(source);
  const changed =
    bytes.subarray(range.start, start).toString() +
    (isDropped ? "" : to.slice(apart.start, to.length - (from.length - apart.end))) +
    bytes.subarray(end, range.end).toString();
  const wrap = expressions.has(node.nodeType)
    ? (inner: string, on: string) => `(${on} ? ${changed} : ${inner})`
    : (inner: string, on: string) => `if (${on}) { ${changed}${/^\s*$|[;}]$/.test(changed) ? "" : ";"} } else ${inner}`;
  const around = find("FunctionDefinition", unit.unit)
    .map(rangeOf)
    .find((of) => of.start <= start && of.end >= end);
  const code = hashOfCode(bytes.subarray(around?.start, around?.end).toString());
  const line = unit.lineOf(node);
  return { file, where: "by hand", line, what: mutant.name, key: mutant.name, code, wrap, ...range };
}
