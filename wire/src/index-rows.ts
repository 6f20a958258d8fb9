import { HearthError } from "./errors.ts";
import type { IndexTables } from "./index-tables.ts";

/** A table of the index; its GraphQL list has the same name with an s. */
export type IndexTable = keyof IndexTables;

type Parents<Row> = {
  [K in keyof Row & string]: NonNullable<Row[K]> extends Record<string, unknown> ? K : never;
}[keyof Row & string];
type Columns<Row> = Exclude<keyof Row & string, Parents<Row>>;

/** A column of a table, or a column of the row that it belongs to, such as `certificate.certificateId`. */
export type IndexField<T extends IndexTable> =
  | Columns<IndexTables[T]>
  | {
      [P in Parents<IndexTables[T]>]: `${P}.${Columns<NonNullable<IndexTables[T][P]>>}`;
    }[Parents<IndexTables[T]>];

type ParentOf<F> = F extends `${infer P}.${string}` ? P : never;
type ColumnOf<F, P extends string> = F extends `${P}.${infer C}` ? C : never;

/** A row with the requested fields. */
export type IndexRow<T extends IndexTable, F extends string> = Pick<IndexTables[T], F & keyof IndexTables[T]> & {
  [P in ParentOf<F> & keyof IndexTables[T] & string]: Pick<
    NonNullable<IndexTables[T][P]>,
    ColumnOf<F, P> & keyof NonNullable<IndexTables[T][P]>
  > | null;
};

type Comparison = "not" | "in" | "not_in" | "gt" | "gte" | "lt" | "lte" | "contains" | "starts_with" | "ends_with";

/** Conditions by column, such as `{ status: "active", publicId_contains: "A" }`. Undefined and empty conditions are ignored. */
export type IndexFilter<T extends IndexTable> = {
  [K in Columns<IndexTables[T]> | `${Columns<IndexTables[T]>}_${Comparison}`]?: unknown;
} & { AND?: IndexFilter<T>[]; OR?: IndexFilter<T>[] };

export type RowsOptions<T extends IndexTable, F extends IndexField<T>> = {
  fields: readonly F[];
  where?: IndexFilter<T>;
  orderBy?: Columns<IndexTables[T]>;
  direction?: "asc" | "desc";
  /** At most 1000. */
  limit?: number;
  offset?: number;
  signal?: AbortSignal;
};

export type IndexReader = {
  /** Rows of a table of the public index. @throws HearthError */
  rows: <T extends IndexTable, F extends IndexField<T>>(
    table: T,
    options: RowsOptions<T, F>,
  ) => Promise<IndexRow<T, F>[]>;
  /** Number of rows of a table of the public index. @throws HearthError */
  countRows: <T extends IndexTable>(
    table: T,
    options?: { where?: IndexFilter<T>; signal?: AbortSignal },
  ) => Promise<number>;
};

type Answer = { data?: { found: { items: unknown[]; totalCount: number } } | null; errors?: { message: string }[] };
/** Sends a GraphQL query and returns its JSON. */
type Ask = (body: object, signal: AbortSignal | undefined) => Promise<unknown>;

/** Make the functions that read the index. Values are sent as variables, never in the query's text. */
export function createIndexReader(ask: Ask): IndexReader {
  async function find(query: string, variables: object, signal: AbortSignal | undefined) {
    const { data, errors } = (await ask({ query, variables }, signal)) as Answer;
    if (data && errors === undefined) return data.found;
    const message = errors?.map((each) => each.message).join(" ") ?? "";
    throw new HearthError({ status: 400, code: "INVALID_INPUT", message });
  }
  const conditions = (where: object = {}) =>
    Object.fromEntries(Object.entries(where).filter(([, value]) => value !== undefined && value !== ""));

  return {
    rows: async (table, { fields, where, orderBy, direction, limit, offset, signal }) => {
      const parameters = `$where: ${table}Filter, $by: String, $direction: String, $limit: Int, $offset: Int`;
      const given = "where: $where, orderBy: $by, orderDirection: $direction, limit: $limit, offset: $offset";
      const query = `query (${parameters}) { found: ${table}s(${given}) { items { ${selectionOf(fields)} } } }`;
      const variables = { where: conditions(where), by: orderBy, direction, limit, offset };
      return (await find(query, variables, signal)).items as never;
    },
    countRows: async (table, { where, signal } = {}) => {
      const query = `query ($where: ${table}Filter) { found: ${table}s(where: $where, limit: 1) { totalCount } }`;
      return (await find(query, { where: conditions(where) }, signal)).totalCount;
    },
  };
}

/** GraphQL's selection of fields: a field of another row becomes a nested selection. */
function selectionOf(fields: readonly string[]): string {
  return fields.map((field) => field.replace(/^(\w+)\.(\w+)$/, "$1 { $2 }")).join(" ");
}
