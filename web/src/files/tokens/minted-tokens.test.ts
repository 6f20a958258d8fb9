import { describe, expect, it } from "vitest";
import { type MintedToken, MintedTokens } from "./minted-tokens.ts";

function tabStorage() {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  };
}

const token = (cid: string, expiresAt: number): MintedToken => ({
  ...{ cid, expiresAt, abilities: ["fs/read"], path: "/", audience: "did:web:x", isBearer: true, mintedAt: 0 },
  token: "EaJ",
});
const later = Math.floor(Date.now() / 1000) + 3600;

describe("minted tokens", () => {
  it("are listed newest first, also after a reload", () => {
    const storage = tabStorage();
    new MintedTokens(storage).add(token("a", later));
    new MintedTokens(storage).add(token("b", later));
    expect(new MintedTokens(storage).list().map(({ cid }) => cid)).toEqual(["b", "a"]);
  });

  it("leave the list when they expire or are removed", () => {
    const tokens = new MintedTokens(tabStorage());
    tokens.add(token("short", later - 1000));
    tokens.add(token("long", later));
    expect(tokens.list((later - 500) * 1000).map(({ cid }) => cid)).toEqual(["long"]);
    tokens.remove("long");
    expect(tokens.list().map(({ cid }) => cid)).toEqual(["short"]);
  });

  it("ignore stored data that is not such a list", () => {
    const storage = tabStorage();
    storage.setItem("hearth.files.minted", '{"token":1}');
    expect(new MintedTokens(storage).list()).toEqual([]);
  });
});
