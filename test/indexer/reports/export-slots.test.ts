import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ExportSlots } from "../../../indexer/reports/export-slots.ts";

const pieces = (...texts: string[]): ReadableStream<Uint8Array> => new Blob(texts).stream();

describe("the slots of exports", () => {
  it("are full while so many are read, and free again when one has been read", async () => {
    const slots = new ExportSlots(1);
    assert.equal(slots.isFull, false);
    const stream = slots.watch(pieces("a", "b"), slots.take());
    assert.equal(slots.isFull, true);
    assert.equal(await new Response(stream).text(), "ab");
    assert.equal(slots.isFull, false);
  });

  it("are free again when the reader goes away, or the export fails", async () => {
    const slots = new ExportSlots(1);
    await slots.watch(pieces("a"), slots.take()).cancel();
    assert.equal(slots.isFull, false);
    const failing = new ReadableStream<Uint8Array>({
      pull() {
        throw new Error("no database");
      },
    });
    await assert.rejects(new Response(slots.watch(failing, slots.take())).text(), /no database/);
    assert.equal(slots.isFull, false);
  });

  it("are given back once, however often it is said", () => {
    const slots = new ExportSlots(2);
    const give = slots.take();
    slots.take();
    give();
    give();
    slots.take();
    assert.equal(slots.isFull, true);
  });
});
