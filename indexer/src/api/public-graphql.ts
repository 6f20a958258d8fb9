import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";

/**
 * Limits of an anonymous GraphQL query. Each list is a separate SQL query, a list within a list one for each row of the outer,
 * and an unlimited number of either would block the database for everyone else. So both are counted first.
 */
const most = { lists: 150, rows: 10_000, rootLists: 10, selections: 20_000, typeLists: 30 };
/** Default limit of a list. */
const standardRows = 50;

export type Question = { query: string; variables?: Record<string, unknown>; operationName?: string };
/** `typeLists`: lists of introspection, which need no database and have no time limit. */
type Cost = { lists: number; rows: number; rootLists: number; selections: number; typeLists: number };
type Walk = {
  schema: GraphQLSchema;
  fragments: Map<string, FragmentDefinitionNode>;
  variables: Record<string, unknown>;
  open: string[];
  /** True below a list of what a type has, such as its fields. */
  isInType: boolean;
  cost: Cost;
};

/** Parse a query as a client posts it; undefined if it is malformed. */
export function questionOf(text: string): Question | undefined {
  try {
    const body = JSON.parse(text) as { query?: unknown; variables?: unknown; operationName?: unknown };
    if (typeof body.query !== "string") return undefined;
    return {
      query: body.query,
      ...(body.variables === null || typeof body.variables !== "object"
        ? {}
        : { variables: body.variables as Record<string, unknown> }),
      ...(typeof body.operationName === "string" ? { operationName: body.operationName } : {}),
    };
  } catch {
    return undefined;
  }
}

/** Explain why a query is too large; undefined if it is allowed. The executor refuses malformed GraphQL. */
export function whyTooLarge({ query, variables = {} }: Question, schema: GraphQLSchema): string | undefined {
  const document = parsed(query);
  if (document === undefined) return undefined;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  }
  for (const each of document.definitions) {
    if (each.kind !== Kind.OPERATION_DEFINITION) continue;
    const cost = { lists: 0, rows: 0, rootLists: 0, selections: 0, typeLists: 0 };
    const values = { ...defaultsOf(each), ...variables };
    const walk = { schema, fragments, variables: values, open: [], isInType: false, cost };
    const why = count(each.selectionSet, schema.getRootType(each.operation) ?? undefined, 1, walk) ?? whyOver(cost);
    if (why !== undefined) return why;
  }
  return undefined;
}

function parsed(query: string) {
  try {
    return parse(query, { maxTokens: 1_000 });
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

function whyOver({ lists, rows, rootLists }: Cost): string | undefined {
  if (rootLists > most.rootLists) return `More than ${most.rootLists} lists are requested together.`;
  if (lists > most.lists) return `The query needs more than ${most.lists} lists: give the outer ones a smaller limit.`;
  return rows > most.rows
    ? `The query could return more than ${most.rows} rows: give its lists a smaller limit.`
    : undefined;
}

function defaultsOf(operation: OperationDefinitionNode): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue?.kind === Kind.INT) defaults[variable.name.value] = Number(defaultValue.value);
  }
  return defaults;
}

type Type = GraphQLNamedType | undefined;

/** Add the cost of a selection, `times` over. Ends early when it is too much, so that counting itself stays cheap. */
function count(selections: SelectionSetNode, type: Type, times: number, walk: Walk): string | undefined {
  for (const each of selections.selections) {
    walk.cost.selections += 1;
    if (walk.cost.selections > most.selections) return "The query's fragments unfold to too many fields.";
    const why =
      each.kind === Kind.FIELD
        ? countField(each, type, times, walk)
        : each.kind === Kind.INLINE_FRAGMENT
          ? count(each.selectionSet, named(each.typeCondition?.name.value, walk) ?? type, times, walk)
          : countFragment(each.name.value, times, walk);
    if (why !== undefined) return why;
  }
  return undefined;
}

const named = (name: string | undefined, { schema }: Walk): Type =>
  name === undefined ? undefined : schema.getType(name);

type AnyField = GraphQLField<unknown, unknown>;

/** Every root type has these implicitly. */
const metaFields: ReadonlyMap<string, AnyField> = new Map([
  ["__schema", SchemaMetaFieldDef],
  ["__type", TypeMetaFieldDef],
]);

const fieldOf = (type: Type, name: string): AnyField | undefined =>
  isObjectType(type) ? (type.getFields()[name] ?? metaFields.get(name)) : undefined;

function countFragment(name: string, times: number, walk: Walk): string | undefined {
  const fragment = walk.fragments.get(name);
  // The executor refuses cycles.
  if (fragment === undefined || walk.open.includes(name)) return undefined;
  const type = named(fragment.typeCondition.name.value, walk);
  return count(fragment.selectionSet, type, times, { ...walk, open: [...walk.open, name] });
}

/** Check by its type whether a field returns a page of a list. */
function isList(type: Type): boolean {
  return isObjectType(type) && "items" in type.getFields() && "pageInfo" in type.getFields();
}

function countField(field: FieldNode, parent: Type, times: number, walk: Walk): string | undefined {
  const definition = fieldOf(parent, field.name.value);
  // The executor refuses fields that the schema lacks before it runs anything.
  if (field.selectionSet === undefined || definition === undefined) return undefined;
  const type = getNamedType(definition.type);
  if (parent !== undefined && isIntrospectionType(parent) && isListType(getNullableType(definition.type))) {
    return countTypeList(field.selectionSet, { parent, type }, times, walk);
  }
  // One row by its key; `items` passes its list's rows through.
  if (!isList(type)) return count(field.selectionSet, type, times, walk);
  const { cost } = walk;
  const rows = limitOf(field, walk);
  if (times === 1) cost.rootLists += 1;
  cost.lists += times;
  cost.rows += times * rows;
  return whyOver(cost) ?? count(field.selectionSet, type, times * Math.max(rows, 1), walk);
}

/** A type's fields have types, which have fields, and so on: each step down and each alias multiplies the answer. */
function countTypeList(
  selections: SelectionSetNode,
  { parent, type }: { parent: GraphQLNamedType; type: Type },
  times: number,
  walk: Walk,
): string | undefined {
  const isOfType = parent.name === "__Type";
  if (isOfType && walk.isInType) return "The fields of a field's type are requested: request them by __type(name).";
  walk.cost.typeLists += 1;
  if (walk.cost.typeLists > most.typeLists) return `More than ${most.typeLists} lists of types are requested together.`;
  return count(selections, type, times, { ...walk, isInType: walk.isInType || isOfType });
}

function limitOf(field: FieldNode, { variables }: Walk): number {
  const given = field.arguments?.find(({ name }) => name.value === "limit")?.value;
  const value =
    given?.kind === Kind.INT
      ? Number(given.value)
      : given?.kind === Kind.VARIABLE
        ? Number(variables[given.name.value] ?? standardRows)
        : standardRows;
  return Number.isFinite(value) && value >= 0 ? value : most.rows + 1;
}
