// solc gives the typed syntax tree; npm has no library that follows calls in it.

import type {
  ContractDefinition,
  Expression,
  FunctionCall,
  FunctionDefinition,
  ModifierDefinition,
  SourceUnit,
} from "solidity-ast";
import type { Node } from "solidity-ast/node.js";
import { askCompiler, readTexts } from "../solc.ts";

/** The syntax trees of some contracts, with their types and references as the compiler resolved them. */
export type Program = {
  units: { path: string; unit: SourceUnit; lineOf: (node: { src: string }) => number }[];
  byId: ReadonlyMap<number, Node>;
};

/** Parse and resolve contracts without generating code. @throws the compiler's errors */
export function readProgram(paths: readonly string[]): Program {
  const texts = readTexts(paths);
  const { sources } = askCompiler<{ sources: Record<string, { ast: SourceUnit }> }>(texts, { "*": { "": ["ast"] } });
  const byId = new Map<number, Node>();
  for (const { ast } of Object.values(sources)) walk(ast, (node) => byId.set(node.id, node));
  const units = [...texts].map(([path, text]) => ({ path, unit: sources[path]!.ast, lineOf: lineReader(text) }));
  return { units, byId };
}

/** `src` counts bytes, not characters. */
function lineReader(text: string): (node: { src: string }) => number {
  const bytes = Buffer.from(text);
  return ({ src }) =>
    bytes
      .subarray(0, Number(src.split(":")[0]))
      .toString()
      .split("\n").length;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "nodeType" in value && "id" in value;

/** List the children of a node, in source order. */
export function childrenOf(node: object): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** Visit a node and its descendants, except those of nodes for which `visit` returns false. */
export function walk(node: Node, visit: (node: Node) => unknown): void {
  if (visit(node) === false) return;
  for (const child of childrenOf(node)) walk(child, visit);
}

/** List all nodes of a type at or below a node. */
export function find<T extends Node["nodeType"]>(type: T, root: Node): Extract<Node, { nodeType: T }>[] {
  const found: Extract<Node, { nodeType: T }>[] = [];
  walk(root, (node) => {
    if (node.nodeType === type) found.push(node as Extract<Node, { nodeType: T }>);
  });
  return found;
}

export const typeOf = (expression: Expression | null | undefined): string =>
  expression?.typeDescriptions.typeString ?? "";

/** Find the declaration that a name or member refers to. */
export function referenceOf(expression: Expression): number | undefined {
  if (expression.nodeType === "Identifier" || expression.nodeType === "MemberAccess")
    return expression.referencedDeclaration ?? undefined;
  return undefined;
}

/** The callee, without `{gas: …}`. */
export function calleeOf({ expression }: FunctionCall): Expression {
  return expression.nodeType === "FunctionCallOptions" ? expression.expression : expression;
}

/** Check whether a call leaves the contract: to a function of another contract (or of `this`), or by address. */
export function isExternalCall(call: FunctionCall): boolean {
  if (call.kind !== "functionCall") return false;
  const { typeIdentifier = "" } = calleeOf(call).typeDescriptions;
  return /^t_function_(external|bare|send|transfer)/.test(typeIdentifier ?? "");
}

/** Check whether a call cannot change any state. */
export const isStaticCall = (call: FunctionCall): boolean =>
  /_(view|pure)\$/.test(calleeOf(call).typeDescriptions.typeIdentifier ?? "") ||
  /^t_function_barestaticcall/.test(calleeOf(call).typeDescriptions.typeIdentifier ?? "");

/** Find the function or modifier that a call runs inside the contract. */
export function bodyOf(program: Program, call: FunctionCall): FunctionDefinition | undefined {
  if (call.kind !== "functionCall" || isExternalCall(call)) return undefined;
  const declared = program.byId.get(referenceOf(calleeOf(call)) ?? -1);
  return declared?.nodeType === "FunctionDefinition" && declared.body ? declared : undefined;
}

export function modifiersOf(program: Program, { modifiers }: FunctionDefinition): ModifierDefinition[] {
  return modifiers
    .map(({ modifierName }) => program.byId.get(modifierName.referencedDeclaration ?? -1))
    .filter((node): node is ModifierDefinition => node?.nodeType === "ModifierDefinition");
}

/** Check whether an assigned expression is in storage: a state variable, or the target of a storage pointer. */
export function isStorage(program: Program, target: Expression): boolean {
  if (target.nodeType === "Identifier") {
    const declared = program.byId.get(target.referencedDeclaration ?? -1);
    return declared?.nodeType === "VariableDeclaration" && declared.stateVariable;
  }
  if (target.nodeType === "TupleExpression")
    return target.components.some((part) => part !== null && part !== undefined && isStorage(program, part));
  if (target.nodeType === "IndexAccess") return reachesStorage(program, target.baseExpression);
  if (target.nodeType === "MemberAccess") return reachesStorage(program, target.expression);
  return false;
}

const reachesStorage = (program: Program, base: Expression): boolean =>
  /\bstorage\b/.test(typeOf(base)) || /^mapping\(/.test(typeOf(base)) || isStorage(program, base);

/** List every contract with its public functions, including those of its bases. */
export function* entryPoints(program: Program): Generator<{
  path: string;
  contract: ContractDefinition;
  entry: FunctionDefinition;
  line: number;
}> {
  for (const { path, unit, lineOf } of program.units) {
    for (const contract of find("ContractDefinition", unit)) {
      if (contract.contractKind !== "contract") continue;
      for (const entry of contract.nodes) {
        if (entry.nodeType !== "FunctionDefinition" || entry.kind === "constructor" || !entry.body) continue;
        const isOpen = entry.visibility === "external" || entry.visibility === "public";
        if (isOpen && entry.stateMutability !== "view" && entry.stateMutability !== "pure")
          yield { path, contract, entry, line: lineOf(entry) };
      }
    }
  }
}

/**
 * Check whether any node of a function, or of a function that it runs inside the contract, satisfies a test; events do not count.
 */
export function runs(program: Program, entry: FunctionDefinition, test: (node: Node) => boolean): boolean {
  const seen = new Set<number>();
  const visit = (body: Node): boolean => {
    if (seen.has(body.id)) return false;
    seen.add(body.id);
    let isFound = false;
    walk(body, (node) => {
      if (isFound || node.nodeType === "EmitStatement") return false;
      if (test(node)) isFound = true;
      else if (node.nodeType === "FunctionCall") {
        const called = bodyOf(program, node);
        if (called) isFound = visit(called);
      }
      return true;
    });
    return isFound;
  };
  return [entry, ...modifiersOf(program, entry)].some(visit);
}
