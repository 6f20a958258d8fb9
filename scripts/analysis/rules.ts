// solhint sees one file's syntax without types, Slither needs Python and a native compiler: the check runs on Node alone.

import type { Expression, FunctionDefinition } from "solidity-ast";
import type { Node } from "solidity-ast/node.js";
import { lateEffects } from "./effects.ts";
import { calleeOf, entryPoints, find, isExternalCall, isStorage, type Program, runs, typeOf, walk } from "./tree.ts";

/** `where`: `Contract.function`, or the contract alone. */
export type Finding = { rule: string; path: string; line: number; where: string; what: string };

/** A rule that examines one node and returns the finding as a sentence. */
type NodeRule = (node: Node, program: Program) => string | undefined;

const memberNamed = (node: Node, type: string, name: string): boolean =>
  node.nodeType === "MemberAccess" &&
  node.memberName === name &&
  node.expression.nodeType === "Identifier" &&
  node.expression.name === type;

const isBareCall = (node: Node, kind: string): boolean =>
  node.nodeType === "FunctionCall" &&
  new RegExp(`^t_function_${kind}`).test(calleeOf(node).typeDescriptions.typeIdentifier ?? "");

/** Packed encoding of several dynamic values does not show where each ends. */
const isDynamic = (type: string): boolean => /^(string|bytes)( |$)|\[\]/.test(type);

function isBoundedByStorage(condition: Expression, program: Program): boolean {
  return find("MemberAccess", condition).some(
    (node) => node.memberName === "length" && isStorage(program, node.expression),
  );
}

/** Public parts of a contract: functions, events, errors and public variables. */
const isPublic = (node: Node): boolean =>
  node.nodeType === "EventDefinition" ||
  node.nodeType === "ErrorDefinition" ||
  (node.nodeType === "FunctionDefinition" && node.kind === "function" && /external|public/.test(node.visibility)) ||
  (node.nodeType === "VariableDeclaration" && node.stateVariable && node.visibility === "public");

function noticeOf(node: Node): string | undefined {
  const documentation = "documentation" in node ? node.documentation : undefined;
  const text = typeof documentation === "string" ? documentation : (documentation?.text ?? "");
  return /@notice|@inheritdoc|^\s*[^@\s]/.exec(text)?.[0];
}

const nodeRules: Record<string, NodeRule> = {
  undocumented: (node) =>
    isPublic(node) && noticeOf(node) === undefined ? `${(node as { name: string }).name} has no @notice` : undefined,
  "tx-origin": (node) => (memberNamed(node, "tx", "origin") ? "tx.origin tells who signed, not who calls" : undefined),
  delegatecall: (node) =>
    isBareCall(node, "baredelegatecall|^t_function_barecallcode") ? "runs another's code on this storage" : undefined,
  selfdestruct: (node) =>
    node.nodeType === "Identifier" && /^(selfdestruct|suicide)$/.test(node.name) ? "ends the contract" : undefined,
  "timestamp-equality": (node) =>
    node.nodeType === "BinaryOperation" &&
    ["==", "!="].includes(node.operator) &&
    [node.leftExpression, node.rightExpression].some((side) => memberNamed(side, "block", "timestamp"))
      ? "no block need have exactly this time"
      : undefined,
  "block-randomness": (node) =>
    memberNamed(node, "block", "prevrandao") ||
    memberNamed(node, "block", "difficulty") ||
    (node.nodeType === "FunctionCall" &&
      node.expression.nodeType === "Identifier" &&
      node.expression.name === "blockhash")
      ? "who builds the block has a say in it"
      : undefined,
  "unchecked-return": (node) => {
    if (node.nodeType !== "ExpressionStatement" || node.expression.nodeType !== "FunctionCall") return undefined;
    const call = node.expression;
    const result = typeOf(call);
    const isIgnored = isExternalCall(call) && result !== "" && result !== "tuple()";
    return isIgnored ? `the ${result} that it returns is dropped` : undefined;
  },
  "packed-collision": (node) =>
    node.nodeType === "FunctionCall" &&
    memberNamed(node.expression, "abi", "encodePacked") &&
    node.arguments.filter((argument) => isDynamic(typeOf(argument))).length > 1
      ? "two dynamic values are packed without their lengths"
      : undefined,
  "bare-ecrecover": (node) =>
    node.nodeType === "Identifier" && node.name === "ecrecover"
      ? "takes malleable signatures and answers 0"
      : undefined,
  "unsafe-assembly": (node) =>
    node.nodeType === "InlineAssembly" && !node.flags?.includes("memory-safe")
      ? "does not say that it is memory-safe"
      : undefined,
  "locked-ether": (node) =>
    node.nodeType === "FunctionDefinition" && node.stateMutability === "payable" && node.kind !== "constructor"
      ? "takes Ether, and nothing here has a use for it"
      : undefined,
  "unbounded-loop": (node, program) => {
    if (node.nodeType !== "ForStatement" && node.nodeType !== "WhileStatement") return undefined;
    if (!node.condition) return "loops without a condition";
    if (isBoundedByStorage(node.condition, program)) return "goes as far as an array in storage is long";
    const isWalk = node.nodeType === "WhileStatement" && readsStorage(node.body, program);
    return isWalk ? "follows storage as far as it leads" : undefined;
  },
};

const readsStorage = (body: Node, program: Program): boolean =>
  find("IndexAccess", body).some((node) => isStorage(program, node));

/** Collect the functions of a contract by name, without its bases. */
function* placesOf(program: Program) {
  for (const { path, unit, lineOf } of program.units) {
    for (const contract of find("ContractDefinition", unit)) {
      for (const part of contract.nodes) {
        const isFunction = part.nodeType === "FunctionDefinition" || part.nodeType === "ModifierDefinition";
        const name = isFunction ? part.name || (part as FunctionDefinition).kind : undefined;
        yield { path, lineOf, part, where: name ? `${contract.name}.${name}` : contract.name };
      }
    }
  }
}

function nodeFindings(program: Program): Finding[] {
  const findings: Finding[] = [];
  for (const { path, lineOf, part, where } of placesOf(program)) {
    walk(part, (node) => {
      for (const [rule, look] of Object.entries(nodeRules)) {
        const what = look(node, program);
        if (what !== undefined) findings.push({ rule, path, line: lineOf(node), where, what });
      }
    });
  }
  return findings;
}

const changes = (program: Program) => (node: Node) =>
  (node.nodeType === "Assignment" && isStorage(program, node.leftHandSide)) ||
  (node.nodeType === "UnaryOperation" &&
    ["++", "--", "delete"].includes(node.operator) &&
    isStorage(program, node.subExpression)) ||
  (node.nodeType === "FunctionCall" && isExternalCall(node));

/** Check whether a function reads the caller, or verifies a signature. */
const asksWho = (node: Node): boolean =>
  memberNamed(node, "msg", "sender") ||
  (node.nodeType === "Identifier" && node.name === "_msgSender") ||
  (node.nodeType === "MemberAccess" && /^isValidSignatureNow|^tryRecover|^recover/.test(node.memberName));

/** Find entry points that change state without checking the caller. */
function openEntries(program: Program): Finding[] {
  return [...entryPoints(program)]
    .filter(({ entry }) => runs(program, entry, changes(program)) && !runs(program, entry, asksWho))
    .map(({ path, contract, entry, line }) => ({
      rule: "open-to-anyone",
      path,
      line,
      where: `${contract.name}.${entry.name}`,
      what: "changes the state and does not ask who calls",
    }));
}

function lateFindings(program: Program): Finding[] {
  return lateEffects(program).map(({ path, contract, entry, line, call }) => ({
    rule: "effect-after-call",
    path,
    line,
    where: `${contract}.${entry}`,
    what: `writes storage after ${call}, without a guard against re-entry`,
  }));
}

/** Collect all findings without duplicates, in the order of the files. */
export function analyse(program: Program): Finding[] {
  const all = [...nodeFindings(program), ...openEntries(program), ...lateFindings(program)];
  const unique = new Map(all.map((finding) => [JSON.stringify(finding), finding]));
  return [...unique.values()].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
}

export const ruleNames = [...Object.keys(nodeRules), "open-to-anyone", "effect-after-call"];
