import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { BatchQueue, type BatchQueueOptions } from "./batch-queue.ts";

type Options = BatchQueueOptions<number, string>;
type Send = (items: number[]) => Promise<(string | Error)[]>;

/** A queue that records its batches and answers each item with its number. */
function openQueue(options: Partial<Options> = {}, send: Send = async (items) => items.map(String)) {
  const batches: number[][] = [];
  const queue = new BatchQueue<number, string>({
    maxItems: 10,
    maxPending: 1,
    gather: () => turn(),
    start: async (entries) => {
      const items = entries.map(({ item }) => item);
      batches.push(items);
      return { sent: entries, results: send(items) };
    },
    changedNothing: () => true,
    ...options,
  });
  return { queue, batches };
}

describe("BatchQueue", () => {
  it("sends items that come together in one batch, and gives each caller its result", async () => {
    const { queue, batches } = openQueue();
    assert.deepEqual(await Promise.all([1, 2, 3].map((item) => queue.add(item))), ["1", "2", "3"]);
    assert.deepEqual(batches, [[1, 2, 3]]);
  });

  it("waits for items while it gathers, but not once a batch is full", async () => {
    const gathering = Promise.withResolvers<void>();
    const { queue, batches } = openQueue({ maxItems: 2, gather: () => gathering.promise });
    const first = queue.add(1);
    await turn();
    assert.deepEqual([batches, queue.size], [[], 1]);
    const others = [queue.add(2), queue.add(3), queue.add(4)];
    gathering.resolve();
    await Promise.all([first, ...others]);
    assert.deepEqual(batches, [
      [1, 2],
      [3, 4],
    ]);
  });

  it("takes as many items as fit, at least one", async () => {
    const { queue, batches } = openQueue({ countFitting: (items) => (items[0] === 3 ? 0 : 2) });
    await Promise.all([1, 2, 3, 4].map((item) => queue.add(item)));
    assert.deepEqual(batches, [[1, 2], [3], [4]]);
  });

  it("holds items back while the most batches have no result", async () => {
    const answers: (() => void)[] = [];
    const send: Send = (items) => new Promise((resolve) => answers.push(() => resolve(items.map(String))));
    const { queue, batches } = openQueue({ maxItems: 1, maxPending: 2 }, send);
    const all = [1, 2, 3].map((item) => queue.add(item));
    await turn();
    assert.deepEqual([batches, queue.size], [[[1], [2]], 1]);
    answers[1]?.();
    assert.equal(await all[1], "2");
    await turn();
    assert.deepEqual(batches, [[1], [2], [3]]);
    for (const answer of answers) answer();
    await Promise.all(all);
  });

  it("sends the items of a failed batch one by one, before later ones, so that only the bad one fails", async () => {
    const { queue, batches } = openQueue({}, async (items) => {
      if (items.includes(2)) throw new Error("2 is bad");
      return items.map(String);
    });
    const all = Promise.allSettled([1, 2, 3].map((item) => queue.add(item)));
    await turn();
    await turn();
    const later = queue.add(4);
    const settled = (await all).map((each) => (each.status === "fulfilled" ? each.value : each.reason.message));
    assert.deepEqual([settled, await later], [["1", "2 is bad", "3"], "4"]);
    assert.deepEqual(batches, [[1, 2, 3], [1], [2], [3], [4]]);
  });

  it("sends nothing again when a failed batch may have changed something", async () => {
    const send = async () => {
      throw new Error("broken");
    };
    const { queue, batches } = openQueue({ changedNothing: () => false }, send);
    const all = await Promise.allSettled([1, 2].map((item) => queue.add(item)));
    assert.deepEqual([all.map(({ status }) => status), batches], [["rejected", "rejected"], [[1, 2]]]);
  });

  it("rejects one item alone for its own error, and an item without a result", async () => {
    const { queue } = openQueue({}, async () => ["1", new Error("refused")]);
    const all = await Promise.allSettled([1, 2, 3].map((item) => queue.add(item)));
    const settled = all.map((each) => (each.status === "fulfilled" ? each.value : each.reason.message));
    assert.deepEqual(settled, ["1", "refused", "The batch gave no result for item 2."]);
  });

  it("rejects the items of a batch that cannot start, and sends the next ones", async () => {
    const { queue } = openQueue({
      start: async (entries) => {
        if (entries[0]?.item === 1) throw new Error("no node");
        return { sent: entries, results: Promise.resolve(["2"]) };
      },
    });
    await assert.rejects(queue.add(1), { message: "no node" });
    assert.equal(await queue.add(2), "2");
  });

  it("drains: waits until every item has its result", async () => {
    let done = 0;
    const { queue } = openQueue({ maxItems: 1 }, async (items) => {
      await turn();
      done += items.length;
      return items.map(String);
    });
    for (const item of [1, 2, 3]) void queue.add(item);
    await queue.drain();
    assert.deepEqual([done, queue.size], [3, 0]);
  });
});
