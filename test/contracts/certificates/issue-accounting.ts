import { expect } from "chai";
import { getAddress, type Hex, zeroHash } from "viem";
import * as S from "../scheme.ts";
import { register, rootOf, Status, setStatus, withLedger } from "../support/certificates.ts";

describe("Certificates: issue accounting", () => {
  const leaves = S.evenLeaves(258);

  it("accepts only the voucher ledger as caller", async () => {
    const s = await S.loadScheme();
    const stranger = { account: s.operator.account };
    const { write } = s.certificates;
    const calls = [
      write.issueChunk([1, 0], stranger),
      write.issueLeaf([1, 0, 1, 1n, []], stranger),
      write.issueWhole([1, 1, 1n], stranger),
      write.returnRest([1, 1n], stranger),
      write.reissueRest([1, 1n], stranger),
    ];
    const args = [getAddress(s.operator.account.address)];
    for (const call of calls) await S.reverts(call, s.certificates, "OnlyVouchers", args);
  });

  it("issues nothing from a certificate that is unknown or not valid", async () => {
    const { s, ledger } = await withLedger();
    const certificate = await register(s);
    await setStatus(s, certificate, Status.Suspended);
    const { write } = s.certificates;
    const calls = (index: number) => [
      write.issueChunk([index, 0], ledger),
      write.issueLeaf([index, 0, 1, 1n, []], ledger),
      write.issueWhole([index, 1, 1n], ledger),
      write.reissueRest([index, 1n], ledger),
    ];
    for (const call of calls(99)) await S.reverts(call, s.certificates, "UnknownCertificate", [99]);
    const suspended = [certificate, Status.Suspended];
    for (const call of calls(certificate)) await S.reverts(call, s.certificates, "CertificateNotValid", suspended);
  });

  it("issues a whole chunk, once", async () => {
    const { s, ledger } = await withLedger();
    const certificate = await S.registerAllocated(s, leaves);
    const root = rootOf(leaves.slice(256));
    const { result } = await s.certificates.simulate.issueChunk([certificate, 1], ledger);
    expect(result).to.deep.equal([root, 2, 200n * S.CARBON, 0]);
    await s.certificates.write.issueChunk([certificate, 1], ledger);
    const again = await s.certificates.simulate.issueChunk([certificate, 1], ledger);
    expect(again.result).to.deep.equal([root, 0, 200n * S.CARBON, 0]);
    await s.certificates.write.issueChunk([certificate, 1], ledger);
    expect((await s.certificates.read.certificateOf([certificate])).issued).to.equal(200n * S.CARBON);
    const issued = [255, 256, 257, 258].map((leaf) => s.certificates.read.isLeafIssued([certificate, leaf]));
    expect(await Promise.all(issued)).to.deep.equal([false, true, true, false]);
    const beyond = s.certificates.write.issueChunk([certificate, 2], ledger);
    await S.reverts(beyond, s.certificates, "ChunkNotRecorded", [certificate, 2]);
  });

  it("issues a leaf by its proof, once, and then refuses its chunk", async () => {
    const { s, ledger } = await withLedger();
    const certificate = await S.registerAllocated(s, leaves);
    const amount = 100n * S.CARBON;
    const issue = (leaf: number) => {
      const chunk = leaf < 256 ? leaves.slice(0, 256) : leaves.slice(256);
      return s.certificates.write.issueLeaf(
        [certificate, leaf, leaf + 1, amount, S.proofOf(chunk, leaf % 256)],
        ledger,
      );
    };
    await issue(3);
    expect((await s.certificates.read.certificateOf([certificate])).issued).to.equal(amount);
    await S.reverts(issue(3), s.certificates, "LeafAlreadyIssued", [certificate, 3]);
    const { result } = await s.certificates.simulate.issueChunk([certificate, 0], ledger);
    expect(result[1]).to.equal(0);
    await issue(4);
    await s.certificates.write.issueChunk([certificate, 1], ledger);
    await S.reverts(issue(257), s.certificates, "LeafAlreadyIssued", [certificate, 257]);
    expect((await s.certificates.read.certificateOf([certificate])).issued).to.equal(4n * amount);
    expect(await s.certificates.read.isLeafIssued([certificate, 4])).to.equal(true);
    expect(await s.certificates.read.isLeafIssued([certificate, 5])).to.equal(false);
  });

  it("refuses a leaf that is not in the allocation at that position", async () => {
    const { s, ledger } = await withLedger();
    const three = S.evenLeaves(3);
    const certificate = await S.registerAllocated(s, three);
    const proof = S.proofOf(three, 1);
    const amount = 100n * S.CARBON;
    const issue = (leaf: number, household: number, value: bigint, path: Hex[]) =>
      s.certificates.write.issueLeaf([certificate, leaf, household, value, path], ledger);
    const attempts: [number, number, bigint, Hex[]][] = [
      [1, 2, amount + 1n, proof],
      [1, 1, amount, proof],
      [0, 2, amount, proof],
      [5, 2, amount, proof],
      [1, 2, amount, proof.slice(1)],
      [1, 2, amount, [...proof, zeroHash]],
    ];
    for (const args of attempts) {
      await S.reverts(issue(...args), s.certificates, "ProofInvalid", [certificate, args[0]]);
    }
    await S.reverts(issue(256, 2, amount, proof), s.certificates, "ChunkNotRecorded", [certificate, 1]);
    const whole = await register(s);
    const none = s.certificates.write.issueLeaf([whole, 0, 1, amount, []], ledger);
    await S.reverts(none, s.certificates, "ChunkNotRecorded", [whole, 0]);
    await issue(1, 2, amount, proof);
  });

  it("issues an unallocated certificate whole and only once", async () => {
    const { s, ledger } = await withLedger();
    const certificate = await register(s);
    const amount = 100n * S.CARBON;
    const issue = (index: number, household: number, value: bigint) =>
      s.certificates.write.issueWhole([index, household, value], ledger);
    for (const household of [0, 301]) {
      const call = issue(certificate, household, amount);
      await S.reverts(call, s.certificates, "HouseholdNotRegistered", [household]);
    }
    for (const value of [amount - 1n, amount + 1n]) {
      const call = issue(certificate, 1, value);
      await S.reverts(call, s.certificates, "AllocationSumMismatch", [certificate, value, amount]);
    }
    const allocated = await S.registerAllocated(s, S.evenLeaves(1));
    await S.reverts(issue(allocated, 1, amount), s.certificates, "NotUnallocated", [allocated]);
    await issue(certificate, 1, amount);
    expect(await s.certificates.read.isLeafIssued([certificate, 0])).to.equal(true);
    expect(await s.certificates.read.isLeafIssued([certificate, 1])).to.equal(false);
    await s.certificates.write.returnRest([certificate, amount], ledger);
    await S.reverts(issue(certificate, 1, amount), s.certificates, "LeafAlreadyIssued", [certificate, 0]);
  });

  it("takes an unspent rest back and issues it again, never more than was verified", async () => {
    const { s, ledger } = await withLedger();
    const certificate = await register(s);
    const amount = 100n * S.CARBON;
    await s.certificates.write.issueWhole([certificate, 1, amount], ledger);
    const tooMuch = s.certificates.write.returnRest([certificate, amount + 1n], ledger);
    await S.reverts(tooMuch, s.certificates, "InvalidAmount", []);
    await s.certificates.write.returnRest([certificate, 40n], ledger);
    expect((await s.certificates.read.certificateOf([certificate])).issued).to.equal(amount - 40n);
    const args = [certificate, amount - 40n, 41n, amount];
    const over = s.certificates.write.reissueRest([certificate, 41n], ledger);
    await S.reverts(over, s.certificates, "IssueExceedsReduction", args);
    await s.certificates.write.reissueRest([certificate, 40n], ledger);
    expect((await s.certificates.read.certificateOf([certificate])).issued).to.equal(amount);
  });
});
