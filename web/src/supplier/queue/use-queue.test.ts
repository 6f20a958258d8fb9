import { renderHook, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { useQueue, useSettling } from "./use-queue.ts";

it("shows an error when this browser cannot store orders, rather than an empty list", async () => {
  // Some browsers have no IndexedDB in private windows; nor has this test's browser.
  expect("indexedDB" in globalThis).toBe(false);
  const { result } = renderHook(() => {
    useSettling("did:x:s");
    return useQueue("did:x:s");
  });
  await waitFor(() => expect(result.current.problem).toBeInstanceOf(Error), { timeout: 20_000 });
  expect(result.current.isRead).toBe(true);
});
