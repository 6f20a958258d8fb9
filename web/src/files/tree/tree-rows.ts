import type { TreeEntry } from "../file-types.ts";

/** What has been read of a folder's children. */
export type FolderState = {
  entries: readonly TreeEntry[];
  /** More pages follow. */
  hasMore: boolean;
  isLoading: boolean;
  error?: Error;
};

export type TreeRow = { key: string; level: number; folder: string } & (
  | { kind: "entry"; entry: TreeEntry; isOpen: boolean; position: number; siblings: number }
  | { kind: "more" | "loading" | "empty" }
  | { kind: "error"; error: Error }
);

/** The rows of a tree, top to bottom: the children of open folders, other folders closed. */
export function treeRows(
  folders: ReadonlyMap<string, FolderState>,
  open: ReadonlySet<string>,
  folder = "/",
  level = 1,
): TreeRow[] {
  const state = folders.get(folder);
  if (state === undefined) return [{ key: `${folder} loading`, kind: "loading", level, folder }];
  // The number is unknown until the last page is read; ARIA writes that as -1.
  const siblings = state.hasMore ? -1 : state.entries.length;
  const rows = state.entries.flatMap((entry, index): TreeRow[] => {
    const isOpen = entry.kind === "folder" && open.has(entry.path);
    const key = `${entry.kind} ${entry.path}`;
    const row: TreeRow = { key, kind: "entry", entry, isOpen, level, folder, position: index + 1, siblings };
    return isOpen ? [row, ...treeRows(folders, open, entry.path, level + 1)] : [row];
  });
  return [...rows, ...lastRow(state, folder, level)];
}

function lastRow(state: FolderState, folder: string, level: number): TreeRow[] {
  const shared = { level, folder };
  if (state.error !== undefined) return [{ key: `${folder} error`, kind: "error", error: state.error, ...shared }];
  if (state.isLoading) return [{ key: `${folder} loading`, kind: "loading", ...shared }];
  if (state.hasMore) return [{ key: `${folder} more`, kind: "more", ...shared }];
  return state.entries.length === 0 ? [{ key: `${folder} empty`, kind: "empty", ...shared }] : [];
}

export type TreeMove = { focus?: number; open?: string; close?: string };

/** The effect of an arrow key in a tree, following the ARIA pattern; undefined for other keys. */
export function moveInTree(rows: readonly TreeRow[], at: number, key: string): TreeMove | undefined {
  const row = rows[at];
  const last = rows.length - 1;
  if (key === "ArrowDown") return { focus: Math.min(at + 1, last) };
  if (key === "ArrowUp") return { focus: Math.max(at - 1, 0) };
  if (key === "Home") return { focus: 0 };
  if (key === "End") return { focus: last };
  const isFolder = row?.kind === "entry" && row.entry.kind === "folder";
  if (key === "ArrowRight" && isFolder) {
    return row.isOpen ? { focus: Math.min(at + 1, last) } : { open: row.entry.path };
  }
  if (key === "ArrowLeft" && row !== undefined) {
    if (isFolder && row.isOpen) return { close: row.entry.path };
    const parent = rows.findIndex((each) => each.kind === "entry" && each.entry.path === row.folder);
    return parent === -1 ? {} : { focus: parent };
  }
  return undefined;
}

/** The next row after `at` whose name starts with the typed letters, continuing at the top; undefined when there is none. */
export function rowNamed(rows: readonly TreeRow[], at: number, typed: string): number | undefined {
  const begins = typed.toLocaleLowerCase();
  // A single letter looks from the next row on; more letters may still match the current row.
  const first = typed.length === 1 ? 1 : 0;
  for (let step = first; step <= rows.length; step += 1) {
    const index = (at + step) % rows.length;
    const row = rows[index];
    if (row?.kind === "entry" && row.entry.name.toLocaleLowerCase().startsWith(begins)) return index;
  }
  return undefined;
}
