import { Group, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type StateKind, useStateWord } from "../show/state-badge.tsx";

export type Filters = { id: string; status: string | null };
const none: Filters = { id: "", status: null };

/** What is typed waits so long before it is asked for. */
const typingMs = 250;

/** Filters by a part of the id and by status, kept with the page and never in its address. */
export function useFilters() {
  const [filters, setFilters] = useState(none);
  const [settled] = useDebouncedValue(filters, typingMs);
  const isSet = settled.id !== "" || settled.status !== null;
  return { filters, settled, setFilters, clear: isSet ? () => setFilters(none) : undefined };
}

type FilterBarProps = {
  filters: Filters;
  onChange: (filters: Filters) => void;
  kind: StateKind;
  states: readonly string[];
};

export function FilterBar({ filters, onChange, kind, states }: FilterBarProps) {
  const { t } = useTranslation();
  const word = useStateWord(kind);
  return (
    <Group gap="sm">
      <TextInput
        aria-label={t("regulator.filter.id")}
        placeholder={t("regulator.filter.id")}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filters.id}
        onChange={(event) => onChange({ ...filters, id: event.currentTarget.value.trim() })}
        spellCheck={false}
        w={{ base: "100%", xs: 260 }}
      />
      <Select
        aria-label={t("regulator.filter.status")}
        placeholder={t("regulator.filter.status")}
        data={states.map((value) => ({ value, label: word(value) }))}
        value={filters.status}
        onChange={(status) => onChange({ ...filters, status })}
        clearable
        w={{ base: "100%", xs: 200 }}
      />
    </Group>
  );
}
