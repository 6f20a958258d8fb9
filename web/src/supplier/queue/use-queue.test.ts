import { renderHook, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { useQueue, useSettling } from "./use-queue.ts";

it("says so when this browser cannot keep orders, rather than showing that there are none", async () => {
  // Some browsers have no IndexedDB in their private windows; nor has the one of this test.
  expect("indexedDB" in globalThis).toBe(false);
  const { result } = renderHook(() => {
    useSettling("did:x:s");
    return useQueue("did:x:s");
  });
  await waitFor(() => expect(result.current.problem).toBeInstanceOf(Error), { timeout: 20_000 });
  expect(result.current.isRead).toBe(true);
});
