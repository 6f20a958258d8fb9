import { ComboboxChevron, type SelectProps, TextInput } from "@mantine/core";
import { lazy, useState } from "react";
import { WhenLoaded } from "./when-loaded.tsx";

const loadSelect = async () => ({ default: (await import("./opened-select.tsx")).OpenedSelect });
const OpenedSelect = lazy(loadSelect);

type LazySelectProps = Omit<SelectProps, "data" | "value"> & {
  data: { value: string; label: string }[];
  value?: string | null;
};

/** A field to search and choose from. Its list is loaded when someone points at the field or goes to it, to keep first loads small. */
export function LazySelect({ data, value = null, ...props }: LazySelectProps) {
  const [isWanted, setWanted] = useState(false);
  // An error is ignored here: it is loaded again when the field is used.
  const prepare = () => void loadSelect().catch(() => undefined);
  const { label, description, error, required, disabled, w, maw } = props;
  const closed = (
    <TextInput
      {...{ label, description, error, required, disabled, w, maw }}
      value={data.find((each) => each.value === value)?.label ?? ""}
      readOnly
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      rightSection={<ComboboxChevron />}
      rightSectionPointerEvents="none"
      onPointerEnter={prepare}
      onFocus={() => setWanted(true)}
    />
  );
  if (!isWanted) return closed;
  return (
    <WhenLoaded fallback={closed}>
      <OpenedSelect {...props} {...{ data, value }} />
    </WhenLoaded>
  );
}
