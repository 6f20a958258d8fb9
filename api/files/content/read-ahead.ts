/**
 * Yield the items of `source` while up to `depth` following ones are already being read. When the consumer leaves, the source is
 * closed before this returns.
 */
export async function* readAhead<Item>(source: AsyncIterable<Item>, depth: number): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  const ahead: Promise<IteratorResult<Item>>[] = [];
  const pull = () => {
    const next = iterator.next();
    // It is awaited later; until then Node must not report a rejection as unhandled.
    next.catch(() => {});
    ahead.push(next);
  };
  try {
    for (let count = 0; count <= depth; count += 1) pull();
    for (;;) {
      const { done, value } = await (ahead.shift() as Promise<IteratorResult<Item>>);
      if (done) return;
      pull();
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
