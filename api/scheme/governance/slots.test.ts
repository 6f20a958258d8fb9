import assert from "node:assert/strict";
import { it } from "node:test";
import type { Address } from "viem";
import { movesTo } from "./approvals.ts";
import { slotFor } from "./slots.ts";
import type { ApprovalRow } from "./tables.ts";

it("queues proposals behind each other, and lets none wait for a number that nobody has", () => {
  const others = [
    { id: "a", nonce: 5n },
    { id: "b", nonce: 6n },
  ];
  assert.equal(slotFor("c", undefined, others, 5n), 7n);
  assert.equal(slotFor("c", 7n, [...others, { id: "c", nonce: 7n }], 5n), 7n);
  // The proposal before it was withdrawn: c moves into the gap, and is signed again.
  assert.equal(slotFor("c", 7n, [{ id: "a", nonce: 5n }], 5n), 6n);
  // The Safe has passed its number.
  assert.equal(slotFor("a", 5n, others, 6n), 7n);
  // Two may collect for the same number: the first with enough approvals takes it.
  assert.equal(slotFor("a", 5n, [{ id: "b", nonce: 5n }], 5n), 5n);
});

it("lets nobody alone move a proposal to another number than others approved", () => {
  const owners: Address[] = [
    "0x0000000000000000000000000000000000000001",
    "0x0000000000000000000000000000000000000002",
  ];
  const [ann, bob] = owners as [Address, Address];
  const approval = (signer: Address, nonce: bigint) => ({ signer, nonce }) as ApprovalRow;
  const state = { owners, nonce: 5n };
  const row = { nonce: 6n, approvals: [approval(ann, 6n)] };
  assert.equal(movesTo(50n, bob, row, state), false);
  assert.equal(movesTo(5n, bob, { ...row, approvals: [...row.approvals, approval(ann, 5n)] }, state), true);
  assert.equal(movesTo(7n, bob, row, { owners, nonce: 7n }), true);
});
