import type { IndexField, IndexFilter, IndexRow, IndexTable, RowsOptions } from "../../../wire/src/index-rows.ts";
import { hearth } from "../api/client.ts";
import type { Sort } from "./column.ts";
import type { Rows } from "./rows.ts";
import { useOffsetRows } from "./use-offset-rows.ts";

/** Order by a column of the table. */
export type IndexSort<T extends IndexTable> = Sort & { by: NonNullable<RowsOptions<T, IndexField<T>>["orderBy"]> };

export type IndexList<T extends IndexTable, F extends IndexField<T>> = {
  table: T;
  fields: readonly F[];
  where?: IndexFilter<T>;
  sort: Sort;
};

/** Rows of a table of the index. */
export function useIndexRows<T extends IndexTable, F extends IndexField<T>>(
  list: IndexList<T, F>,
): Rows<IndexRow<T, F>> {
  const { table, fields, where = {}, sort } = list;
  return useOffsetRows<IndexRow<T, F>>({
    queryKey: ["index", table, where, sort, fields],
    count: (signal) => hearth.countRows(table, { where, signal }),
    page: (offset, limit, signal) => {
      const orderBy = sort.by as RowsOptions<T, F>["orderBy"];
      return hearth.rows(table, { fields, where, orderBy, direction: sort.direction, limit, offset, signal });
    },
  });
}
