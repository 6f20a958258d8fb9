import { expect } from "chai";
import { concat, getAddress, type Hex, keccak256, stringToHex, zeroHash } from "viem";
import * as S from "../scheme.ts";
import {
  attempt,
  type Change,
  record,
  register,
  rootOf,
  Status,
  setStatus,
  statusOf,
} from "../support/certificates.ts";

describe("Certificates: registration", () => {
  it("makes a certificate without allocation valid immediately", async () => {
    const s = await S.loadScheme();
    const entry = S.registration();
    const call = s.certificates.write.registerCertificate([entry], { account: s.registrar.account });
    await S.emits(call, s.certificates, "CertificateRegistered", [1, 1, entry]);
    await S.emits(call, s.certificates, "CertificateStatusChanged", [1, Status.Valid, ""]);
    expect(await s.certificates.read.certificateOf([1])).to.deep.equal({
      implementer: 1,
      plan: 0,
      status: Status.Valid,
      verifiedReduction: entry.verifiedReduction,
      issued: 0n,
      allocationCount: 0,
      recordedCount: 0,
      allocated: 0n,
      firstSerial: entry.firstSerial,
      lastSerial: entry.lastSerial,
    });
    expect(await s.certificates.read.certificateIndex([S.hashOf(entry.certificateId)])).to.equal(1);
    expect(await s.certificates.read.isSpendable([1])).to.equal(true);
  });

  it("leaves a certificate pending while its allocation is incomplete", async () => {
    const s = await S.loadScheme();
    const certificate = await register(s, { allocationCount: 2 });
    expect(await statusOf(s, certificate)).to.equal(Status.Pending);
    expect(await s.certificates.read.isSpendable([certificate])).to.equal(false);
  });

  it("refuses a registration that breaks a rule", async () => {
    const s = await S.loadScheme();
    const { certificates } = s;
    const stranger = s.operator.account;
    const missing = [getAddress(stranger.address), S.Role.registrar];
    const calls = [
      certificates.write.registerCertificate([S.registration()], { account: stranger }),
      certificates.write.registerAllocated([S.registration(), "0x"], { account: stranger }),
      certificates.write.recordAllocation([1, "0x"], { account: stranger }),
      certificates.write.setCertificateStatus([1, Status.Revoked, ""], { account: stranger }),
    ];
    for (const call of calls) await S.reverts(call, s.participants, "MissingRole", missing);
    await S.reverts(attempt(s, { certificateId: "" }), certificates, "EmptyId", []);
    await S.reverts(attempt(s, { registry: "" }), certificates, "EmptyId", []);
    await S.reverts(attempt(s, { implementer: 9 }), certificates, "UnknownImplementer", [9]);
    await S.reverts(attempt(s, { plan: 9 }), certificates, "UnknownPlan", [9]);
    await S.reverts(attempt(s, { periodStart: 5, periodEnd: 4 }), certificates, "InvalidPeriod", [5, 4]);
    await S.reverts(attempt(s, { verifiedReduction: 0n }), certificates, "InvalidAmount", []);
    const backwards = attempt(s, { firstSerial: 9n, lastSerial: 8n });
    await S.reverts(backwards, certificates, "InvalidSerials", [9n, 8n]);
    await S.reverts(attempt(s, { credentialHash: zeroHash }), certificates, "EmptyCredentialHash", []);
    const verifier = S.hashOf("did:nobody");
    const untrusted = attempt(s, { verifier });
    await S.reverts(untrusted, certificates, "VerifierNotTrusted", [verifier, 1_700_000_000n]);
  });

  it("asks for the verifier's trust at the time of the credential", async () => {
    const s = await S.loadScheme();
    const did = "did:example:verifier";
    const registrar = { account: s.registrar.account };
    await s.participants.write.trustIssuer([did, [], 1_700_000_001n, 0n], registrar);
    const early = attempt(s);
    await S.reverts(early, s.certificates, "VerifierNotTrusted", [S.hashOf(did), 1_700_000_000n]);
    await attempt(s, { credentialIssuedAt: 1_700_000_001n });
  });

  it("uses an id once and a credential once", async () => {
    const s = await S.loadScheme();
    const entry = S.registration();
    await attempt(s, entry);
    const sameId = attempt(s, { certificateId: entry.certificateId });
    await S.reverts(sameId, s.certificates, "AlreadyRegistered", [S.hashOf(entry.certificateId), 1]);
    const sameCredential = attempt(s, { credentialHash: entry.credentialHash });
    await S.reverts(sameCredential, s.certificates, "CredentialAlreadyUsed", [entry.credentialHash, 1]);
  });
});

describe("Certificates: serials", () => {
  const range = (firstSerial: number, lastSerial: number, change: Change = {}) => ({
    registry: "R",
    firstSerial: BigInt(firstSerial),
    lastSerial: BigInt(lastSerial),
    ...change,
  });

  it("refuses a range that overlaps another, and names that range's certificate", async () => {
    const s = await S.loadScheme();
    await register(s, range(100, 199));
    await register(s, range(300, 399));
    const meets: [number, number, number][] = [
      [50, 100, 1],
      [199, 250, 1],
      [100, 199, 1],
      [120, 130, 1],
      [50, 500, 1],
      [200, 300, 2],
      [399, 400, 2],
    ];
    for (const [first, last, holder] of meets) {
      const args = ["R", BigInt(first), BigInt(last), holder];
      await S.reverts(attempt(s, range(first, last)), s.certificates, "SerialsOverlap", args);
    }
  });

  it("accepts adjacent ranges, in any order, and the same range of another registry", async () => {
    const s = await S.loadScheme();
    for (const [first, last] of [
      [300, 399],
      [100, 199],
      [200, 299],
      [0, 99],
      [400, 400],
    ] as const) {
      await register(s, range(first, last));
    }
    await register(s, range(100, 199, { registry: "Other" }));
    const predecessor = (serial: bigint, registry = "R") => s.certificates.read.serialPredecessor([registry, serial]);
    expect(await predecessor(0n)).to.equal(4);
    expect(await predecessor(250n)).to.equal(3);
    expect(await predecessor(10_000n)).to.equal(5);
    expect(await predecessor(99n, "Other")).to.equal(0);
    expect(await predecessor(100n, "Other")).to.equal(6);
    expect(await predecessor(100n, "None")).to.equal(0);
  });

  it("treats all spellings of a registry's name as one registry, and accepts only the first spelling", async () => {
    const s = await S.loadScheme();
    const first = await register(s, range(1, 100, { registry: "Demo-Registry 1" }));
    expect(await s.certificates.read.registryNameHash(["demo registry-1"])).to.equal(
      keccak256(stringToHex("Demo-Registry 1")),
    );
    for (const registry of [
      "demo registry 1",
      "Demo-Registry-1",
      "DEMOREGISTRY1",
      "Demo_Registry.1",
      " Demo-Registry 1",
    ]) {
      for (const serials of [range(1, 100, { registry }), range(101, 200, { registry })]) {
        await S.reverts(attempt(s, serials), s.certificates, "RegistrySpelledDifferently", [registry]);
      }
      expect(await s.certificates.read.serialPredecessor([registry, 50n])).to.equal(first);
    }
    const again = attempt(s, range(100, 200, { registry: "Demo-Registry 1" }));
    await S.reverts(again, s.certificates, "SerialsOverlap", ["Demo-Registry 1", 100n, 200n, first]);
    await register(s, range(101, 200, { registry: "Demo-Registry 1" }));
    await register(s, range(1, 100, { registry: "Demo-Registry 2" }));
  });

  it("refuses a registry's name without letter or digit, or with characters that are not printable ASCII", async () => {
    const s = await S.loadScheme();
    for (const registry of [" ", "--", "Dem\u043e-Registry", "Demo\u200b", "Demo\n", "\u007f1"]) {
      await S.reverts(attempt(s, range(1, 9, { registry })), s.certificates, "RegistryNameInvalid", [registry]);
      expect(await s.certificates.read.registryNameHash([registry])).to.equal(zeroHash);
    }
    await register(s, range(1, 9, { registry: "~ A ~" }));
    await register(s, range(1, 9, { registry: "z0" }));
    await register(s, range(1, 9, { registry: "Z9" }));
  });

  it("ignores a hint that is unknown, of another registry, or behind the range", async () => {
    const s = await S.loadScheme();
    const other = await register(s, range(0, 9, { registry: "Other" }));
    const behind = await register(s, range(900, 999));
    for (const [i, predecessor] of [other, behind, 77].entries()) {
      await register(s, range(100 + i, 100 + i, { predecessor }));
    }
    const overlap = attempt(s, range(102, 103, { predecessor: behind }));
    await S.reverts(overlap, s.certificates, "SerialsOverlap", ["R", 102n, 103n, 5]);
  });

  it("searches at most 64 steps from the hint", async () => {
    const s = await S.loadScheme();
    for (let i = 0; i < 65; i++) await register(s, range(i, i, { predecessor: i }));
    const far = attempt(s, range(65, 65));
    await S.reverts(far, s.certificates, "PredecessorTooFar", [0]);
    await register(s, range(65, 65, { predecessor: 1 }));
    expect(await s.certificates.read.serialPredecessor(["R", 65n])).to.equal(66);
  });
});

describe("Certificates: allocation", () => {
  const pending = (s: S.Scheme, leaves: S.Leaf[], change: Change = {}) =>
    register(s, {
      verifiedReduction: leaves.reduce((sum, leaf) => sum + leaf.amount, 0n),
      allocationCount: leaves.length,
      ...change,
    });
  const leaf = (household: number, amount = 1n): S.Leaf => ({ household, amount });

  it("records chunk by chunk and becomes valid with the last leaf", async () => {
    const s = await S.loadScheme();
    const leaves = S.evenLeaves(258);
    const certificate = await pending(s, leaves);
    const [first, second] = [S.packLeaves(leaves.slice(0, 256)), S.packLeaves(leaves.slice(256))];
    const roots = [rootOf(leaves.slice(0, 256)), rootOf(leaves.slice(256))];
    const total = 25_600n * S.CARBON;
    const one = record(s, certificate, first);
    await S.emits(one, s.certificates, "AllocationRecorded", [certificate, 0, roots[0], total, first]);
    expect(await s.certificates.getEvents.CertificateStatusChanged()).to.have.length(0);
    expect(await s.certificates.read.certificateOf([certificate])).to.include({
      status: Status.Pending,
      recordedCount: 256,
      allocated: total,
    });
    const two = record(s, certificate, second);
    await S.emits(two, s.certificates, "AllocationRecorded", [certificate, 1, roots[1], 200n * S.CARBON, second]);
    await S.emits(two, s.certificates, "CertificateStatusChanged", [certificate, Status.Valid, ""]);
    expect(await s.certificates.read.chunkRoot([certificate, 1])).to.equal(roots[1]);
    const both = keccak256(concat(roots as [Hex, Hex]));
    expect(await s.certificates.read.allocationRoot([certificate])).to.equal(both);
  });

  it("registers and records in one call", async () => {
    const s = await S.loadScheme();
    const leaves = S.evenLeaves(300);
    const certificate = await S.registerAllocated(s, leaves);
    expect(await statusOf(s, certificate)).to.equal(Status.Valid);
    expect(await s.certificates.getEvents.AllocationRecorded()).to.have.length(2);
  });

  it("calculates a root for every size of a chunk", async () => {
    const s = await S.loadScheme();
    for (const size of [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 31, 255, 256]) {
      const leaves = S.evenLeaves(size);
      const certificate = await S.registerAllocated(s, leaves);
      expect(await s.certificates.read.chunkRoot([certificate, 0])).to.equal(rootOf(leaves));
      expect(await s.certificates.read.allocationRoot([certificate])).to.equal(rootOf(leaves));
    }
    expect(await s.certificates.read.allocationRoot([99])).to.equal(zeroHash);
  });

  it("refuses bytes that are not leaves, and an incomplete chunk before the last", async () => {
    const s = await S.loadScheme();
    const certificate = await pending(s, S.evenLeaves(258));
    const bytes = S.packLeaves(S.evenLeaves(257));
    await S.reverts(record(s, certificate, "0x"), s.certificates, "InvalidLeaves", [0n]);
    await S.reverts(record(s, certificate, "0x0000"), s.certificates, "InvalidLeaves", [2n]);
    await S.reverts(record(s, certificate, bytes), s.certificates, "InvalidLeaves", [3084n]);
    const ragged = concat([S.packLeaves(S.evenLeaves(256)), "0x00"]);
    await S.reverts(record(s, certificate, ragged), s.certificates, "InvalidLeaves", [3073n]);
  });

  it("refuses more leaves than announced, and leaves for a certificate without allocation, revoked or unknown", async () => {
    const s = await S.loadScheme();
    const { certificates } = s;
    const certificate = await pending(s, [leaf(1), leaf(2)]);
    const three = S.packLeaves([leaf(1), leaf(2), leaf(3)]);
    await S.reverts(record(s, certificate, three), certificates, "TooManyLeaves", [certificate, 3n, 2]);
    const whole = await register(s);
    await S.reverts(record(s, whole, three), certificates, "TooManyLeaves", [whole, 3n, 0]);
    await setStatus(s, certificate, Status.Revoked);
    const revoked = record(s, certificate, S.packLeaves([leaf(1), leaf(2)]));
    await S.reverts(revoked, certificates, "CertificateNotValid", [certificate, Status.Revoked]);
    await S.reverts(record(s, 99, three), certificates, "UnknownCertificate", [99]);
  });

  it("requires households in strictly ascending order, also across calls", async () => {
    const s = await S.loadScheme();
    const attempts: [S.Leaf[], number, number][] = [
      [[leaf(2), leaf(2)], 2, 2],
      [[leaf(2), leaf(1)], 2, 1],
      [[leaf(0), leaf(1)], 0, 0],
    ];
    for (const [leaves, previous, household] of attempts) {
      const certificate = await pending(s, leaves);
      const call = record(s, certificate, S.packLeaves(leaves));
      await S.reverts(call, s.certificates, "HouseholdsNotAscending", [previous, household]);
    }
    const leaves = [...S.evenLeaves(256), leaf(256)];
    const certificate = await pending(s, leaves);
    await record(s, certificate, S.packLeaves(leaves.slice(0, 256)));
    const again = record(s, certificate, S.packLeaves(leaves.slice(256)));
    await S.reverts(again, s.certificates, "HouseholdsNotAscending", [256, 256]);
  });

  it("refuses households that are not registered and amounts of 0", async () => {
    const s = await S.loadScheme();
    const unknown = await pending(s, [leaf(300), leaf(301)]);
    const call = record(s, unknown, S.packLeaves([leaf(300), leaf(301)]));
    await S.reverts(call, s.certificates, "HouseholdNotRegistered", [301]);
    const zero = record(s, unknown, S.packLeaves([leaf(1), leaf(2, 0n)]));
    await S.reverts(zero, s.certificates, "InvalidAmount", []);
    const huge = record(s, unknown, S.packLeaves([leaf(1, S.NO_BOUND), leaf(2)]));
    await S.reverts(huge, s.certificates, "InvalidAmount", []);
  });

  it("finds a household out of order, and an amount of 0, at every position of a chunk", async () => {
    const s = await S.loadScheme();
    for (const size of [5, 6]) {
      for (let place = 0; place < size; place++) {
        const without = S.evenLeaves(size).map((each, i) => (i === place ? { ...each, amount: 0n } : each));
        const certificate = await pending(s, without);
        await S.reverts(record(s, certificate, S.packLeaves(without)), s.certificates, "InvalidAmount", []);
        // The previous household again; the first has none before it.
        const twice = S.evenLeaves(size).map((each, i) => (i === place ? { ...each, household: place } : each));
        const refusal = [place, place];
        const call = record(s, certificate, S.packLeaves(twice));
        await S.reverts(call, s.certificates, "HouseholdsNotAscending", refusal);
      }
    }
  });

  it("refuses a sum that is not the reduction", async () => {
    const s = await S.loadScheme();
    const certificate = await pending(s, [leaf(1), leaf(2, 9n)]);
    for (const amount of [8n, 10n]) {
      const call = record(s, certificate, S.packLeaves([leaf(1), leaf(2, amount)]));
      await S.reverts(call, s.certificates, "AllocationSumMismatch", [certificate, amount + 1n, 10n]);
    }
  });

  it("refuses a sum that is reached before the last leaf, or that 64 bits cannot hold", async () => {
    const s = await S.loadScheme();
    const leaves = S.evenLeaves(258);
    const early = await pending(s, leaves, { verifiedReduction: 25_600n * S.CARBON });
    const call = record(s, early, S.packLeaves(leaves.slice(0, 256)));
    const args = [early, 25_600n * S.CARBON, 25_600n * S.CARBON];
    await S.reverts(call, s.certificates, "AllocationSumMismatch", args);
    const half = S.NO_BOUND / 256n;
    const huge = Array.from({ length: 257 }, (_, i) => leaf(i + 1, i === 256 ? S.NO_BOUND : half));
    const certificate = await pending(s, huge, { verifiedReduction: S.NO_BOUND });
    const over = record(s, certificate, S.packLeaves(huge));
    await S.reverts(over, s.certificates, "AllocationSumMismatch", [certificate, S.NO_BOUND, S.NO_BOUND]);
  });
});

describe("Certificates: status", () => {
  it("suspends, reinstates and revokes, and notifies the ledger each time", async () => {
    const s = await S.loadScheme();
    const certificate = await register(s);
    for (const [status, halted] of [
      [Status.Suspended, true],
      [Status.Valid, false],
      [Status.Suspended, true],
      [Status.Revoked, true],
    ] as const) {
      const call = setStatus(s, certificate, status);
      await S.emits(call, s.certificates, "CertificateStatusChanged", [certificate, status, "why"]);
      expect(await s.vouchers.read.certificateHalted([certificate])).to.equal(halted);
      expect(await s.certificates.read.isSpendable([certificate])).to.equal(!halted);
    }
  });

  it("allows no other change", async () => {
    const s = await S.loadScheme();
    const refuse = async (certificate: number, from: number, targets: number[]) => {
      for (const to of targets) {
        await S.reverts(setStatus(s, certificate, to), s.certificates, "StatusNotAllowed", [certificate, from, to]);
      }
    };
    const { None, Pending, Valid, Suspended, Revoked } = Status;
    const pending = await register(s, { allocationCount: 2 });
    await refuse(pending, Pending, [None, Pending, Valid, Suspended]);
    const certificate = await register(s);
    await refuse(certificate, Valid, [None, Pending, Valid]);
    await setStatus(s, certificate, Suspended);
    await refuse(certificate, Suspended, [None, Pending, Suspended]);
    await setStatus(s, certificate, Revoked);
    await refuse(certificate, Revoked, [None, Pending, Valid, Suspended, Revoked]);
    await S.reverts(setStatus(s, 99, Revoked), s.certificates, "UnknownCertificate", [99]);
  });
});
