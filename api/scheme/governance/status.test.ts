import assert from "node:assert/strict";
import { it } from "node:test";
import { pad, zeroHash } from "viem";
import type { CouncilHistory, PastOperation } from "./history.ts";
import { joinProposal, joinProposals, type ProposalStatus } from "./status.ts";
import type { StoredProposal } from "./store.ts";

const id = pad("0x1");
const mark = (time: bigint) => ({ transactionHash: zeroHash, blockNumber: time, time });
const operation = { calls: [], predecessor: zeroHash, salt: zeroHash, delay: 100n, batch: true };
const at = (seconds: number) => new Date(seconds * 1000);
const row = {
  id,
  kind: "operation",
  createdAt: at(0),
  expiresAt: at(50),
  withdrawnAt: null,
  approvals: [],
} as unknown as StoredProposal;
const history = (past?: Partial<PastOperation>): CouncilHistory => ({
  operations: new Map(past === undefined ? [] : [[id, { id, operation, scheduled: mark(10n), ...past }]]),
  done: new Map([[pad("0x9"), mark(5n)]]),
});

it("reads a proposal's state from the chain, and from its row only while it is not on the chain", () => {
  const status = (
    given: StoredProposal | null,
    past: Partial<PastOperation> | undefined,
    now: number,
  ): ProposalStatus => joinProposal(id, given, history(past), at(now)).status;
  assert.equal(status(row, undefined, 49), "collecting");
  assert.equal(status(row, undefined, 50), "expired");
  assert.equal(status({ ...row, withdrawnAt: at(1) }, undefined, 2), "cancelled");
  // A proposal that was scheduled in time stays scheduled after its row expires.
  assert.equal(status({ ...row, withdrawnAt: at(1) }, {}, 109), "scheduled");
  assert.equal(status(row, {}, 110), "ready");
  assert.equal(status(null, {}, 10_000), "ready");
  assert.equal(status(row, { cancelled: mark(20n) }, 200), "cancelled");
  assert.equal(status(row, { executed: mark(120n) }, 200), "executed");
});

it("knows a decision of the Safe itself by the hash that was signed", () => {
  const approvals = [{ safeTxHash: pad("0x8") }, { safeTxHash: pad("0x9") }] as StoredProposal["approvals"];
  assert.equal(joinProposal(id, { ...row, kind: "direct", approvals }, history(), at(60)).status, "executed");
  assert.equal(joinProposal(id, { ...row, kind: "operation", approvals }, history(), at(40)).status, "collecting");
});

it("lists rows and what only the chain knows once, newest first", () => {
  const other = { ...row, id: pad("0x2"), createdAt: at(30) } as StoredProposal;
  const all = joinProposals([other], history({}), at(20));
  assert.deepEqual(
    all.map((each) => [each.id, each.row === null]),
    [
      [pad("0x2"), false],
      [id, true],
    ],
  );
  assert.equal(joinProposals([row], history({}), at(20)).length, 1);
});
