import { describe, expect, it } from "vitest";
import type { FileEntry, FolderEntry } from "../file-types.ts";
import { type FolderState, moveInTree, rowNamed, treeRows } from "./tree-rows.ts";

const folder = (path: string) => ({ kind: "folder", path, name: path, files: 1, more: false }) as FolderEntry;
const file = (path: string) => ({ kind: "file", path, name: path, id: path }) as FileEntry;
const known = (...entries: FolderState["entries"]): FolderState => ({ entries, hasMore: false, isLoading: false });

const folders = new Map([
  ["/", known(folder("/docs"), file("/readme.md"))],
  ["/docs", known(file("/docs/a.txt"))],
]);
const keys = (open: string[], map = folders) => treeRows(map, new Set(open)).map(({ key }) => key);

describe("the rows of a tree", () => {
  it("contain the entries of open folders below each folder", () => {
    expect(keys([])).toEqual(["folder /docs", "file /readme.md"]);
    expect(keys(["/docs"])).toEqual(["folder /docs", "file /docs/a.txt", "file /readme.md"]);
  });

  it("have their level, position and number of siblings", () => {
    const [, inner] = treeRows(folders, new Set(["/docs"]));
    expect(inner).toMatchObject({ level: 2, position: 1, siblings: 1, folder: "/docs" });
  });

  it("separate a folder and a file of the same name", () => {
    const both = new Map([["/", known(folder("/a"), file("/a"))]]);
    expect(new Set(keys([], both)).size).toBe(2);
  });

  it("show loading, errors, and that there is more", () => {
    expect(keys(["/docs"], new Map([["/", known(folder("/docs"))]]))).toContain("/docs loading");
    expect(keys([], new Map([["/", { ...known(file("/a")), hasMore: true }]])).at(-1)).toBe("/ more");
    expect(keys([], new Map([["/", { ...known(), error: new Error("gone") }]]))).toEqual(["/ error"]);
    expect(keys([], new Map([["/", known()]]))).toEqual(["/ empty"]);
  });

  it("leave the number of siblings open until the last page is read", () => {
    const [row] = treeRows(new Map([["/", { ...known(file("/a")), hasMore: true }]]), new Set());
    expect(row).toMatchObject({ siblings: -1 });
  });
});

describe("arrow keys in a tree", () => {
  const closed = treeRows(folders, new Set());
  const opened = treeRows(folders, new Set(["/docs"]));

  it("move up and down, and stop at the ends", () => {
    expect(moveInTree(opened, 0, "ArrowDown")).toEqual({ focus: 1 });
    expect(moveInTree(opened, 2, "ArrowDown")).toEqual({ focus: 2 });
    expect(moveInTree(opened, 0, "ArrowUp")).toEqual({ focus: 0 });
    expect(moveInTree(opened, 0, "End")).toEqual({ focus: 2 });
  });

  it("open a folder, then move into it; close it, or move to its parent", () => {
    expect(moveInTree(closed, 0, "ArrowRight")).toEqual({ open: "/docs" });
    expect(moveInTree(opened, 0, "ArrowRight")).toEqual({ focus: 1 });
    expect(moveInTree(opened, 1, "ArrowLeft")).toEqual({ focus: 0 });
    expect(moveInTree(opened, 0, "ArrowLeft")).toEqual({ close: "/docs" });
  });

  it("ignore other keys", () => {
    expect(moveInTree(closed, 0, "a")).toBeUndefined();
    expect(moveInTree(closed, 1, "ArrowRight")).toBeUndefined();
  });
});

describe("letters in a tree", () => {
  const rows = treeRows(
    new Map([["/", known(file("alpha"), file("beta"), file("Bison"), file("gamma"))]]),
    new Set<string>(),
  );

  it("find the next name that starts with them, and continue at the top", () => {
    expect(rowNamed(rows, 0, "b")).toBe(1);
    expect(rowNamed(rows, 1, "b")).toBe(2);
    expect(rowNamed(rows, 2, "b")).toBe(1);
    expect(rowNamed(rows, 1, "bi")).toBe(2);
    expect(rowNamed(rows, 1, "be")).toBe(1);
    expect(rowNamed(rows, 0, "x")).toBeUndefined();
    expect(rowNamed([], 0, "x")).toBeUndefined();
  });
});
