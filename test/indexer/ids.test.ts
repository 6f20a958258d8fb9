import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  batchOfVoucher,
  decodeId,
  decodeRedemptionId,
  decodeVoucherId,
  encodeId,
  encodeVoucherId,
  type IdKind,
  kptClaimIdOf,
  partsOfKptClaim,
  partsOfSwap,
  redemptionIdOf,
  swapIdOf,
  voucherIdOf,
  voucherOfRedemption,
} from "../../wire/src/ids.ts";
import {
  itmoBlockIdOf,
  itmoSerial,
  itmoUniqueId,
  partsOfItmoBlock,
  readItmoSerial,
  readItmoUniqueId,
} from "../../wire/src/itmo-ids.ts";

const sizes: [IdKind, bigint][] = [
  ["voucher", (1n << 64n) - 1n],
  ["redemption", (1n << 96n) - 1n],
  ["claim", (1n << 96n) - 1n],
  ["kpt", (1n << 96n) - 1n],
  ["conversion", (1n << 32n) - 1n],
  ["itmoBlock", (1n << 96n) - 1n],
  ["swap", (1n << 64n) - 1n],
];

describe("public ids", () => {
  for (const [kind, max] of sizes) {
    it(`reads back every ${kind} id it writes`, () => {
      fc.assert(
        fc.property(fc.bigInt(0n, max), (id) => {
          assert.deepEqual(decodeId(kind, encodeId(kind, id)), { ok: true, id });
        }),
      );
      assert.deepEqual(decodeId(kind, encodeId(kind, max)), { ok: true, id: max });
    });

    it(`sorts ${kind} ids as their numbers`, () => {
      fc.assert(
        fc.property(fc.bigInt(0n, max), fc.bigInt(0n, max), (a, b) => {
          const [first, second] = [encodeId(kind, a).slice(0, -1), encodeId(kind, b).slice(0, -1)];
          assert.equal(first < second, a < b);
        }),
      );
    });

    it(`notices any one altered symbol of a ${kind} id`, () => {
      fc.assert(
        fc.property(
          fc.bigInt(0n, max),
          fc.nat(),
          fc.constantFrom(..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"),
          (id, at, to) => {
            const text = encodeId(kind, id);
            const start = text.indexOf("-") + 1;
            const index = start + (at % (text.length - start));
            fc.pre(text[index] !== to);
            assert.equal(decodeId(kind, text.slice(0, index) + to + text.slice(index + 1)).ok, false);
          },
        ),
      );
    });

    it(`never takes arbitrary text for a ${kind} id without its canonical form agreeing`, () => {
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), (text) => {
          const decoded = decodeId(kind, text);
          if (decoded.ok) assert.deepEqual(decodeId(kind, encodeId(kind, decoded.id)), decoded);
        }),
      );
    });
  }

  it("forgives case, look-alikes and hyphens", () => {
    const id = voucherIdOf(1, 33);
    const text = encodeVoucherId(id);
    assert.equal(text, `VCHR-0000004000011${"0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U"[Number(id % 37n)]}`);
    const loose = `vchr-ooooo-o4o-ooo${"i"}${"L"}${text.slice(-1).toLowerCase()}`;
    assert.deepEqual(decodeVoucherId(loose), { ok: true, id });
  });

  it("tells a wrong check symbol from a malformed id", () => {
    const text = encodeVoucherId(7n);
    const wrong = text.endsWith("8") ? "9" : "8";
    assert.deepEqual(decodeVoucherId(text.slice(0, -1) + wrong), { ok: false, reason: "checksum" });
    for (const other of [
      "",
      "VCHR-",
      "VCHR-123",
      text.replace("VCHR", "REDM"),
      `${text}0`,
      `VCHR-ZZZZZZZZZZZZZ0`,
      text.replace("-", "-U"),
    ])
      assert.deepEqual(decodeVoucherId(other), { ok: false, reason: "malformed" }, other);
  });

  it("refuses letters that only upper-casing would turn into ASCII", () => {
    const text = encodeVoucherId(0x1n << 32n).replace("VCHR-0", "VCHR-\u0131");
    assert.deepEqual(decodeVoucherId(text), { ok: false, reason: "malformed" });
  });

  it("splits ids", () => {
    fc.assert(
      fc.property(
        fc.nat(0xffffffff),
        fc.nat(0xffffffff),
        fc.integer({ min: 1, max: 0xffffff }),
        (batch, position, number) => {
          const voucher = voucherIdOf(batch, position);
          assert.deepEqual(batchOfVoucher(voucher), { batch, position });
          assert.equal(voucherOfRedemption(redemptionIdOf(voucher, number)), voucher);
        },
      ),
    );
    assert.equal(decodeRedemptionId(encodeVoucherId(1n)).ok, false);
  });

  it("splits a swap's id into block and position in the block", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 40n) - 1n), fc.nat(0xffffff), (blockNumber, logIndex) => {
        assert.deepEqual(partsOfSwap(swapIdOf(blockNumber, logIndex)), { blockNumber, logIndex });
      }),
    );
  });

  it("splits the ids of KPT claims", () => {
    const parts = fc.record({
      campaign: fc.integer({ min: 1, max: 0xffffffff }),
      group: fc.constantFrom("reference" as const, "intervention" as const),
      position: fc.nat(0x7fffffff),
      number: fc.integer({ min: 1, max: 0xffffffff }),
    });
    fc.assert(fc.property(parts, (claim) => assert.deepEqual(partsOfKptClaim(kptClaimIdOf(claim)), { ...claim })));
    const last = { campaign: 0xffffffff, group: "intervention", position: 0x7fffffff, number: 0xffffffff } as const;
    assert.equal(kptClaimIdOf(last), (1n << 96n) - 1n);
  });

  it("refuses to make the id of a KPT claim that cannot be", () => {
    const claim = { campaign: 1, group: "reference", position: 0, number: 1 } as const;
    for (const wrong of [
      { campaign: 0 },
      { campaign: 2 ** 32 },
      { position: -1 },
      { position: 2 ** 31 },
      { number: 0 },
    ])
      assert.throws(() => kptClaimIdOf({ ...claim, ...wrong }), RangeError, JSON.stringify(wrong));
  });

  it("splits the ids of ITMO blocks", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0xffffffff }), fc.bigInt(1n, (1n << 64n) - 1n), (conversion, firstId) => {
        assert.deepEqual(partsOfItmoBlock(itmoBlockIdOf(conversion, firstId)), { conversion, firstId });
      }),
    );
  });

  it("reads back every unique id and serial of ITMOs that it writes", () => {
    const serials = fc.tuple(fc.bigInt(1n, (1n << 64n) - 1n), fc.bigInt(1n, (1n << 64n) - 1n));
    fc.assert(
      fc.property(serials, ([a, b]) => {
        const [firstId, lastId] = a < b ? [a, b] : [b, a];
        const names = { cooperativeApproachId: "CA0001", registryId: "ZMB01", firstTransferringPartyId: "ZMB" };
        const units = { ...names, firstId, lastId, vintage: 2025 };
        assert.deepEqual(readItmoUniqueId(itmoUniqueId(units)), units);
        assert.deepEqual(readItmoSerial(itmoSerial("ZMB01", a)), { registryId: "ZMB01", serial: a });
      }),
    );
    assert.equal(readItmoUniqueId("CA0001-ZMB01-ZMB-1-930-2025")?.lastId, 930n);
  });

  it("refuses other text as a unique id or serial of ITMOs", () => {
    for (const text of [
      "",
      "CA0001-ZMB01-ZMB-2-1-2025",
      "CA0001-ZMB01-ZMB-0-1-2025",
      "CA0001-ZMB01-ZMB-01-1-2025",
      "CA001-ZMB01-ZMB-1-1-2025",
      "ca0001-ZMB01-ZMB-1-1-2025",
      "CA0001-ZMB01-ZMB-1-18446744073709551616-2025",
      "CA0001-ZMB01-ZMB-1-1-2025 ",
    ])
      assert.equal(readItmoUniqueId(text), null, text);
    for (const text of ["", "ZMB01", "ZMB01-0", "ZMB1-1", "ZMB01-18446744073709551616", "ZMB01-1-2"])
      assert.equal(readItmoSerial(text), null, text);
  });

  it("refuses to write an id that does not fit", () => {
    assert.throws(() => encodeVoucherId(1n << 64n), RangeError);
    assert.throws(() => encodeVoucherId(-1n), RangeError);
  });
});
