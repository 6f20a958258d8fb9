import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { IndexField, IndexFilter, IndexRow, IndexTable } from "../../../wire/src/index-rows.ts";
import { type StateKind, useStateWord } from "../show/state-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { FilteredList } from "../table/filtered-list.tsx";
import { type IndexSort, useIndexRows } from "../table/use-index-rows.ts";
import { useList } from "../table/use-list.ts";

type IndexListProps<T extends IndexTable, F extends IndexField<T>> = {
  table: T;
  fields: readonly F[];
  /** Field that identifies a row: it is used for the trace and for the id filter. */
  id: F & keyof IndexRow<T, F>;
  /** States to filter by. */
  states?: readonly string[];
  /** Kind of the states, which gives their words. */
  kind?: StateKind;
  where?: IndexFilter<T>;
  /** Filters that links set: the name in the address with the column of the number, and its label. */
  linked?: Record<string, { column: string; label: string }>;
  /** Distinguishes several lists of one page in the URL. */
  name?: string;
  columns: Column<IndexRow<T, F>>[];
  firstSort: IndexSort<T>;
  label: string;
  empty: string;
  /** The page that a row opens. Default: the trace of its id; null: none. */
  pathOf?: ((row: IndexRow<T, F>) => string) | null;
};

/** A table of the index, with filters by part of the id and, if given, by state. */
export function IndexList<T extends IndexTable, F extends IndexField<T>>(props: IndexListProps<T, F>) {
  const { table, fields, id, states, kind = "voucher", where, name, columns, firstSort, label, empty } = props;
  const { linked = {} } = props;
  const { pathOf = (row) => `/regulator/trace/${encodeURIComponent(String(row[id]))}` } = props;
  const { t } = useTranslation();
  const navigate = useNavigate();
  const labelOf = useStateWord(kind);
  const filters = {
    id: { kind: "text", label: t("regulator.filter.id") },
    status: {
      kind: "choice",
      label: t("regulator.filter.status"),
      options: (states ?? []).map((value) => ({ value, label: labelOf(value) })),
    },
  } as const;
  const links = Object.entries(linked).map(([key, { label: of }]) => [key, { kind: "link", label: of }] as const);
  const ownFilters = { ...Object.fromEntries(links), ...filters };
  const list = useList({ name, columns, firstSort, filters: states === undefined ? {} : ownFilters });
  const values = list.values as { id?: string; status?: string } & Record<string, string | undefined>;
  const { id: part, status } = values;
  const numbers = Object.entries(linked).map(([key, { column }]) => [column, numberOf(values[key])]);
  const found = { ...where, ...Object.fromEntries(numbers), [`${id}_contains`]: part, status } as IndexFilter<T>;
  const rows = useIndexRows({ table, fields, where: states === undefined ? where : found, sort: list.sort });
  return (
    <FilteredList
      {...{ list, rows, columns, label, empty }}
      rowKey={(row) => String(row[id])}
      {...(pathOf !== null && { onOpen: (row: IndexRow<T, F>) => void navigate({ to: pathOf(row) }) })}
    />
  );
}

/** An index on chain from the address; anything else finds nothing. */
function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : /^\d{1,9}$/.test(value) ? Number(value) : -1;
}
