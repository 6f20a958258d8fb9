import { describe, expect, it, vi } from "vitest";
import type { FileMetadata } from "../file-types.ts";
import { type SendFile, UploadQueue } from "./upload-queue.ts";

const file = (name: string) => new File(["12345"], name);
const made = { id: "f" } as FileMetadata;

function setUp(send: SendFile) {
  const done: FileMetadata[] = [];
  const queue = new UploadQueue(send, (each) => done.push(each));
  return { queue, done, states: () => queue.items().map(({ state }) => state) };
}

describe("a queue of uploads", () => {
  it("sends two files at a time, and reports the progress of each", async () => {
    let atOnce = 0;
    let most = 0;
    const { queue, done, states } = setUp(async ({ report }) => {
      most = Math.max(most, ++atOnce);
      report(3);
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce -= 1;
      return made;
    });
    for (const name of ["a", "b", "c", "d"]) queue.add(file(name), `/${name}`);
    expect(queue.items().map(({ size }) => size)).toEqual([5, 5, 5, 5]);
    await queue.idle();
    expect(most).toBe(2);
    expect(states()).toEqual(["done", "done", "done", "done"]);
    expect(done).toHaveLength(4);
    queue.clear();
    expect(queue.items()).toEqual([]);
  });

  it("empties itself some time after the last file, but keeps what failed", async () => {
    vi.useFakeTimers();
    try {
      const { queue, states } = setUp(async ({ path }) => {
        if (path === "/bad") throw new Error("no network");
        return made;
      });
      for (const name of ["a", "bad", "b"]) queue.add(file(name), `/${name}`);
      await queue.idle();
      expect(states()).toEqual(["done", "failed", "done"]);
      vi.advanceTimersByTime(29_000);
      expect(states()).toHaveLength(3);
      vi.advanceTimersByTime(1_000);
      expect(states()).toEqual(["failed"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("keeps failed uploads with their reason, and retries them on request", async () => {
    let tries = 0;
    const { queue, states } = setUp(async () => {
      tries += 1;
      if (tries === 1) throw new Error("no network");
      return made;
    });
    queue.add(file("a"), "/a");
    await queue.idle();
    expect(queue.items()[0]).toMatchObject({ state: "failed", error: { message: "no network" } });
    queue.retry(queue.items()[0]?.key ?? "");
    await queue.idle();
    expect(states()).toEqual(["done"]);
  });

  it("stops a cancelled upload, and never starts one that was cancelled while waiting", async () => {
    const sent: string[] = [];
    const { queue } = setUp(async ({ path, signal }) => {
      sent.push(path);
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return made;
    });
    for (const name of ["a", "b", "c"]) queue.add(file(name), `/${name}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const { key } of [...queue.items()].reverse()) queue.cancel(key);
    await queue.idle();
    expect(sent).toEqual(["/a", "/b"]);
    expect(queue.items()).toEqual([]);
  });

  it("retries a failed upload under another path", async () => {
    const sent: string[] = [];
    const { queue, states } = setUp(async ({ path }) => {
      sent.push(path);
      if (path === "/a") throw new Error("taken");
      return made;
    });
    queue.add(file("a"), "/a");
    await queue.idle();
    queue.retry(queue.items()[0]?.key ?? "", "/a (2)");
    await queue.idle();
    expect(sent).toEqual(["/a", "/a (2)"]);
    expect(states()).toEqual(["done"]);
    expect(queue.items()[0]?.path).toBe("/a (2)");
  });
});
