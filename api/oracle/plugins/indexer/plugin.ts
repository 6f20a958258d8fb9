import { z } from "zod";
import { pathSegment } from "../host/facade.ts";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";
import { defineOracleTool } from "../host/tool.ts";
import { figureTools } from "./figures.ts";
import { whereIsTool } from "./where-is.ts";

const query = (values: Record<string, string | number | undefined>) =>
  new URLSearchParams(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  ).toString();

export const indexer = defineOraclePlugin<Services>({
  name: "indexer",
  version: "1.0.0",
  manifest: {
    title: "The chain's index",
    summary: "Answers from the public index of the chain: traces, reports, and any question in SQL.",
    whenToUse: [
      "when the user asks where a certificate, voucher, claim, swap or ITMO came from or went",
      "when the user asks what is owed to them, or what is wrong",
      "when the user asks for totals, lists or checks over the whole scheme",
    ],
    examples: ["How many vouchers are active?", "What am I owed?", "Is anything counted twice?", "Trace REDM-…"],
    tags: ["trace", "count", "owed", "index", "sql", "double counting", "report", "itmo", "pool"],
    category: "data",
    visibility: "always",
  },
  getTools: ({ services: { facade } }) => [
    ...figureTools(facade),
    whereIsTool(facade),
    defineOracleTool({
      name: "trace",
      description:
        "The whole chain around an id, both ways: certificate, voucher, redemption, claim, swap, conversion, ITMO.",
      inputSchema: z.strictObject({ id: z.string().min(1).max(256) }),
      destructive: false,
      readOnly: true,
      run: async ({ ctx, input }) =>
        facade.call(ctx, { method: "GET", path: `/reports/trace/${pathSegment("id", input.id)}` }),
    }),
    defineOracleTool({
      name: "check_double_counting",
      description: "Every check against double counting with its result; null means that it could not be made.",
      inputSchema: z.strictObject({}),
      destructive: false,
      readOnly: true,
      run: ({ ctx }) => facade.call(ctx, { method: "GET", path: "/reports/double-counting" }),
    }),
    defineOracleTool({
      name: "list_index_tables",
      description: "The public tables and views of the index with their columns, for query_index.",
      inputSchema: z.strictObject({}),
      destructive: false,
      readOnly: true,
      run: ({ ctx }) => facade.call(ctx, { method: "GET", path: "/sql/tables" }),
    }),
    defineOracleTool({
      name: "query_index",
      description:
        "One SELECT over the public tables of the index; amounts are integers of micro-CARBON. list_index_tables tells its tables and columns.",
      inputSchema: z.strictObject({ sql: z.string().min(1).max(10_000) }),
      destructive: false,
      readOnly: true,
      run: ({ ctx, input }) => facade.call(ctx, { method: "GET", path: `/sql?${query({ query: input.sql })}` }),
    }),
  ],
});
