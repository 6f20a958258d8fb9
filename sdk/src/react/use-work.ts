"use client";

import { useCallback, useState } from "react";

/** Wrap an async function with a flag that tells whether it is running. */
export function useWork<Args extends unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): [(...args: Args) => Promise<Result>, boolean] {
  const [open, setOpen] = useState(0);
  const run = useCallback(
    async (...args: Args) => {
      setOpen((count) => count + 1);
      try {
        return await work(...args);
      } finally {
        setOpen((count) => count - 1);
      }
    },
    [work],
  );
  return [run, open > 0];
}
