import { afterEach, describe, expect, it, vi } from "vitest";
import { Flusher } from "../../src/core/flush.ts";

describe("updates with streamed text", () => {
  afterEach(() => void vi.useRealTimers());

  it("come once per animation frame when batched, and for each chunk when immediate", () => {
    vi.useFakeTimers();
    let flushes = 0;
    const flusher = new Flusher(() => {
      flushes += 1;
    });
    for (let i = 0; i < 100; i++) flusher.schedule("batched");
    expect(flushes).toBe(0);
    vi.advanceTimersByTime(17);
    expect(flushes).toBe(1);
    vi.advanceTimersByTime(1_000);
    expect(flushes).toBe(1);
    for (let i = 0; i < 5; i++) flusher.schedule("immediate");
    expect(flushes).toBe(6);
  });

  it("continue while the page is hidden and has no animation frames", () => {
    vi.useFakeTimers();
    vi.stubGlobal("requestAnimationFrame", () => 0);
    let flushes = 0;
    new Flusher(() => {
      flushes += 1;
    }).schedule("batched");
    vi.advanceTimersByTime(100);
    expect(flushes).toBe(1);
    vi.unstubAllGlobals();
  });
});
