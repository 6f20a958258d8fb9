import { cloneElement, lazy, type ReactElement, type ReactNode, useState } from "react";
import { WhenLoaded } from "./when-loaded.tsx";

/** Load the code of all menus; pages that work without a network keep it. */
export const loadMenus = () => import("./opened-menu.tsx");
const OpenedMenu = lazy(async () => ({ default: (await loadMenus()).OpenedMenu }));

export type MenuEntry = {
  label: string;
  icon?: ReactNode;
  onClick: () => void;
  /** Red for actions that cannot be undone. */
  color?: string;
  /** The language of the label, where it differs from the page's: then it is not translated. */
  lang?: string;
};

export type LazyMenuProps = {
  /** The button that opens the menu. */
  target: ReactElement<Record<string, unknown>>;
  entries: readonly MenuEntry[];
  /** Above the entries: a title, and what is below it. */
  title?: string;
  details?: ReactNode;
  width?: number;
};

/** A button with a menu. The menu's code is loaded when someone points at the button or opens it, to keep first loads small. */
export function LazyMenu(menu: LazyMenuProps) {
  const [isWanted, setWanted] = useState(false);
  // An error is ignored here: it is loaded again when the menu is opened.
  const prepare = () => void loadMenus().catch(() => undefined);
  const closed = cloneElement(menu.target, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onClick: () => setWanted(true),
    onPointerEnter: prepare,
    onFocus: prepare,
  });
  if (!isWanted) return closed;
  return (
    <WhenLoaded fallback={closed}>
      <OpenedMenu {...menu} />
    </WhenLoaded>
  );
}
