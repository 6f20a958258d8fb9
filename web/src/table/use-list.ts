import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import type { Column, Sort } from "./column.ts";

/** A filter with typed text, or with a choice of values. */
export type TextFilter = { kind: "text"; label: string };
export type ChoiceFilter<Value extends string> = {
  kind: "choice";
  label: string;
  options: readonly { value: Value; label: string }[];
};
/** A filter that a link sets, such as by a supplier's number. It is shown, and can be removed. */
export type LinkFilter = { kind: "link"; label: string };
export type Filters = Record<string, TextFilter | LinkFilter | ChoiceFilter<string>>;

type ValueOf<F> = F extends ChoiceFilter<infer Value> ? Value : string;

export type List<F extends Filters = Filters> = {
  filters: F;
  /** The value of each filter; undefined: not set. */
  values: { [Name in keyof F]?: ValueOf<F[Name]> };
  setValue: (name: string, value: string) => void;
  sort: Sort;
  setSort: (sort: Sort) => void;
  /** Given while a filter is set. */
  clear: (() => void) | undefined;
  /** The first row in view, from 0. */
  place: number;
  setPlace: (place: number) => void;
};

type ListOptions<F extends Filters> = {
  /** Distinguishes several lists of one page in the URL. */
  name?: string;
  filters?: F;
  /** Columns with the fields that the list can be sorted by. */
  columns?: readonly Pick<Column<never>, "sortBy">[];
  firstSort?: Sort;
};

/** Name of the first row in view in the URL, counted from 1. */
const placeName = "row";

const unsorted: Sort = { by: "", direction: "asc" };

/** Filters, order and place of a list. They are in the URL, so that reload, links and the back button show the same rows. */
export function useList<const F extends Filters = Record<never, never>>(options: ListOptions<F>): List<F> {
  const { name, columns = [], firstSort = unsorted } = options;
  const filters = options.filters ?? ({} as F);
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const router = useRouter();
  const keyOf = (part: string) => (name === undefined ? part : `${name}.${part}`);
  const set = (parts: Record<string, string | number | undefined>) => {
    // Typing and scrolling are reported late. They must not call back a user who has opened another page.
    const { resolvedLocation } = router.state;
    if (resolvedLocation !== undefined && resolvedLocation.pathname !== router.latestLocation.pathname) return;
    const changed = Object.fromEntries(Object.entries(parts).map(([part, value]) => [keyOf(part), value || undefined]));
    const search = (was: object) => ({ ...was, ...changed });
    void navigate({ to: ".", search, replace: true, resetScroll: false } as never);
  };
  const read = (part: string) => {
    const value = search[keyOf(part)];
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
  const filterValue = (part: string) => {
    const value = read(part);
    const filter = filters[part];
    if (filter?.kind !== "choice") return value;
    return filter.options.find((each) => each.value === value)?.value;
  };
  const names = Object.keys(filters);
  const values = Object.fromEntries(names.map((each) => [each, filterValue(each)])) as List<F>["values"];
  const isFiltered = names.some((each) => values[each] !== undefined);
  // Other filters or another order begin at the first row.
  const change = (parts: Record<string, string | undefined>) => set({ ...parts, [placeName]: undefined });
  const sort = readSort(read("sort"));
  const canSort = sort !== undefined && columns.some(({ sortBy }) => sortBy === sort.by);
  return {
    filters,
    values,
    setValue: (part, value) => change({ [part]: value }),
    sort: canSort ? sort : firstSort,
    setSort: ({ by, direction }) => change({ sort: direction === "asc" ? by : `-${by}` }),
    clear: isFiltered ? () => change(Object.fromEntries(names.map((each) => [each, undefined]))) : undefined,
    place: readPlace(read(placeName)),
    setPlace: (place) => set({ [placeName]: place === 0 ? undefined : place + 1 }),
  };
}

function readPlace(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) - 1 : 0;
}

/** Parse an order from the URL: a field, with a minus for descending. */
export function readSort(text: string | undefined): Sort | undefined {
  if (text === undefined) return undefined;
  return text.startsWith("-") ? { by: text.slice(1), direction: "desc" } : { by: text, direction: "asc" };
}

/** Make a filter's options from the keys of an object. */
export function optionsOf<Value extends string>(values: Record<Value, unknown>, labelOf: (value: Value) => string) {
  return (Object.keys(values) as Value[]).map((value) => ({ value, label: labelOf(value) }));
}
