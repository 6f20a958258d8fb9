import { Menu } from "@mantine/core";
import { cloneElement, useEffect, useRef, useState } from "react";
import type { LazyMenuProps } from "./lazy-menu.tsx";

/** A menu that opens when it is first shown. Its button takes the place of the one that asked for it, so it takes the focus. */
export function OpenedMenu({ target, entries, title, details, width }: LazyMenuProps) {
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
