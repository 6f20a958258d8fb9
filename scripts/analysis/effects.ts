// Order of calls and writes along internal calls across contracts, which solhint's reentrancy rule does not follow.

import type { FunctionCall, FunctionDefinition } from "solidity-ast";
import type { Node } from "solidity-ast/node.js";
import {
  bodyOf,
  calleeOf,
  childrenOf,
  entryPoints,
  isExternalCall,
  isStaticCall,
  isStorage,
  modifiersOf,
  type Program,
  typeOf,
} from "./tree.ts";

/** A write to storage that follows a call to another contract on some path through an entry point. */
export type LateEffect = { contract: string; entry: string; call: string; write: Node };

/** The first call that may have run, if any; `undefined` on a path that has ended. */
type Path = { call: string | undefined; isOver: boolean };

class Tracer {
  readonly found: LateEffect[] = [];
  readonly #stack: number[] = [];
  /** The state after the current function's returns. */
  #exits: Path[] = [];
  readonly #program: Program;
  readonly #names: { contract: string; entry: string };

  constructor(program: Program, names: { contract: string; entry: string }) {
    this.#program = program;
    this.#names = names;
  }

  /** Follow a node from a path to the path after it. */
  follow(node: Node, path: Path): Path {
    if (path.isOver) return path;
    switch (node.nodeType) {
      case "IfStatement":
      case "Conditional":
        return this.#branch(node, path);
      case "ForStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        // Visited twice, because calls of one iteration precede writes of the next.
        return this.#all(node, this.#all(node, path));
      case "TryStatement": {
        const after = this.follow(node.externalCall, path);
        return join(node.clauses.map((clause) => this.#all(clause, after)));
      }
      case "Return":
        this.#exits.push(this.#all(node, path));
        return { ...path, isOver: true };
      case "RevertStatement":
        return { ...path, isOver: true };
      case "Assignment":
        return this.#write(
          node,
          node.leftHandSide,
          this.follow(node.leftHandSide, this.follow(node.rightHandSide, path)),
        );
      case "UnaryOperation": {
        const changes = ["++", "--", "delete"].includes(node.operator);
        return changes ? this.#write(node, node.subExpression, this.#all(node, path)) : this.#all(node, path);
      }
      case "FunctionCall":
        return this.#call(node, path);
      default:
        return this.#all(node, path);
    }
  }

  #all(node: object, path: Path): Path {
    return childrenOf(node).reduce((before, child) => this.follow(child, before), path);
  }

  #branch(node: Extract<Node, { nodeType: "IfStatement" | "Conditional" }>, path: Path): Path {
    const before = this.follow(node.condition, path);
    const yes = node.nodeType === "IfStatement" ? node.trueBody : node.trueExpression;
    const no = node.nodeType === "IfStatement" ? node.falseBody : node.falseExpression;
    return join([this.follow(yes, before), no ? this.follow(no, before) : before]);
  }

  #write(node: Node, target: Parameters<typeof isStorage>[1], path: Path): Path {
    if (path.call !== undefined && isStorage(this.#program, target))
      this.found.push({ ...this.#names, call: path.call, write: node });
    return path;
  }

  #call(call: FunctionCall, path: Path): Path {
    const before = this.#all(call, path);
    if (isExternalCall(call)) return isStaticCall(call) ? before : { ...before, call: before.call ?? nameOf(call) };
    const callee = calleeOf(call);
    if (callee.nodeType === "MemberAccess" && ["push", "pop"].includes(callee.memberName))
      return this.#write(call, callee.expression, before);
    const body = bodyOf(this.#program, call);
    if (body === undefined || this.#stack.includes(body.id)) return before;
    const outer = this.#exits;
    this.#exits = [];
    this.#stack.push(body.id);
    const end = this.follow(body, before);
    const after = join([...this.#exits, end]);
    this.#stack.pop();
    this.#exits = outer;
    return after;
  }
}

const join = (paths: readonly Path[]): Path => {
  const alive = paths.filter(({ isOver }) => !isOver);
  return alive.length === 0
    ? { call: undefined, isOver: true }
    : { call: alive.find(({ call }) => call !== undefined)?.call, isOver: false };
};

/** `Type.function`, as the callee's own type names it. */
function nameOf(call: FunctionCall): string {
  const callee = calleeOf(call);
  if (callee.nodeType !== "MemberAccess") return "a function value";
  return `${typeOf(callee.expression).replace(/^contract /, "")}.${callee.memberName}`;
}

const isGuarded = (program: Program, entry: FunctionDefinition): boolean =>
  modifiersOf(program, entry).some(({ name }) => /^(nonReentrant|onlySelf)$/.test(name));

/** Find writes after calls in entry points without a guard against re-entry. */
export function lateEffects(program: Program): (LateEffect & { path: string; line: number })[] {
  return [...entryPoints(program)].flatMap(({ path, contract, entry, line }) => {
    if (isGuarded(program, entry)) return [];
    const tracer = new Tracer(program, { contract: contract.name, entry: entry.name });
    tracer.follow(entry, { call: undefined, isOver: false });
    return tracer.found.map((effect) => ({ ...effect, path, line }));
  });
}
