import { expect } from "chai";
import * as S from "../scheme.ts";
import { as, at, type Bare, load } from "../support/participants.ts";

const { networkHelpers } = S.connection;

describe("Participants: trusted issuers", () => {
  const did = "did:issuer";
  const issuer = S.hashOf(did);
  const [delivery, reduction] = [S.hashOf("Delivery"), S.hashOf("Reduction")];

  /** Grant, end and read trust, at seconds counted from a future time. */
  async function world() {
    const { participants, registrar, operator } = await load();
    const start = BigInt(await networkHelpers.time.latest()) + 10_000n;
    const at = (seconds: bigint) => networkHelpers.time.setNextBlockTimestamp(start + seconds);
    return {
      participants,
      registrar,
      operator,
      start,
      reach: (seconds: bigint) => networkHelpers.time.increaseTo(start + seconds),
      trust: async (second: bigint, types: string[], from = 0n, until = 0n) => {
        await at(second);
        return participants.write.trustIssuer([did, types, from, until], as(registrar));
      },
      end: async (second: bigint) => {
        await at(second);
        return participants.write.endIssuerTrust([did], as(registrar));
      },
      trusted: (type: typeof delivery, time: bigint) => participants.read.isTrusted([issuer, type, time]),
    };
  }

  it("trusts credentials issued within the period, its ends included, only of the given types", async () => {
    const w = await world();
    const [from, until] = [w.start - 50n, w.start + 50n];
    const call = w.trust(0n, ["Delivery"], from, until);
    await S.emits(call, w.participants, "IssuerTrusted", [issuer, did, ["Delivery"], from, until]);
    const times = [from - 1n, from, until, until + 1n];
    expect(await Promise.all(times.map((time) => w.trusted(delivery, time)))).to.deep.equal([false, true, true, false]);
    expect(await w.trusted(reduction, from)).to.equal(false);
  });

  it("trusts nothing before the period begins or after it ends", async () => {
    const w = await world();
    await w.trust(0n, ["Delivery"], w.start + 100n, w.start + 200n);
    expect(await w.trusted(delivery, w.start + 150n)).to.equal(false);
    await w.reach(100n);
    expect(await w.trusted(delivery, w.start + 150n)).to.equal(true);
    await w.reach(200n);
    expect(await w.trusted(delivery, w.start + 150n)).to.equal(true);
    await w.reach(201n);
    expect(await w.trusted(delivery, w.start + 150n)).to.equal(false);
  });

  it("changes a current period, and adds types to it", async () => {
    const w = await world();
    await w.trust(0n, ["Delivery"], w.start, w.start + 50n);
    await w.trust(10n, ["Reduction"]);
    for (const type of [delivery, reduction]) {
      expect(await w.trusted(type, 0n)).to.equal(true);
      expect(await w.trusted(type, 2n ** 64n - 1n)).to.equal(true);
    }
  });

  it("ends trust immediately, also for credentials issued before", async () => {
    const w = await world();
    await w.trust(0n, ["Delivery"]);
    expect(await w.trusted(delivery, w.start)).to.equal(true);
    await S.emits(w.end(100n), w.participants, "IssuerTrustEnded", [issuer, did, w.start + 99n]);
    expect(await w.trusted(delivery, w.start)).to.equal(false);
    expect(await w.trusted(delivery, w.start + 100n)).to.equal(false);
  });

  it("never revives an ended period by trusting again: the next begins now, only for the given types", async () => {
    const w = await world();
    await w.trust(0n, ["Delivery", "Reduction"]);
    await w.end(100n);
    const again = w.trust(200n, ["Delivery"]);
    await S.emits(again, w.participants, "IssuerTrusted", [issuer, did, ["Delivery"], w.start + 200n, 0n]);
    expect(await w.trusted(delivery, w.start + 99n)).to.equal(false);
    expect(await w.trusted(delivery, w.start + 199n)).to.equal(false);
    expect(await w.trusted(delivery, w.start + 200n)).to.equal(true);
    expect(await w.trusted(reduction, w.start + 200n)).to.equal(false);
    // Not by another change of the new period either.
    await w.trust(300n, ["Reduction"], 1n);
    expect(await w.trusted(delivery, w.start + 199n)).to.equal(false);
    expect(await w.trusted(reduction, w.start + 200n)).to.equal(true);
  });

  it("never revives a period that has passed", async () => {
    const w = await world();
    await w.trust(0n, ["Delivery"], 0n, w.start + 50n);
    await w.trust(51n, ["Reduction"]);
    expect(await w.trusted(delivery, w.start + 51n)).to.equal(false);
    expect(await w.trusted(reduction, w.start + 50n)).to.equal(false);
    expect(await w.trusted(reduction, w.start + 51n)).to.equal(true);
  });

  it("includes the last second of a period", async () => {
    const w = await world();
    await w.trust(0n, ["Delivery"], 0n, w.start + 50n);
    await w.trust(50n, ["Reduction"]);
    expect(await w.trusted(delivery, 0n)).to.equal(true);
  });

  it("never extends trust by ending it", async () => {
    const w = await world();
    await w.trust(0n, ["Delivery"], 0n, 200n);
    await S.emits(w.end(1n), w.participants, "IssuerTrustEnded", [issuer, did, 200n]);
  });

  it("refuses callers without the role, empty ids and invalid periods", async () => {
    const { participants, registrar, operator, trust: begin, end: stop, start } = await world();
    const trust = (id: string, from: bigint, until: bigint, by = registrar) =>
      participants.write.trustIssuer([id, [], from, until], as(by));
    const missing = [at(operator), S.Role.registrar];
    await S.reverts(trust("did:x", 0n, 0n, operator), participants, "MissingRole", missing);
    await S.reverts(trust("", 0n, 0n), participants, "EmptyId", []);
    await S.reverts(trust("did:x", 2n, 1n), participants, "InvalidTrustPeriod", [2n, 1n]);
    const end = (by: Bare["operator"]) => participants.write.endIssuerTrust(["did:x"], as(by));
    await S.reverts(end(operator), participants, "MissingRole", missing);
    await S.reverts(end(registrar), participants, "UnknownIssuer", [S.hashOf("did:x")]);
    // A period after an ended one cannot end before it begins, which is now.
    await begin(0n, ["Delivery"]);
    await stop(1n);
    await S.reverts(begin(5n, [], 0n, start), participants, "InvalidTrustPeriod", [start + 5n, start]);
  });
});
