import { hashTypedData, recoverTypedDataAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, it } from "vitest";
import { encodeVoucherId, voucherIdOf } from "../../../wire/src/ids.ts";
import {
  authorizationToSign,
  createNonce,
  readHouseholdAuthorization,
  redemptionBody,
} from "./household-authorization.ts";

const voucherId = encodeVoucherId(voucherIdOf(3, 4));
const terms = { voucherId, supplier: 2, product: 5, amount: 12_500_000n, nonce: 7n, deadline: 1_900_000_000 };
const domain = { chainId: 31337, verifyingContract: "0x00000000000000000000000000000000000000aa" } as const;

describe("a household's authorisation", () => {
  it("names voucher, parties, amount, nonce and deadline in the contract's numbers", () => {
    expect(authorizationToSign(terms, domain).message).toEqual({
      voucher: `${voucherIdOf(3, 4)}`,
      supplier: 2,
      product: 5,
      amount: "12500000",
      nonce: "7",
      deadline: "1900000000",
    });
  });

  it("is signed by an account, which is recovered from the typed data", async () => {
    const household = privateKeyToAccount(`0x${"7".padStart(64, "0")}`);
    const typedData = authorizationToSign(terms, domain) as never;
    const signature = await household.signTypedData(typedData);
    expect(await recoverTypedDataAddress({ ...(typedData as object), signature } as never)).toBe(household.address);
    const other = authorizationToSign({ ...terms, amount: 12_500_001n }, domain) as never;
    expect(hashTypedData(other)).not.toBe(hashTypedData(typedData));
  });

  it("cannot be made for an invalid voucher id", () => {
    expect(() => authorizationToSign({ ...terms, voucherId: "VCHR-1" }, domain)).toThrow(RangeError);
  });

  it("uses nonces of 128 random bits", () => {
    const [one, other] = [createNonce(), createNonce()];
    expect(one).not.toBe(other);
    expect(one >> 128n).toBe(0n);
  });

  it("is read from another device's JSON, and nothing else is accepted", () => {
    const signed = { signature: "0xabcd", nonce: "12", deadline: 5 };
    expect(readHouseholdAuthorization(JSON.stringify({ ...signed, more: 1 }))).toEqual(signed);
    for (const broken of [
      { ...signed, signature: "abcd" },
      { ...signed, nonce: 12 },
      { ...signed, deadline: 1.5 },
      [],
    ]) {
      expect(readHouseholdAuthorization(JSON.stringify(broken))).toBeUndefined();
    }
    expect(readHouseholdAuthorization("hello")).toBeUndefined();
  });
});

describe("the body of a redemption", () => {
  it("keeps the amount's digits", () => {
    const body = { voucherId, supplierDid: "did:x:1", productId: "P", amount: 9_007_199_254_740_991n };
    expect(redemptionBody(body)).toContain('"amount":9007199254.740991}');
    expect(JSON.parse(redemptionBody({ ...body, amount: 100_000n }))).toMatchObject({ amount: 0.1, productId: "P" });
  });
});
