import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { StateKind } from "../show/state-badge.tsx";
import { type Column, DataTable } from "../table/data-table.tsx";
import { type IndexList, type Sort, useIndexRows } from "../table/use-index-rows.ts";
import { FilterBar, useFilters } from "./filters.tsx";

type FilteredListProps<Row> = Pick<IndexList, "list" | "row" | "fields"> & {
  /** What is listed, for those who do not see it. */
  label: string;
  /** Said where there is none: who makes one, and where. */
  empty: string;
  columns: Column<Row>[];
  /** Field that holds the id which a row is traced by, and which one filters by a part of. */
  id: keyof Row & string;
  kind: StateKind;
  /** States by which one filters. */
  states: readonly string[];
  firstSort: Sort;
  /** Page that a row opens; absent: the trace of its id. */
  pathOf?: (row: Row) => string;
};

/** A table of the index, filtered by a part of the id and by status; a row opens its page. */
export function FilteredList<Row>(props: FilteredListProps<Row>) {
  const { label, empty, columns, id, kind, states, firstSort, list, row, fields } = props;
  const pathOf = props.pathOf ?? ((each) => `/regulator/trace/${encodeURIComponent(String(each[id]))}`);
  const navigate = useNavigate();
  const { filters, settled, setFilters, clear } = useFilters();
  const [sort, setSort] = useState(firstSort);
  const where = { [`${id}_contains`]: settled.id, status: settled.status ?? undefined };
  const rows = useIndexRows<Row>({ list, row, fields, where, sort });
  return (
    <>
      <FilterBar filters={filters} onChange={setFilters} {...{ kind, states }} />
      <DataTable
        {...{ label, empty, columns, rows, sort, onSort: setSort, onClearFilters: clear }}
        rowKey={(each) => String(each[id])}
        onOpen={(each) => navigate({ to: pathOf(each) })}
      />
    </>
  );
}
