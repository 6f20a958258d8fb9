import { describe, expect, it } from "vitest";
import { allowedWays, consentWays, isByWallet, usualWay, waysOffline } from "./ways.ts";

const option = (level: "signature" | "code" | "pin" | "none", isAllowed: boolean) => ({ level, isAllowed });

describe("the ways in which a household can agree", () => {
  it("are those whose level the ledger allows", () => {
    const options = [option("signature", false), option("code", true), option("pin", true), option("none", false)];
    expect(allowedWays(options)).toEqual(["pin", "phone", "code"]);
    expect(allowedWays([option("signature", true)])).toEqual(["wallet", "given"]);
    expect(allowedWays([])).toEqual([]);
  });

  it("are without a network all that need none, and only signature and code where the scheme requires them", () => {
    expect(waysOffline(undefined)).toEqual(["none", "pin", "code", "wallet", "given"]);
    expect(waysOffline(false)).toEqual(waysOffline(undefined));
    expect(waysOffline(true)).toEqual(["code", "wallet", "given"]);
  });

  it("begin with the PIN where a card was shown, and with none if the PIN is not allowed", () => {
    expect(usualWay(["none", "pin"], true)).toBe("pin");
    expect(usualWay(["none", "code"], true)).toBeUndefined();
    expect(usualWay(["none", "pin"], false)).toBe("none");
    expect(usualWay([], false)).toBeUndefined();
  });

  it("are sent by the supplier's own wallet, except those with a PIN", () => {
    expect(consentWays.filter(isByWallet)).toEqual(["none", "code", "wallet", "given"]);
  });
});
