import { hasSqlDetails, loadModule, parseSync, scanSync } from "libpg-query";
import {
  expressionKinds,
  functions,
  longestPadding,
  longestText,
  mostFolds,
  mostGathers,
  mostTokens,
  nodeKinds,
  operators,
  rowFunctions,
  systemColumns,
  timeWords,
  types,
} from "./grammar.ts";

export type Violation = { rule: string; message: string };

/** Names of the public tables and views, and of all their columns. */
export type PublicNames = { tables: ReadonlySet<string>; columns: ReadonlySet<string> };

type Tree = Record<string, unknown>;
/** Facts about a statement, collected in one walk; `violations` lists the broken rules. */
type Walk = {
  names: PublicNames;
  /** Names of the WITH queries that are visible at the current node. */
  ctes: Set<string>;
  /** Names that the statement gives to columns. */
  given: Set<string>;
  /** Names under which it reads tables and selects. */
  sources: Set<string>;
  columns: string[][];
  parameters: number;
  /** Highest number of a parameter that it reads. */
  highest: number;
  folds: number;
  gathers: number;
  violations: Map<string, Violation>;
};

await loadModule();

/**
 * Parse a statement with PostgreSQL's parser, and compare its tree with the allowed parts.
 * @param parameters how many values come with it
 * @returns Every rule that it violates; nothing when it is one SELECT over the public tables alone.
 */
export function checkStatement(text: string, parameters: number, names: PublicNames): Violation[] {
  const parsed = parse(text);
  if ("violation" in parsed) return [parsed.violation];
  const { statement } = parsed;
  const walk: Walk = {
    names,
    ctes: new Set(),
    given: new Set(),
    sources: new Set(),
    columns: [],
    parameters,
    highest: 0,
    folds: 1,
    gathers: 0,
    violations: new Map(),
  };
  const [kind, ...others] = Object.keys(statement);
  if (kind !== "SelectStmt" || others.length > 0) return [{ rule: "select", message: "Only SELECT is allowed." }];
  visitNodes(statement, walk);
  judgeNames(walk);
  judgeSize(walk);
  judgeParameters(walk);
  return [...walk.violations.values()];
}

function parse(text: string): { statement: Tree } | { violation: Violation } {
  const refuse = (rule: string, message: string) => ({ violation: { rule, message } });
  if (text.length > longestText) return refuse("length", `The statement is longer than ${longestText} characters.`);
  // The parser and the database stop at a NUL character and would ignore the rest.
  if (text.includes("\0") || !text.isWellFormed()) return refuse("text", "The statement is not well-formed text.");
  try {
    if (scanSync(text).tokens.length > mostTokens) {
      return refuse("length", `The statement has more than ${mostTokens} tokens.`);
    }
    const statements = (parseSync(text).stmts ?? []) as { stmt?: Tree }[];
    const [first] = statements;
    if (statements.length !== 1 || first?.stmt === undefined) return refuse("one", "Send exactly one statement.");
    return { statement: first.stmt };
  } catch (error) {
    const why = hasSqlDetails(error) ? error.message : "it cannot be read";
    return refuse("syntax", `The statement is not valid PostgreSQL: ${why}.`);
  }
}

function violate(walk: Walk, rule: string, message: string): void {
  walk.violations.set(message, { rule, message });
}

/** A node as `{Kind: fields}`, or a list of them. */
function visitNodes(value: unknown, walk: Walk): void {
  if (Array.isArray(value)) {
    for (const each of value) visitNodes(each, walk);
    return;
  }
  for (const [kind, fields] of Object.entries(value as Tree)) visit(kind, fields as Tree, walk);
}

/** Messages for the most common cases; others get the name in PostgreSQL's parse tree. */
const partsInWords: Record<string, string> = {
  "RangeVar.schemaname": "Name tables without a schema.",
  "WithClause.recursive": "WITH RECURSIVE is not allowed.",
  "SelectStmt.intoClause": "SELECT INTO is not allowed.",
  "SelectStmt.lockingClause": "FOR UPDATE and FOR SHARE are not allowed.",
};

const partRefused = (part: string) => partsInWords[part] ?? `This part of PostgreSQL's syntax is not allowed: ${part}.`;

function visit(kind: string, fields: Tree, walk: Walk): void {
  const allowed = nodeKinds[kind];
  if (allowed === undefined) {
    violate(walk, "syntax-kind", `This part of PostgreSQL's syntax is not allowed here: ${kind}.`);
    return;
  }
  judgements[kind]?.(fields, walk);
  const { ctes } = walk;
  if (kind === "SelectStmt") walk.ctes = new Set(ctes);
  // A WITH query is visible to later ones, and not outside of its statement.
  for (const [name, value] of Object.entries(fields).sort(([a], [b]) => order(a) - order(b))) {
    const field = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (field === undefined) violate(walk, "syntax-kind", partRefused(`${kind}.${name}`));
    else if (field === "nodes") visitNodes(value, walk);
    else if (field !== "plain") visit(field, value as Tree, walk);
  }
  if (kind === "SelectStmt") walk.ctes = ctes;
  if (kind === "CommonTableExpr") walk.ctes.add(String(fields.ctename));
}

const order = (name: string): number => (name === "withClause" ? 0 : 1);

/** The names in a list of String nodes; undefined for any other node. */
const namesOf = (list: unknown): (string | undefined)[] =>
  ((list ?? []) as { String?: { sval?: string } }[]).map((node) => node.String?.sval);

/** A name as PostgreSQL's own grammar writes it, or as people do: never in another schema. */
function plainName(list: unknown): string | undefined {
  const names = namesOf(list);
  return names.length === 2 && names[0] === "pg_catalog" ? names[1] : names.length === 1 ? names[0] : undefined;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function giveNames(list: unknown, walk: Walk): void {
  for (const name of namesOf(list)) if (name !== undefined) walk.given.add(name);
}

function fold(values: unknown, walk: Walk): void {
  walk.folds *= Math.max(1, listOf(values).length);
  for (const each of listOf(values)) refuseStar(each, walk);
}

function refuseStar(node: unknown, walk: Walk): void {
  const fields = (node as { ColumnRef?: { fields?: Tree[] } }).ColumnRef?.fields ?? [];
  if (fields.some((field) => "A_Star" in field)) violate(walk, "star", "* * is only allowed as a whole column.");
}

const judgements: Record<string, (fields: Tree, walk: Walk) => void> = {
  CommonTableExpr: ({ aliascolnames }, walk) => giveNames(aliascolnames, walk),
  ResTarget: ({ name }, walk) => {
    if (name !== undefined) walk.given.add(String(name));
  },
  RangeVar: ({ relname, alias }, walk) => {
    const name = String(relname);
    if (!walk.ctes.has(name) && !walk.names.tables.has(name)) {
      violate(walk, "table", `There is no public table ${name}; GET /sql/tables lists all.`);
    }
    if (alias === undefined) walk.sources.add(name);
  },
  Alias: ({ aliasname, colnames }, walk) => {
    walk.sources.add(String(aliasname));
    giveNames(colnames, walk);
  },
  ColumnRef: ({ fields }, walk) => {
    walk.columns.push(namesOf(fields).map((name) => name ?? "*"));
  },
  ParamRef: ({ number }, walk) => {
    const given = typeof number === "number" && number >= 1 && number <= walk.parameters;
    if (!given) violate(walk, "parameter", `The parameter $${number ?? 0} has no value.`);
    else walk.highest = Math.max(walk.highest, number);
  },
  A_Expr: ({ kind, name, lexpr, rexpr }, walk) => {
    const operator = namesOf(name).length === 1 ? namesOf(name)[0]?.replaceAll(" ", "_") : undefined;
    if (!expressionKinds.has(String(kind)) || operator === undefined || !operators.has(operator)) {
      violate(walk, "operator", `The operator ${namesOf(name).join(".")} is not allowed.`);
    }
    for (const side of [lexpr, rexpr]) if (side !== undefined && !Array.isArray(side)) refuseStar(side, walk);
  },
  A_ArrayExpr: ({ elements }, walk) => fold(elements, walk),
  RowExpr: ({ args }, walk) => fold(args, walk),
  SubLink: ({ operName }, walk) => {
    const [operator] = operName === undefined ? ["="] : namesOf(operName);
    if (namesOf(operName).length > 1 || operator === undefined || !operators.has(operator)) {
      violate(walk, "operator", `The operator ${namesOf(operName).join(".")} is not allowed.`);
    }
  },
  TypeName: ({ names, typmods }, walk) => {
    const name = plainName(names);
    if (name === undefined || !types.has(name))
      violate(walk, "type", `The type ${namesOf(names).join(".")} is not allowed.`);
    for (const node of listOf(typmods)) {
      const value = (node as { A_Const?: { ival?: { ival?: number } } }).A_Const?.ival;
      if (value === undefined || (value.ival ?? 0) > longestPadding) {
        violate(walk, "type", `A type may be at most ${longestPadding} long.`);
      }
    }
  },
  FuncCall: ({ funcname, args }, walk) => {
    const name = plainName(funcname);
    if (name === undefined || !functions.has(name)) {
      violate(walk, "function", `The function ${namesOf(funcname).join(".")} is not allowed.`);
    }
    if (name === "json_build_array") fold(args, walk);
    if (name === "json_agg") walk.gathers += 1;
    for (const each of listOf(args)) refuseStar(each, walk);
  },
  SQLValueFunction: ({ op }, walk) => {
    if (!timeWords.has(String(op))) violate(walk, "function", "Of these keywords only those for the time are allowed.");
  },
};

function judgeNames(walk: Walk): void {
  const { names, given, sources, columns } = walk;
  for (const name of given) {
    if (rowFunctions.has(name)) violate(walk, "name", `A column cannot be called ${name}.`);
  }
  const isColumn = (name: string) =>
    name === "*" || names.columns.has(name) || given.has(name) || functions.has(name) || unnamed.has(name);
  for (const path of columns) {
    const last = path.at(-1) as string;
    if (path.length > 2) violate(walk, "name", `${path.join(".")} has more than two parts.`);
    if (systemColumns.has(last)) violate(walk, "name", `The column ${last} is not public.`);
    if (path.length === 1 && sources.has(last)) {
      violate(walk, "name", `${last} is a whole row here: name a column, like ${last}.column.`);
    } else if (!isColumn(last)) violate(walk, "name", `There is no column ${path.join(".")}.`);
  }
}

/** What PostgreSQL calls a column that has no name. */
const unnamed = new Set([
  "case",
  "coalesce",
  "array",
  "exists",
  "row",
  "bool",
  "int4",
  "int8",
  "numeric",
  "text",
  "trim",
]);
for (let i = 1; i <= 20; i += 1) unnamed.add(`column${i}`);

function judgeParameters(walk: Walk): void {
  const { parameters, highest, violations } = walk;
  // PostgreSQL reports too many values as a protocol error, not as an error of the statement.
  if (violations.size > 0 || parameters <= highest) return;
  violate(walk, "parameter", `${parameters} values came with a statement that reads ${highest}.`);
}

function judgeSize(walk: Walk): void {
  if (walk.folds > mostFolds) violate(walk, "size", "The statement builds too many values into arrays or JSON.");
  if (walk.gathers > mostGathers) violate(walk, "size", `json_agg is allowed at most ${mostGathers} times.`);
}
