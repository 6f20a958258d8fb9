import { Menu } from "@mantine/core";
import { cloneElement, type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";

export type MenuEntry = {
  label: string;
  icon?: ReactNode;
  onClick: () => void;
  /** Red for actions that cannot be undone. */
  color?: string;
  /** The language of the label, where it differs from the page's: then it is not translated. */
  lang?: string;
};

export type MenuProps = {
  /** The button that opens the menu. */
  target: ReactElement<Record<string, unknown>>;
  entries: readonly MenuEntry[];
  /** Above the entries: a title, and what is below it. */
  title?: string;
  details?: ReactNode;
  width?: number;
};

/** A menu that opens when it is first shown. Its button takes the place of the one that asked for it, so it takes the focus. */
export function OpenedMenu({ target, entries, title, details, width }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus();
    setOpen(true);
  }, []);
  return (
    <Menu position="bottom-end" opened={isOpen} onChange={setOpen} {...(width !== undefined && { width })}>
      <Menu.Target>{cloneElement(target, { ref: button })}</Menu.Target>
      <Menu.Dropdown>
        {title !== undefined && <Menu.Label>{title}</Menu.Label>}
        {details}
        {title !== undefined && <Menu.Divider />}
        {entries.map(({ label, icon, onClick, color, lang }) => (
          <Menu.Item
            key={label}
            leftSection={icon}
            onClick={onClick}
            {...(color !== undefined && { color })}
            {...(lang !== undefined && { lang, translate: "no" })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
