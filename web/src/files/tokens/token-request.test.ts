import { describe, expect, it } from "vitest";
import { claimsOf, lifetimesFor, type TokenRequest, tokenProblems } from "./token-request.ts";

const request: TokenRequest = {
  ...{ abilities: ["fs/read"], path: "/", lifetime: "2h", audience: "" },
  ...{ reveal: false, cids: "", once: false },
};

describe("a request for a token", () => {
  it("is valid with its initial values", () => {
    expect(tokenProblems(request)).toEqual([]);
  });

  it("reports all problems together", () => {
    const faulty: TokenRequest = { ...request, abilities: [], path: "a/../b", audience: "somebody", lifetime: "30m" };
    expect(tokenProblems(faulty)).toEqual(["ability", "path", "audience"]);
  });

  it("allows a longer lifetime for a delegation than for a bearer token", () => {
    expect(lifetimesFor("")).not.toContain("365d");
    expect(lifetimesFor("did:key:z6Mk")).toContain("365d");
    expect(tokenProblems({ ...request, lifetime: "365d" })).toEqual(["lifetime"]);
    expect(tokenProblems({ ...request, lifetime: "365d", audience: "did:key:z6Mk" })).toEqual([]);
  });

  it("becomes one claim for each ability, and an expiry in seconds", () => {
    const asked: TokenRequest = { ...request, abilities: ["fs/read", "fs/write"], path: "/a b", reveal: true };
    expect(claimsOf("did:key:z6Mk", asked, 1_000_000)).toEqual({
      claims: [
        { can: "fs/read", with: "vfs://did%3Akey%3Az6Mk/a%20b", nb: { hidden: "*" } },
        { can: "fs/write", with: "vfs://did%3Akey%3Az6Mk/a%20b", nb: { hidden: "*" } },
      ],
      expiration: 8200,
      facts: [],
    });
  });

  it("gives access to hidden files only when selected", () => {
    expect(claimsOf("did:key:z6Mk", request).claims[0]).not.toHaveProperty("nb");
  });

  it("is limited to contents, and to a single use where that is possible", () => {
    const cid = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
    const bound = claimsOf("did:key:z6Mk", { ...request, cids: ` ${cid},\n${cid} `, once: true });
    expect(bound.claims[0]?.nb).toEqual({ cids: [cid, cid] });
    expect(bound.facts).toHaveLength(1);
    expect(claimsOf("did:key:z6Mk", { ...request, audience: "did:key:z6Mk", once: true }).facts).toEqual([]);
    expect(tokenProblems({ ...request, cids: "/docs/a.txt" })).toEqual(["cids"]);
  });
});
