import { Select, type SelectProps } from "@mantine/core";

/** A list to choose from that opens as soon as it is there: `LazySelect` shows it when someone has gone to the field. */
export function OpenedSelect(props: SelectProps) {
  return <Select searchable autoFocus defaultDropdownOpened {...props} />;
}
