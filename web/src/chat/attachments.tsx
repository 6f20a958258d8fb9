import { Pill, type PillGroupProps } from "@mantine/core";

type AttachmentsProps = {
  names: readonly string[];
  label?: string;
  mt?: PillGroupProps["mt"];
  /** Given: each can be removed. */
  onRemove?: (index: number) => void;
  /** What the button that removes it says. */
  removeLabel?: (name: string) => string;
};

/** The names of attached files. */
export function Attachments({ names, label, mt, onRemove, removeLabel }: AttachmentsProps) {
  return (
    <Pill.Group {...(label === undefined ? {} : { "aria-label": label })} {...(mt === undefined ? {} : { mt })}>
      {names.map((name, index) => (
        <Pill
          // biome-ignore lint/suspicious/noArrayIndexKey: two attachments may have one name
          key={index}
          withRemoveButton={onRemove !== undefined}
          removeButtonProps={{ "aria-label": removeLabel?.(name) }}
          onRemove={() => onRemove?.(index)}
        >
          {name}
        </Pill>
      ))}
    </Pill.Group>
  );
}
