import { createHash } from "node:crypto";
import type { Expression, Statement } from "solidity-ast";
import type { Node } from "solidity-ast/node.js";
import { childrenOf, find, isStorage, type Program, referenceOf, typeOf } from "../analysis/tree.ts";

/** A change that the compiler's syntax tree offers: text [start, end) of a file, in bytes. */
export type Site = {
  file: string;
  /** Contract and function. */
  where: string;
  line: number;
  /** Description of the fault. */
  what: string;
  /** Key that stays the same if other code of its function changes. */
  key: string;
  /** Hash of the function that it is in, comments and blanks aside. */
  code: string;
  start: number;
  end: number;
  /** The text with the change if `on` is true; `inner` is the unchanged text. */
  wrap: (inner: string, on: string) => string;
};

/** A change to a node; `text` gives a node's source. */
type Change = Pick<Site, "what" | "wrap"> & { node: Node };
type Text = (node: { src: string }) => string;

const boundaries: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const sums: Record<string, string> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "<<": ">>",
  ">>": "<<",
  "&": "|",
  "|": "&",
};
const words: Record<string, string> = { "&&": "||", "||": "&&" };
const swaps = { ...boundaries, ...sums, ...words };

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** Hash code without its comments and layout. */
export const hashOfCode = (code: string): string =>
  hashOf(code.replace(/\/\/.*$|\/\*[\s\S]*?\*\//gm, "").replace(/\s+/g, ""));

const isNumber = (expression: Expression) => /^u?int\d+$/.test(typeOf(expression));
const isLiteral = (expression: Expression) => /^(int|rational)_const/.test(typeOf(expression));
const choose = (other: string) => (inner: string, on: string) => `(${on} ? ${other} : ${inner})`;
const short = (text: string) => text.replace(/\s+/g, " ").slice(0, 90);

/** List the possible changes of a node. */
function changesOf(program: Program, node: Node, text: Text): Change[] {
  if (node.nodeType === "BinaryOperation") return changesOfOperation(node, text);
  if (node.nodeType === "UnaryOperation" && node.operator === "!")
    return [{ node, what: `${short(text(node))} → without !`, wrap: choose(text(node.subExpression)) }];
  if (node.nodeType === "IfStatement" || node.nodeType === "Conditional") return forced(node.condition, text);
  if (node.nodeType === "FunctionCall") return changesOfCall(node, text);
  if (node.nodeType === "EmitStatement") return [dropped(node, text)];
  if (node.nodeType === "ExpressionStatement") return changesOfStatement(program, node, text);
  if (node.nodeType === "ModifierInvocation") return changesOfModifier(node, text);
  if (node.nodeType === "Identifier" || node.nodeType === "MemberAccess") return changesOfConstant(program, node, text);
  return [];
}

function changesOfOperation(node: Extract<Node, { nodeType: "BinaryOperation" }>, text: Text): Change[] {
  const { operator, leftExpression: left, rightExpression: right } = node;
  const changes: Change[] = [];
  const swap = swaps[operator];
  if (swap !== undefined && !isLiteral(node as Expression))
    changes.push({
      node,
      what: `${short(text(node))} → ${swap}`,
      wrap: choose(`(${text(left)}) ${swap} (${text(right)})`),
    });
  const type = node.commonType?.typeString ?? "";
  if (/^uint\d+$/.test(type) && right.nodeType === "Literal" && isLiteral(right))
    changes.push({
      node: right,
      what: `${short(text(node))} → ${text(right)} + 1`,
      wrap: (inner, on) => `${type}(${on} ? ${text(right)} + 1 : ${inner})`,
    });
  return changes;
}

/** Replace a condition by true and by false. */
const forced = (condition: Node, text: Text): Change[] => [
  { node: condition, what: `if ${short(text(condition))} → always`, wrap: (inner, on) => `(${on} || (${inner}))` },
  { node: condition, what: `if ${short(text(condition))} → never`, wrap: (inner, on) => `(!${on} && (${inner}))` },
];

function changesOfCall(node: Extract<Node, { nodeType: "FunctionCall" }>, text: Text): Change[] {
  const [condition] = node.arguments;
  if (node.expression.nodeType !== "Identifier" || node.expression.name !== "require" || !condition) return [];
  const what = `require(${short(text(condition))}) → dropped`;
  return [{ node: condition, what, wrap: (inner, on) => `(${on} || (${inner}))` }];
}

const dropped = (node: Node, text: Text): Change => ({
  node,
  what: `${short(text(node))} → dropped`,
  // In this form a following else still belongs to the previous if.
  wrap: (inner, on) => `if (${on}) {} else ${inner}`,
});

function changesOfStatement(
  program: Program,
  node: Extract<Node, { nodeType: "ExpressionStatement" }>,
  text: Text,
): Change[] {
  const { expression } = node;
  if (expression.nodeType === "UnaryOperation" && expression.operator === "delete") return [dropped(node, text)];
  if (expression.nodeType === "FunctionCall") {
    const isRule =
      expression.expression.nodeType === "Identifier" && /^(require|assert|revert)$/.test(expression.expression.name);
    return isRule ? [] : [dropped(node, text)];
  }
  if (expression.nodeType !== "Assignment") return [];
  const target = expression.leftHandSide;
  // An unassigned pointer does not compile, and every test notices a missing immutable.
  if (/(storage|calldata) (pointer|slice)|calldata/.test(typeOf(target)) || isImmutable(program, target)) return [];
  const changes = [dropped(node, text)];
  const swap = sums[expression.operator.slice(0, -1)];
  if (expression.operator !== "=" && swap !== undefined && isStorage(program, target))
    changes.push({
      node,
      what: `${short(text(node))} → ${swap}=`,
      wrap: (inner, on) => `if (${on}) ${text(target)} ${swap}= ${text(expression.rightHandSide)}; else ${inner}`,
    });
  return changes;
}

function isImmutable(program: Program, target: Expression): boolean {
  const declared = program.byId.get(referenceOf(target) ?? -1);
  return declared?.nodeType === "VariableDeclaration" && declared.mutability === "immutable";
}

/** Replace the required role by AccessManager's PUBLIC_ROLE, which every account has. */
function changesOfModifier(node: Extract<Node, { nodeType: "ModifierInvocation" }>, text: Text): Change[] {
  const [role] = node.arguments ?? [];
  if (!role || typeOf(role) !== "uint64") return [];
  return [{ node: role, what: `${text(node)} → anyone`, wrap: choose("type(uint64).max") }];
}

/** Increase a constant by one where it is used. */
function changesOfConstant(program: Program, node: Expression, text: Text): Change[] {
  const declared = program.byId.get(referenceOf(node) ?? -1);
  if (declared?.nodeType !== "VariableDeclaration" || declared.mutability !== "constant" || !isNumber(node)) return [];
  return [{ node, what: `${text(node)} → ${text(node)} + 1`, wrap: choose(`${text(node)} + 1`) }];
}

/** Compile-time constants, and nodes that cannot contain a call. */
const isClosed = (node: Node): boolean =>
  node.nodeType === "InlineAssembly" ||
  node.nodeType === "ArrayTypeName" ||
  (node.nodeType === "VariableDeclaration" && node.stateVariable === true);

/** List every change that the operators make in the contracts. */
export function sitesOf(program: Program, texts: ReadonlyMap<string, string>): Site[] {
  return program.units.flatMap(({ path, unit, lineOf }) => {
    const bytes = Buffer.from(texts.get(path) ?? "");
    const range = ({ src }: { src: string }) => {
      const [start = 0, length = 0] = src.split(":").map(Number);
      return { start, end: start + length };
    };
    const text: Text = (node) => bytes.subarray(range(node).start, range(node).end).toString();
    const sites: Site[] = [];
    for (const contract of find("ContractDefinition", unit)) {
      for (const part of contract.nodes) {
        if (part.nodeType !== "FunctionDefinition" && part.nodeType !== "ModifierDefinition") continue;
        const where = `${contract.name}.${part.name || ("kind" in part ? part.kind : "")}`;
        const code = hashOfCode(text(part));
        const seen = new Map<string, number>();
        for (const change of changesBelow(program, part, text)) {
          const nth = (seen.get(change.what) ?? 0) + 1;
          seen.set(change.what, nth);
          const key = hashOf(`${path}:${where}:${change.what}:${nth}`);
          const { what, wrap } = change;
          sites.push({ file: path, where, line: lineOf(change.node), what, key, code, wrap, ...range(change.node) });
        }
      }
    }
    return sites;
  });
}

function changesBelow(program: Program, root: Node, text: Text): Change[] {
  const changes: Change[] = [];
  const visit = (node: Node): void => {
    if (isClosed(node)) return;
    changes.push(...changesOf(program, node, text));
    // The part of a loop that runs after each iteration is not a statement that could be in braces.
    const skipped: Statement | null | undefined = node.nodeType === "ForStatement" ? node.loopExpression : undefined;
    for (const child of childrenOf(node)) if (child !== skipped) visit(child);
  };
  visit(root);
  return changes;
}
