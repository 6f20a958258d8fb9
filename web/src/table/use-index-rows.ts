import { askIndex } from "../api/index-query.ts";
import type { Sort } from "./column.ts";
import type { Rows } from "./rows.ts";
import { useOffsetRows } from "./use-offset-rows.ts";

export type { Sort } from "./column.ts";

export type IndexList = {
  /** Plural of a table of the index, such as `vouchers`, and its singular, such as `voucher`. */
  list: string;
  row: string;
  /** GraphQL fields of each row. */
  fields: string;
  /** Ponder's filter: `{status: "active", publicId_contains: "A"}`; undefined values are left out. */
  where?: Record<string, unknown>;
  sort: Sort;
};

/** Rows of a table of the index. Filters go as variables, never as text of the question. */
export function useIndexRows<Row>({ list, row, fields, where = {}, sort }: IndexList): Rows<Row> {
  const filter = Object.fromEntries(Object.entries(where).filter(([, value]) => value !== undefined && value !== ""));
  const parameters = `$where: ${row}Filter, $by: String, $direction: String, $limit: Int, $offset: Int`;
  const given = "where: $where, orderBy: $by, orderDirection: $direction, limit: $limit, offset: $offset";
  return useOffsetRows<Row>({
    queryKey: ["index", list, filter, sort, fields],
    count: async (signal) => {
      const question = `query ($where: ${row}Filter) { found: ${list}(where: $where, limit: 1) { totalCount } }`;
      const { found } = await askIndex<{ found: { totalCount: number } }>(question, { where: filter }, signal);
      return found.totalCount;
    },
    page: async (offset, limit, signal) => {
      const question = `query (${parameters}) { found: ${list}(${given}) { items { ${fields} } } }`;
      const variables = { where: filter, by: sort.by, direction: sort.direction, limit, offset };
      const { found } = await askIndex<{ found: { items: Row[] } }>(question, variables, signal);
      return found.items;
    },
  });
}
