import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeErrorResult } from "viem";
import { allErrors } from "../contracts.ts";
import { redemptionError } from "./redemption-rules.ts";
import { errorOf, errorOfRevert, mappedErrors } from "./reverts.ts";

/** Errors that no call which the API makes or relays can end with, or that say nothing to its callers. */
const silent = [
  /^AccessControl/,
  /^AccessManager/,
  /^Address/,
  /^Checkpoint/,
  /^ECDSA/,
  /^ERC20Invalid(Approver|Sender)$/,
  /^ERC2612/,
  /^Invalid(AccountNonce|ShortString)$/,
  /^Ownable/,
  /^Only(Certificates|Claims|Pool|Self|Vouchers)$/,
  /^Safe(Cast|ERC20)/,
  /^Timelock/,
  /^(FailedCall|FeeTooLarge|InsufficientBalance|LengthMismatch|PriceChangeTooLarge|ReentrancyGuardReentrantCall|StringTooLong)$/,
  /^(UnknownName|ZeroPrice|ZeroTarget)$/,
];

describe("contract errors", () => {
  it("have words for every refusal that a caller can cause", () => {
    const names = allErrors.flatMap((entry) => (entry.type === "error" ? [entry.name] : []));
    const wordless = names.filter((name) => !mappedErrors.has(name) && !silent.some((each) => each.test(name)));
    assert.deepEqual(wordless, []);
    assert.deepEqual(
      [...mappedErrors].filter((name) => !names.includes(name)),
      [],
    );
  });

  it("never become a 500, not even unknown ones", () => {
    for (const data of ["0x", "0xdeadbeef", "0x08c379a0"] as const) assert.equal(errorOf(data).status, 400);
  });

  it("get the feature's message where it has one", async () => {
    const { AppError } = await import("../../errors.ts");
    const data = encodeErrorResult({ abi: allErrors, errorName: "UnknownVoucher", args: [7n] });
    assert.equal(errorOf(data).code, "NOT_FOUND");
    const own = errorOf(data, ({ name, args }) => new AppError("CONFLICT", `${name} ${args[0]}`));
    assert.deepEqual([own.code, own.message], ["CONFLICT", "UnknownVoucher 7"]);
  });

  it("say from when a new account can be put in force", () => {
    const data = encodeErrorResult({ abi: allErrors, errorName: "AccountDelayNotOver", args: [1_800_000_000] });
    const message = "The new account still waits: it can be put in force from 2027-01-15T08:00:00.000Z on.";
    assert.equal(errorOf(data).message, message);
    assert.equal(errorOfRevert({ name: "AccountDelayNotOver", args: [] }).message, "The new account still waits.");
  });

  it("say since when a revocation is final", () => {
    const data = encodeErrorResult({ abi: allErrors, errorName: "RevocationFinal", args: [1, 20_833] });
    const refusal = errorOf(data);
    assert.deepEqual(
      [refusal.code, refusal.message],
      ["CONFLICT", "The revocation is final since 2027-01-15. Nobody can veto or undo it."],
    );
    const withoutDay = errorOfRevert({ name: "RevocationFinal", args: [] }).message;
    assert.equal(withoutDay, "The revocation is final. Nobody can veto or undo it.");
  });

  it("of redemptions name every broken rule, the missing voucher first, the supplier next", () => {
    const rulesOf = (verdict: number) => {
      const refusal = redemptionError(verdict);
      return [refusal?.status, ...(refusal?.details.map(({ rule }) => rule) ?? [])];
    };
    assert.equal(redemptionError(0), null);
    assert.deepEqual(rulesOf(0b1_0101_1000), [
      400,
      "voucher-active",
      "voucher-not-expired",
      "amount-within-balance",
      "product-approved",
    ]);
    assert.deepEqual(rulesOf(0b1_0101_1100), [403, "supplier-authorised"]);
    assert.deepEqual(rulesOf(0b1_0101_1111), [404, "voucher-exists"]);
    assert.deepEqual(rulesOf(1 << 15), [400, "ledger-refused"]);
    const data = encodeErrorResult({ abi: allErrors, errorName: "RedemptionRuleBroken", args: [1n, 1 << 6] });
    assert.deepEqual(errorOf(data).details[0]?.rule, "amount-within-balance");
  });
});
