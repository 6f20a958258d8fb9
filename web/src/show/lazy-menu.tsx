import { cloneElement, lazy, useState } from "react";
import type { MenuProps } from "./opened-menu.tsx";
import { WhenLoaded } from "./when-loaded.tsx";

/** Load the code of all menus; pages that work without a network keep it. */
export const loadMenus = () => import("./opened-menu.tsx");
const OpenedMenu = lazy(async () => ({ default: (await loadMenus()).OpenedMenu }));

/** A button with a menu. The menu's code is loaded when someone points at the button or opens it, to keep first loads small. */
export function LazyMenu(menu: MenuProps) {
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
