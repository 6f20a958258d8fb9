import { describe, expect, it } from "vitest";
import { createBoxKey, open, seal, storageNameOf } from "./sealed-box.ts";

describe("a sealed order", () => {
  it("opens with its key and context only", async () => {
    const key = createBoxKey();
    const sealed = await seal(key, "a", { amount: "5" });
    expect(await open(key, "a", sealed)).toEqual({ amount: "5" });
    await expect(open(key, "b", sealed)).rejects.toThrow();
    await expect(open(createBoxKey(), "a", sealed)).rejects.toThrow();
    const changed = new Uint8Array(sealed.data.slice(0));
    changed[0] = (changed[0] ?? 0) ^ 1;
    await expect(open(key, "a", { ...sealed, data: changed.buffer })).rejects.toThrow();
  });

  it("reveals nothing of its content", async () => {
    const sealed = await seal(createBoxKey(), "a", { voucherId: "VCHR-00000000000011" });
    expect(new TextDecoder("latin1").decode(sealed.data)).not.toContain("VCHR");
  });

  it("is stored under the same name for the same key", async () => {
    const key = createBoxKey();
    expect(await storageNameOf(key)).toBe(await storageNameOf(key));
    expect(await storageNameOf(key)).not.toBe(await storageNameOf(createBoxKey()));
  });
});
