import { describe, expect, it } from "vitest";
import { TimedCache } from "./timed-cache.ts";

function setUp() {
  let now = 0;
  let made = 0;
  const make = async () => ({ value: ++made, expiresAt: now + 1000 });
  const cache = new TimedCache(make, 100, () => now);
  return { cache, at: (time: number) => (now = time) };
}

describe("a timed cache", () => {
  it("keeps a value until shortly before it expires", async () => {
    const { cache, at } = setUp();
    expect(await cache.get()).toBe(1);
    at(899);
    expect(await cache.get()).toBe(1);
    at(900);
    expect(await cache.get()).toBe(2);
  });

  it("computes one value for concurrent callers", async () => {
    const { cache } = setUp();
    expect(await Promise.all([cache.get(), cache.get(), cache.get()])).toEqual([1, 1, 1]);
  });

  it("computes a new one after forget()", async () => {
    const { cache } = setUp();
    await cache.get();
    cache.forget();
    expect(await cache.get()).toBe(2);
  });

  it("retries after a failure", async () => {
    let tries = 0;
    const cache = new TimedCache(
      async () => {
        tries += 1;
        if (tries === 1) throw new Error("no network");
        return { value: tries, expiresAt: 1000 };
      },
      0,
      () => 0,
    );
    await expect(cache.get()).rejects.toThrow("no network");
    expect(await cache.get()).toBe(2);
  });
});
