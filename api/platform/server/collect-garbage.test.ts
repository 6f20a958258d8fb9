import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { collectGarbage } from "./collect-garbage.ts";

test("frees what nothing uses, and leaves no gc function behind", async () => {
  let unused: unknown[] | undefined = Array.from({ length: 100_000 }, (_, i) => ({ i }));
  const large = new WeakRef(unused);
  unused = undefined;
  // A WeakRef keeps what it names until the turn that made it has ended.
  await setImmediate();
  collectGarbage();
  assert.equal(large.deref(), undefined);
  assert.equal("gc" in globalThis, false);
});
