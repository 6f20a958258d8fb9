import { Group, NativeSelect, Pill, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import type { Filters, List } from "./use-list.ts";

type FilteredListProps<Row> = Omit<DataTableProps<Row>, "sort" | "onSort" | "onClearFilters" | "place" | "onPlace"> & {
  list: Pick<List, "setValue" | "sort" | "setSort" | "clear" | "place" | "setPlace"> & {
    filters: Filters;
    values: Record<string, unknown>;
  };
};

/** A table with its filters above it. */
export function FilteredList<Row>({ list, ...table }: FilteredListProps<Row>) {
  const { t } = useTranslation();
  const filters = Object.entries(list.filters);
  return (
    <>
      {filters.length > 0 && (
        <Group gap="sm">
          {filters.map(([name, filter]) => {
            const value = String(list.values[name] ?? "");
            const onChange = (next: string) => list.setValue(name, next);
            if (filter.kind === "link") {
              if (value === "") return null;
              const remove = { "aria-label": t("common.table.removeFilter", { filter: filter.label }) };
              return (
                <Pill key={name} withRemoveButton removeButtonProps={remove} onRemove={() => onChange("")} size="md">
                  {filter.label} {value}
                </Pill>
              );
            }
            if (filter.kind === "text")
              return <TextFilterInput key={name} {...{ value, onChange }} label={filter.label} />;
            return (
              <NativeSelect
                key={name}
                aria-label={filter.label}
                data={[{ value: "", label: filter.label }, ...filter.options]}
                value={value}
                onChange={(event) => onChange(event.currentTarget.value)}
                w={{ base: "100%", xs: 200 }}
                // Like the placeholder of a field while nothing is chosen.
                {...(value === "" && { styles: { input: { color: "var(--mantine-color-placeholder)" } } })}
              />
            );
          })}
        </Group>
      )}
      <DataTable
        {...table}
        sort={list.sort}
        onSort={list.setSort}
        onClearFilters={list.clear}
        place={list.place}
        onPlace={list.setPlace}
      />
    </>
  );
}

/** Pause after typing before the filter is applied, in milliseconds. */
const typingMs = 250;

type TextFilterProps = { label: string; value: string; onChange: (value: string) => void };

function TextFilterInput({ label, value, onChange }: TextFilterProps) {
  const [text, setText] = useState(value);
  const settle = useDebouncedCallback(onChange, typingMs);
  // Follows the URL when the filters are cleared, or the user goes back.
  useEffect(() => setText(value), [value]);
  const type = (next: string) => {
    setText(next);
    settle(next);
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => type(event.currentTarget.value.trim())}
      spellCheck={false}
      w={{ base: "100%", xs: 260 }}
    />
  );
}
