/**
 * What a walk through the console needs of a page, so that it runs in every browser: a part of Playwright's `Page`, with the same names.
 * Playwright's own pages have it, and those of `webdriver/page.ts`.
 */
export interface WalkPage extends Finder {
  url(): string | Promise<string>;
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  evaluate<T>(script: () => T | Promise<T>): Promise<T>;
  screenshot(options: { path: string }): Promise<unknown>;
  viewportSize(): { width: number; height: number } | null;
  keyboard: { press(key: string): Promise<void> };
}

/** Where elements are searched: a page, or the elements that were found. */
export interface Finder {
  locator(css: string): Found;
  getByRole(role: Role, options?: { name?: string | RegExp; exact?: boolean; level?: number }): Found;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Found;
}

/** Elements that are searched again at each use. Those that act on one element wait until there is exactly one. */
export interface Found extends Finder {
  first(): Found;
  last(): Found;
  nth(index: number): Found;
  filter(options?: { hasText?: string | RegExp; has?: Found; visible?: boolean }): Found;
  click(): Promise<void>;
  press(key: string): Promise<void>;
  pressSequentially(text: string): Promise<void>;
  check(): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  setInputFiles(paths: string[]): Promise<void>;
  waitFor(options?: { state?: "attached" | "detached" | "visible" | "hidden" }): Promise<void>;
  isVisible(): Promise<boolean>;
  textContent(): Promise<string | null>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  all(): Promise<Found[]>;
}

export type Role =
  | "alert"
  | "article"
  | "button"
  | "checkbox"
  | "combobox"
  | "complementary"
  | "dialog"
  | "group"
  | "heading"
  | "img"
  | "link"
  | "menuitem"
  | "menuitemradio"
  | "navigation"
  | "option"
  | "radio"
  | "region"
  | "row"
  | "status"
  | "table"
  | "textbox"
  | "treeitem";
