/**
 * The allowed parts of an anonymous statement, as nodes of PostgreSQL's parse tree. Everything that is not named here is refused:
 * every kind of node, every field of it, every function, operator and type.
 */

/** The content of a field: a plain value, nodes of any kind named here, or one node of the given kind. */
type Field = "plain" | "nodes" | (string & {});

const located = { location: "plain" } as const;

export const nodeKinds: Record<string, Record<string, Field>> = {
  SelectStmt: {
    distinctClause: "nodes",
    targetList: "nodes",
    fromClause: "nodes",
    whereClause: "nodes",
    groupClause: "nodes",
    havingClause: "nodes",
    windowClause: "nodes",
    valuesLists: "nodes",
    sortClause: "nodes",
    limitOffset: "nodes",
    limitCount: "nodes",
    limitOption: "plain",
    withClause: "WithClause",
    op: "plain",
    all: "plain",
    larg: "SelectStmt",
    rarg: "SelectStmt",
  },
  WithClause: { ctes: "nodes", ...located },
  CommonTableExpr: {
    ctename: "plain",
    aliascolnames: "nodes",
    ctematerialized: "plain",
    ctequery: "nodes",
    ...located,
  },
  ResTarget: { name: "plain", val: "nodes", ...located },
  RangeVar: { relname: "plain", inh: "plain", relpersistence: "plain", alias: "Alias", ...located },
  RangeSubselect: { lateral: "plain", subquery: "nodes", alias: "Alias" },
  JoinExpr: {
    jointype: "plain",
    isNatural: "plain",
    larg: "nodes",
    rarg: "nodes",
    usingClause: "nodes",
    quals: "nodes",
    alias: "Alias",
  },
  Alias: { aliasname: "plain", colnames: "nodes" },
  ColumnRef: { fields: "nodes", ...located },
  A_Star: {},
  A_Const: { ival: "plain", fval: "plain", sval: "plain", boolval: "plain", isnull: "plain", ...located },
  ParamRef: { number: "plain", ...located },
  String: { sval: "plain" },
  List: { items: "nodes" },
  A_Expr: {
    kind: "plain",
    name: "nodes",
    lexpr: "nodes",
    rexpr: "nodes",
    ...located,
    rexpr_list_start: "plain",
    rexpr_list_end: "plain",
  },
  BoolExpr: { boolop: "plain", args: "nodes", ...located },
  NullTest: { arg: "nodes", nulltesttype: "plain", ...located },
  BooleanTest: { arg: "nodes", booltesttype: "plain", ...located },
  CaseExpr: { arg: "nodes", args: "nodes", defresult: "nodes", ...located },
  CaseWhen: { expr: "nodes", result: "nodes", ...located },
  CoalesceExpr: { args: "nodes", ...located },
  A_ArrayExpr: { elements: "nodes", list_start: "plain", list_end: "plain", ...located },
  RowExpr: { args: "nodes", row_format: "plain", ...located },
  SubLink: { subLinkType: "plain", testexpr: "nodes", operName: "nodes", subselect: "nodes", ...located },
  TypeCast: { arg: "nodes", typeName: "TypeName", ...located },
  TypeName: { names: "nodes", typmods: "nodes", typemod: "plain", arrayBounds: "nodes", ...located },
  Integer: { ival: "plain" },
  FuncCall: {
    funcname: "nodes",
    args: "nodes",
    agg_order: "nodes",
    agg_filter: "nodes",
    agg_star: "plain",
    agg_distinct: "plain",
    over: "WindowDef",
    funcformat: "plain",
    ...located,
  },
  WindowDef: {
    name: "plain",
    refname: "plain",
    partitionClause: "nodes",
    orderClause: "nodes",
    frameOptions: "plain",
    startOffset: "nodes",
    endOffset: "nodes",
    ...located,
  },
  SortBy: { node: "nodes", sortby_dir: "plain", sortby_nulls: "plain", ...located },
  SQLValueFunction: { op: "plain", typmod: "plain", ...located },
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/**
 * None of them creates large results from small input, writes, waits or reads other data. `trim` is btrim, ltrim or rtrim in the
 * tree.
 */
export const functions = words(
  "count sum avg min max lower upper length btrim ltrim rtrim substring now json_agg json_build_array row_number rank " +
    "dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value abs ceil ceiling div floor mod " +
    "round sign",
);
export const operators = words("= <> != < > <= >= + - * / % ~~ !~~ ~~* !~~* -> ->> BETWEEN NOT_BETWEEN");
export const expressionKinds = words(
  "AEXPR_OP AEXPR_OP_ANY AEXPR_OP_ALL AEXPR_DISTINCT AEXPR_NOT_DISTINCT AEXPR_IN AEXPR_LIKE AEXPR_ILIKE AEXPR_BETWEEN " +
    "AEXPR_NOT_BETWEEN",
);
export const types = words(
  "int2 int4 int8 numeric float4 float8 bool text varchar bpchar date timestamp timestamptz interval json jsonb",
);
export const timeWords = words("SVFOP_CURRENT_DATE SVFOP_CURRENT_TIMESTAMP SVFOP_LOCALTIMESTAMP");
/** System columns of every row. */
export const systemColumns = words("ctid xmin xmax cmin cmax tableoid");

/**
 * PostgreSQL takes `row.name` for `name(row)` where the row has no such column. So no column may have the name of
 * a function that accepts any row, because a statement could call it in this way.
 */
export const rowFunctions = words(
  "any_out any_value anycompatible_out anycompatiblenonarray_out anyelement_out anynonarray_out anytextcat array_agg array_to_json array_to_string concat hash_record hash_record_extended json_build_object " +
    "jsonb_agg jsonb_build_array jsonb_build_object json_agg_strict jsonb_agg_strict json_object_agg jsonb_object_agg mode " +
    "num_nonnulls num_nulls pg_collation_for pg_column_compression pg_column_size pg_column_toast_chunk_id pg_restore_attribute_stats " +
    "pg_restore_relation_stats pg_typeof " +
    "quote_literal quote_nullable record_out record_send row_to_json to_json to_jsonb",
);

export const longestText = 5_000;
/** Most tokens of a statement; each may nest the tree once more. */
export const mostTokens = 1_200;
/** Most values that nested arrays, rows and JSON may build from one row. */
export const mostFolds = 20_000;
/** Aggregates that keep all their rows in memory. */
export const mostGathers = 4;
/** Longest text that a type may pad a value to. */
export const longestPadding = 1_000;
