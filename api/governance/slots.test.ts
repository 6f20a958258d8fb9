import assert from "node:assert/strict";
import { it } from "node:test";
import { slotFor } from "./slots.ts";

it("queues proposals behind each other, and lets none wait for a number that nobody has", () => {
  const others = [
    { id: "a", nonce: 5n },
    { id: "b", nonce: 6n },
  ];
  assert.equal(slotFor("c", undefined, others, 5n), 7n);
  assert.equal(slotFor("c", 7n, [...others, { id: "c", nonce: 7n }], 5n), 7n);
  // The one before was taken back: c moves into the gap, and is signed again.
  assert.equal(slotFor("c", 7n, [{ id: "a", nonce: 5n }], 5n), 6n);
  // The Safe has passed its number.
  assert.equal(slotFor("a", 5n, others, 6n), 7n);
  // Two may ask for one number: the first to be complete takes it.
  assert.equal(slotFor("a", 5n, [{ id: "b", nonce: 5n }], 5n), 5n);
});
