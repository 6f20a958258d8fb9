import { describe, expect, it } from "vitest";
import { didOfName, isAccount, isDid } from "./participant-fields.ts";

describe("a new participant", () => {
  it("gets a DID from its name", () => {
    expect(didOfName("supplier", " Stove Shop ")).toBe("did:ixo:supplier/stove-shop");
    expect(didOfName("implementer", "Énergie & Foyers, SARL")).toBe("did:ixo:implementer/energie-foyers-sarl");
    expect(isDid(didOfName("supplier", "窯"))).toBe(false);
  });

  it("has an account and a DID of the right form", () => {
    expect(isAccount(`0x${"aB".repeat(20)}`)).toBe(true);
    expect(isAccount(`0x${"a".repeat(39)}`)).toBe(false);
    expect(isDid("did:ixo:supplier/7")).toBe(true);
    expect(isDid("did:ixo:a b")).toBe(false);
    expect(isDid("did:ixo:supplier/")).toBe(false);
  });
});
