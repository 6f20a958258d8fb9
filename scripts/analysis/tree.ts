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

/** Parse and resolve contracts; no code is made. @throws what the compiler says when it refuses them */
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

/** The nodes right below one, in the order of the source. */
export function childrenOf(node: object): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** Visit a node and all below it, but for what is below one that `visit` answers false to. */
export function walk(node: Node, visit: (node: Node) => unknown): void {
  if (visit(node) === false) return;
  for (const child of childrenOf(node)) walk(child, visit);
}

/** All nodes of a type at or below one. */
export function find<T extends Node["nodeType"]>(type: T, root: Node): Extract<Node, { nodeType: T }>[] {
  const found: Extract<Node, { nodeType: T }>[] = [];
  walk(root, (node) => {
    if (node.nodeType === type) found.push(node as Extract<Node, { nodeType: T }>);
  });
  return found;
}

export const typeOf = (expression: Expression | null | undefined): string =>
  expression?.typeDescriptions.typeString ?? "";

/** What a name or member refers to. */
export function referenceOf(expression: Expression): number | undefined {
  if (expression.nodeType === "Identifier" || expression.nodeType === "MemberAccess")
    return expression.referencedDeclaration ?? undefined;
  return undefined;
}

/** The callee, without `{gas: …}`. */
export function calleeOf({ expression }: FunctionCall): Expression {
  return expression.nodeType === "FunctionCallOptions" ? expression.expression : expression;
}

/** A call that leaves the contract: to a function of another (or of `this`), or by address. */
export function isExternalCall(call: FunctionCall): boolean {
  if (call.kind !== "functionCall") return false;
  const { typeIdentifier = "" } = calleeOf(call).typeDescriptions;
  return /^t_function_(external|bare|send|transfer)/.test(typeIdentifier ?? "");
}

/** A call that can change no state, of whomever. */
export const isStaticCall = (call: FunctionCall): boolean =>
  /_(view|pure)\$/.test(calleeOf(call).typeDescriptions.typeIdentifier ?? "") ||
  /^t_function_barestaticcall/.test(calleeOf(call).typeDescriptions.typeIdentifier ?? "");

/** The function or modifier of this program's own that a call runs inside the contract. */
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

/** Whether an assigned expression lies in storage: a state variable, or what a storage pointer leads to. */
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

/** Every contract with its functions that anyone may call, those of its bases among them. */
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

/** Whether any node of a function, or of what it runs inside the contract, satisfies a test; events do not count. */
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
