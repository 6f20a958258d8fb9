/**
 * Yield the items of `source` until `signal` aborts, then throw its reason immediately, even while the source yields nothing. The
 * source is closed without waiting for it.
 */
export async function* abortable<Item>(
  source: AsyncIterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item> {
  if (signal === undefined) {
    yield* source;
    return;
  }
  signal.throwIfAborted();
  const iterator = source[Symbol.asyncIterator]();
  let fail: (reason: unknown) => void = () => {};
  const abort = () => fail(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      // Not Promise.race: a promise that lives as long as the stream would retain every chunk that was raced with it.
      const { done, value } = await new Promise<IteratorResult<Item>>((resolve, reject) => {
        fail = reject;
        iterator.next().then(resolve, reject);
      });
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    const closing = iterator.return?.();
    if (signal.aborted) closing?.catch(() => {});
    else await closing;
  }
}
