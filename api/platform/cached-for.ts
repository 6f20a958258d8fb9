/** Share what `read` returns for `ms` milliseconds from its start, also while it is pending. A failure is shared, too. */
export function cachedFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let latest: { value: Promise<T>; at: number } | undefined;
  return () => {
    const now = performance.now();
    if (latest === undefined || now - latest.at >= ms) latest = { value: read(), at: now };
    return latest.value;
  };
}
