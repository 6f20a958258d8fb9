import { describe, expect, it } from "vitest";
import { HearthError } from "../../../../wire/src/errors.ts";
import type { FileEntry, FolderEntry, Page, TreeEntry } from "../file-types.ts";
import { FolderTree } from "./folder-tree.ts";

const folder = (path: string) => ({ kind: "folder", path, name: path, files: 1 }) as FolderEntry;
const file = (path: string) => ({ kind: "file", path, name: path, id: path }) as FileEntry;
const gone = () => new HearthError({ status: 404, code: "NOT_FOUND", message: "" });

/** A store whose pages a test can change. */
function setUp(pages: Record<string, Page<TreeEntry> | Error>) {
  const asked: string[] = [];
  const tree = new FolderTree({
    tree: async (path, cursor) => {
      asked.push(cursor === undefined ? path : `${path} ${cursor}`);
      const page = pages[cursor === undefined ? path : `${path} ${cursor}`];
      if (page === undefined || page instanceof Error) throw page ?? gone();
      return page;
    },
  });
  const names = (path: string) =>
    tree
      .state()
      .folders.get(path)
      ?.entries.map((entry) => entry.path);
  return { tree, asked, names, pages };
}

describe("a tree of folders", () => {
  it("reads a folder when it is first opened, page by page", async () => {
    const { tree, asked, names } = setUp({
      "/": { items: [folder("/a")], nextCursor: null },
      "/a": { items: [file("/a/1")], nextCursor: "next" },
      "/a next": { items: [file("/a/2")], nextCursor: null },
    });
    await tree.refresh();
    await tree.open("/a");
    tree.close("/a");
    await tree.open("/a");
    await tree.more("/a");
    await tree.more("/a");
    expect(asked).toEqual(["/", "/a", "/a next"]);
    expect(names("/a")).toEqual(["/a/1", "/a/2"]);
  });

  it("removes a folder when its last file is gone", async () => {
    const { tree, names, pages } = setUp({
      "/": { items: [folder("/a")], nextCursor: null },
      "/a": { items: [file("/a/1")], nextCursor: null },
    });
    await tree.refresh();
    await tree.open("/a");
    pages["/a"] = gone();
    pages["/"] = { items: [], nextCursor: null };
    await tree.refresh();
    expect(names("/a")).toBeUndefined();
    expect(tree.state().open.has("/a")).toBe(false);
  });

  it("keeps its rows during an error, and then shows the next result", async () => {
    const { tree, names, pages } = setUp({ "/": { items: [file("/1")], nextCursor: null } });
    await tree.refresh();
    pages["/"] = new Error("no network");
    await tree.refresh();
    expect(tree.state().folders.get("/")?.error?.message).toBe("no network");
    expect(names("/")).toEqual(["/1"]);
    pages["/"] = { items: [file("/2")], nextCursor: null };
    await tree.refresh();
    expect(tree.state().folders.get("/")?.error).toBeUndefined();
    expect(names("/")).toEqual(["/2"]);
  });

  it("opens every folder above a file", async () => {
    const { tree } = setUp({
      "/": { items: [folder("/a")], nextCursor: null },
      "/a": { items: [folder("/a/b")], nextCursor: null },
      "/a/b": { items: [file("/a/b/c")], nextCursor: null },
    });
    await tree.refresh();
    await tree.reveal("/a/b/c");
    expect([...tree.state().open]).toEqual(expect.arrayContaining(["/a", "/a/b"]));
  });
});
