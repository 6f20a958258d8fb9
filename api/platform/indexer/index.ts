export { big, IndexerClient, type IndexerRow, int, parameters, text } from "./client.ts";
export { mountIndexerProxy } from "./proxy.ts";
