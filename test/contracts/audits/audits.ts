import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { expect } from "chai";
import { getAddress, type Hex, zeroHash } from "viem";
import * as S from "../scheme.ts";

const { networkHelpers, viem } = S.connection;

async function auditsAlone() {
  const { council, operator, stranger } = await S.accounts();
  const participants = await viem.deployContract("Participants", [council.account.address]);
  await participants.write.grantRole([S.Role.operator, operator.account.address, 0]);
  const audits = await viem.deployContract("Audits", [participants.address]);
  const today = Math.floor((await networkHelpers.time.latest()) / 86_400);
  const anchor = (day: number, root: Hex, account = operator.account) =>
    audits.write.anchorRoot([day, root, 2n, 9n], { account });
  return { participants, audits, stranger, today, anchor };
}

const root = S.hashOf("a root");

describe("Audits", () => {
  it("keeps a root for each day, by an operator", async () => {
    const { audits, today, anchor } = await networkHelpers.loadFixture(auditsAlone);
    expect(await audits.read.latestDay()).to.equal(0);
    await S.emits(anchor(today - 3, root), audits, "AuditRootAnchored", [today - 3, root, 2n, 9n]);
    const later = S.hashOf("a later root");
    await S.emits(anchor(today, later), audits, "AuditRootAnchored", [today, later, 2n, 9n]);
    expect(await audits.read.rootOf([today - 3])).to.equal(root);
    expect(await audits.read.rootOf([today])).to.equal(later);
    expect(await audits.read.rootOf([today - 1])).to.equal(zeroHash);
    expect(await audits.read.latestDay()).to.equal(today);
  });

  it("refuses every caller but an operator", async () => {
    const { audits, participants, stranger, today, anchor } = await networkHelpers.loadFixture(auditsAlone);
    const strange = anchor(today, root, stranger.account);
    await S.reverts(strange, participants, "MissingRole", [getAddress(stranger.account.address), S.Role.operator]);
    expect(await audits.read.latestDay()).to.equal(0);
  });

  it("refuses an empty root, a day that is recorded or before a recorded one, and a future day", async () => {
    const { audits, today, anchor } = await networkHelpers.loadFixture(auditsAlone);
    await S.reverts(anchor(today, zeroHash), audits, "EmptyAuditRoot", [today]);
    await S.reverts(anchor(today + 1, root), audits, "AuditDayInFuture", [today + 1, today]);
    await anchor(today - 1, root);
    await S.reverts(anchor(today - 1, root), audits, "AuditDayNotLater", [today - 1, today - 1]);
    await S.reverts(anchor(today - 2, root), audits, "AuditDayNotLater", [today - 2, today - 1]);
    expect(await audits.read.rootOf([today - 2])).to.equal(zeroHash);
  });

  it("accepts a day from its first second on", async () => {
    const { audits, today, anchor } = await networkHelpers.loadFixture(auditsAlone);
    const midnight = BigInt(today + 1) * S.DAY;
    await networkHelpers.time.setNextBlockTimestamp(midnight - 1n);
    await S.reverts(anchor(today + 1, root), audits, "AuditDayInFuture", [today + 1, today]);
    await networkHelpers.time.setNextBlockTimestamp(midnight);
    await anchor(today + 1, root);
  });

  it("records the root of a standard tree, against which leaves can be proven", async () => {
    const { audits, today, anchor } = await networkHelpers.loadFixture(auditsAlone);
    const leaves = [1, 2, 3].map((n) => [S.hashOf(`tag ${n}`), BigInt(n), S.hashOf(`head ${n}`)]);
    const types = ["bytes32", "uint64", "bytes32"];
    const tree = StandardMerkleTree.of(leaves, types);
    await anchor(today, tree.root as Hex);
    const anchored = await audits.read.rootOf([today]);
    expect(StandardMerkleTree.verify(anchored, types, leaves[1]!, tree.getProof(1))).to.equal(true);
    expect(StandardMerkleTree.verify(anchored, types, [...leaves[1]!.slice(0, 2), root], tree.getProof(1))).to.equal(
      false,
    );
  });
});
