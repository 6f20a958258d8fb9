import DataLoader from "dataloader";

/** Most callers that share one statement. */
const MAX_TOGETHER = 256;

/**
 * Let callers of the same moment share one statement. Results are not cached.
 * @param work returns for each item, in order, a value or an Error for that caller; what it throws is thrown to all callers
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
