export { big, during, IndexerClient, type IndexerRow, int, parameters, text } from "./client.ts";
export { addIndexerGauges } from "./gauges.ts";
export { mountIndexerProxy } from "./proxy.ts";
