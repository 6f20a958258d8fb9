import DataLoader from "dataloader";

/** Most callers that share a statement. */
const MAX_TOGETHER = 256;

/**
 * Let callers of the same moment share one statement; nothing is remembered.
 * @param work answers one value, or an Error for its caller alone, for each item in order; when it throws, all callers are told
 */
export function together<Item, Value>(
  work: (items: readonly Item[]) => Promise<(Value | Error)[]>,
): (item: Item) => Promise<Value> {
  const loader = new DataLoader<Item, Value>(work, {
    cache: false,
    maxBatchSize: MAX_TOGETHER,
    batchScheduleFn: (run) => setImmediate(run),
  });
  return (item) => loader.load(item);
}
