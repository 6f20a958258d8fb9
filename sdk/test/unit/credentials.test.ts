import { describe, expect, it } from "vitest";
import { Credentials, type MintedToken } from "../../src/core.ts";

const minute = 60_000;

/** Credentials with a stopped clock and mint functions that count. */
function world({ lifetimeMs = 60 * minute, storage }: { lifetimeMs?: number; storage?: Storage } = {}) {
  let now = 1_700_000_000_000;
  const minted: string[] = [];
  const mint =
    (kind: string, life: number) =>
    async (oracleDid: string): Promise<MintedToken> => {
      const serialized = `${kind}-${minted.length}-${oracleDid}`;
      minted.push(serialized);
      return { serialized, expiresAt: now + life };
    };
  const open = (userDid = "did:u") =>
    new Credentials({
      userDid,
      storage,
      now: () => now,
      createDelegation: mint("d", lifetimeMs),
      createInvocation: mint("i", 10 * minute),
    });
  const pass = (ms: number) => {
    now += ms;
  };
  return { minted, open, pass };
}

describe("credentials", () => {
  it("are minted once for concurrent requests, and separately for each oracle", async () => {
    const { minted, open } = world();
    const credentials = open();
    const all = await Promise.all([1, 2, 3].map(() => credentials.headers("did:o")));
    expect(new Set(all.map((headers) => headers.authorization)).size).toBe(1);
    expect(minted).toHaveLength(2);
    expect(all[0]).toEqual({
      authorization: "Bearer i-1-did:o",
      "x-auth-type": "ucan",
      "x-ucan-delegation": "d-0-did:o",
    });
    await credentials.headers("did:other");
    expect(minted).toHaveLength(4);
  });

  it("renew a delegation five minutes early, and an invocation half a minute early", async () => {
    const { open, pass } = world();
    const credentials = open();
    const first = await credentials.artifacts("did:o");
    pass(9 * minute + 29_000);
    expect(await credentials.artifacts("did:o")).toEqual(first);
    pass(2_000);
    const second = await credentials.artifacts("did:o");
    expect(second.delegation).toBe(first.delegation);
    expect(second.invocation).not.toBe(first.invocation);
    pass(45 * minute + 30_000);
    expect((await credentials.artifacts("did:o")).delegation).not.toBe(first.delegation);
  });

  it("use the delegation alone without an invocation", async () => {
    const createDelegation = async () => ({ serialized: "d", expiresAt: Date.now() + 60 * minute });
    const credentials = new Credentials({ userDid: "did:u", createDelegation });
    expect(await credentials.headers("did:o")).toEqual({ "x-ucan-delegation": "d" });
    expect(await credentials.handshake("did:o")).toEqual({ ucanDelegation: "d" });
  });

  it("replace a refused token, but not a newer one", async () => {
    const { open } = world();
    const credentials = open();
    const first = await credentials.artifacts("did:o");
    credentials.refused("did:o", first);
    const second = await credentials.artifacts("did:o");
    expect(second).toEqual({ delegation: first.delegation, invocation: "i-2-did:o" });
    credentials.refused("did:o", first);
    expect(await credentials.artifacts("did:o")).toEqual(second);
  });

  it("are kept in storage if there is one, and only for their user", async () => {
    sessionStorage.clear();
    const { minted, open } = world({ storage: sessionStorage });
    const first = await open().artifacts("did:o");
    expect(await open().artifacts("did:o")).toEqual(first);
    expect(minted).toHaveLength(2);
    expect((await open("did:v").artifacts("did:o")).delegation).not.toBe(first.delegation);
    sessionStorage.clear();
    await world().open().artifacts("did:o");
    expect(sessionStorage.length).toBe(0);
  });

  it("retry after a failed mint", async () => {
    let fails = true;
    const createDelegation = async () => {
      if (fails) throw new Error("The user said no.");
      return { serialized: "d", expiresAt: Date.now() + 60 * minute };
    };
    const credentials = new Credentials({ userDid: "did:u", createDelegation });
    await expect(credentials.headers("did:o")).rejects.toThrow("The user said no.");
    fails = false;
    expect(await credentials.headers("did:o")).toEqual({ "x-ucan-delegation": "d" });
  });
});
