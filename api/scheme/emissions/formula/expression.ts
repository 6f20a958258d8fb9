import { type Expression as Node, parseExpressionAt } from "acorn";
import { type Decimal, decimal, sumOf } from "../decimal.ts";

/** Values that a formula may use: single figures, and lists that only `sum` may take. */
export type Scope = {
  readonly value: (symbol: string) => Decimal;
  readonly list: (symbol: string) => readonly Decimal[];
};

/** A parsed formula. Symbols are listed in the order of their first use. */
export type Expression = {
  readonly text: string;
  /** Symbols that stand for one figure. */
  readonly symbols: readonly string[];
  /** Symbols that stand for a list, as the argument of `sum`. */
  readonly lists: readonly string[];
  readonly evaluate: (scope: Scope) => Decimal;
};

/** A formula divides by 0. */
export class DivisionByZero extends RangeError {}

type Context = { symbols: Set<string>; lists: Set<string> };
type Evaluator = (scope: Scope) => Decimal;
type Condition = (scope: Scope) => boolean;

/**
 * Parse a formula such as `max(min(BAU * (1 - DAF), BAU), 0)`. It may contain numbers, symbols, + - * /, brackets, comparisons
 * with `? :`, and the functions min, max and sum. Numbers keep every digit of their text.
 * @throws SyntaxError for anything else
 */
export function parseExpression(text: string): Expression {
  const node = parseExpressionAt(text, 0, { ecmaVersion: 2022 });
  if (text.slice(node.end).trim() !== "") throw new SyntaxError(`"${text}" is more than one expression.`);
  const context: Context = { symbols: new Set(), lists: new Set() };
  const evaluate = compile(node, context);
  return { text, symbols: [...context.symbols], lists: [...context.lists], evaluate };
}

function compile(node: Node, context: Context): Evaluator {
  switch (node.type) {
    case "Literal": {
      if (typeof node.value !== "number" || node.raw === undefined) throw unsupported(node.type);
      const number = decimal(node.raw);
      return () => number;
    }
    case "Identifier": {
      const { name } = node;
      context.symbols.add(name);
      return (scope) => scope.value(name);
    }
    case "ParenthesizedExpression":
      return compile(node.expression, context);
    case "UnaryExpression": {
      if (node.operator !== "-") throw unsupported(node.operator);
      const operand = compile(node.argument, context);
      return (scope) => operand(scope).neg();
    }
    case "BinaryExpression":
      return compileArithmetic(node, context);
    case "ConditionalExpression": {
      const condition = compileCondition(node.test, context);
      const [yes, no] = [compile(node.consequent, context), compile(node.alternate, context)];
      return (scope) => (condition(scope) ? yes(scope) : no(scope));
    }
    case "CallExpression":
      return compileCall(node, context);
    default:
      throw unsupported(node.type);
  }
}

function compileArithmetic(node: Extract<Node, { type: "BinaryExpression" }>, context: Context): Evaluator {
  if (node.left.type === "PrivateIdentifier") throw unsupported(node.left.type);
  const [left, right] = [compile(node.left, context), compile(node.right, context)];
  switch (node.operator) {
    case "+":
      return (scope) => left(scope).plus(right(scope));
    case "-":
      return (scope) => left(scope).minus(right(scope));
    case "*":
      return (scope) => left(scope).times(right(scope));
    case "/":
      return (scope) => quotient(left(scope), right(scope));
    default:
      throw unsupported(node.operator);
  }
}

function quotient(a: Decimal, b: Decimal): Decimal {
  if (b.isZero()) throw new DivisionByZero("A formula divides by 0.");
  return a.div(b);
}

function compileCondition(node: Node, context: Context): Condition {
  if (node.type !== "BinaryExpression" || node.left.type === "PrivateIdentifier") throw unsupported(node.type);
  const [left, right] = [compile(node.left, context), compile(node.right, context)];
  switch (node.operator) {
    case "<":
      return (scope) => left(scope).lt(right(scope));
    case "<=":
      return (scope) => left(scope).lte(right(scope));
    case ">":
      return (scope) => left(scope).gt(right(scope));
    case ">=":
      return (scope) => left(scope).gte(right(scope));
    default:
      throw unsupported(node.operator);
  }
}

function compileCall(node: Extract<Node, { type: "CallExpression" }>, context: Context): Evaluator {
  if (node.callee.type !== "Identifier") throw unsupported(node.callee.type);
  const { name } = node.callee;
  if (name === "sum") {
    const [list] = node.arguments;
    if (node.arguments.length !== 1 || list?.type !== "Identifier") throw new SyntaxError("sum takes one list.");
    context.lists.add(list.name);
    return (scope) => sumOf(scope.list(list.name));
  }
  if ((name !== "min" && name !== "max") || node.arguments.length !== 2) throw unsupported(`${name}()`);
  const [first, second] = node.arguments.map((argument) => {
    if (argument.type === "SpreadElement") throw unsupported(argument.type);
    return compile(argument, context);
  }) as [Evaluator, Evaluator];
  return (scope) => {
    const [a, b] = [first(scope), second(scope)];
    const isFirst = name === "min" ? a.lte(b) : a.gte(b);
    return isFirst ? a : b;
  };
}

function unsupported(what: string): SyntaxError {
  return new SyntaxError(`A formula may not contain ${what}.`);
}
