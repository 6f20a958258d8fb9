import * as fakeIndexedDb from "fake-indexeddb";
import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signInWithKey } from "../session/holder.ts";
import { createProofKey } from "../session/proof-keys.ts";
import { session, signOut } from "../session/session.ts";
import { noteServerTime, serverNow } from "./server-time.ts";

const hour = 3_600_000;
const toldAt = (time: number, more: Record<string, string> = {}) => ({
  headers: new Headers({ date: new Date(time).toUTCString(), ...more }),
});

describe("the server's time", () => {
  it("equals the device's time when both agree within seconds, else follows the server's answers", () => {
    const now = 1_800_000_000_000;
    expect(noteServerTime(toldAt(now + 1_000), now)).toBe(false);
    expect(serverNow(now)).toBe(now);
    expect(noteServerTime(toldAt(now - hour), now)).toBe(true);
    expect(serverNow(now)).toBe(now - hour);
    expect(noteServerTime(toldAt(now - hour), now + 1_000)).toBe(false);
    expect(noteServerTime(toldAt(now - 2 * hour, { age: "3600" }), now)).toBe(false);
    expect(noteServerTime({ headers: new Headers() }, now)).toBe(false);
    expect(noteServerTime(toldAt(now), now)).toBe(true);
    expect(serverNow(now)).toBe(now);
  });
});

describe("a device whose clock is an hour wrong", () => {
  const proofs: number[] = [];
  beforeEach(() => {
    // Only for this file: another test checks a browser without IndexedDB.
    for (const [name, value] of Object.entries(fakeIndexedDb)) vi.stubGlobal(name, value);
    const server = () => Date.now() + hour;
    vi.stubGlobal("fetch", async ({ headers }: Request) => {
      const { iat = 0 } = decodeJwt(headers.get("dpop") ?? "");
      proofs.push(iat);
      const { headers: date } = toldAt(server());
      if (Math.abs(iat * 1000 - server()) > 60_000)
        return Response.json(
          { code: "UNAUTHENTICATED", message: "The DPoP proof is old." },
          { status: 401, headers: date },
        );
      const holder = { id: "KEY-1", role: "supplier", supplierDid: "did:x:s", implementerDid: null };
      return Response.json({ ...holder, scopes: [], dids: null }, { headers: date });
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it("signs in with a proof dated by the server's time", async () => {
    await signInWithKey({ token: "hk_1", proof: await createProofKey() }, false);
    expect(session().key?.holder.id).toBe("KEY-1");
    expect(proofs.length).toBe(2);
    await signOut();
  });
});
