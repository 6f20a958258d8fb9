import { z } from "zod";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";
import { defineOracleTool } from "../host/tool.ts";

export const itmo = defineOraclePlugin<Services>({
  name: "itmo",
  version: "1.0.0",
  manifest: {
    title: "ITMOs and Article 6.2",
    summary: "Shows conversions of CARBON to ITMOs, their blocks and the Article 6.2 tables, and requests conversions.",
    whenToUse: [
      "when an implementer wants to convert CARBON to ITMOs or asks about a conversion (CONV-…)",
      "when the user asks about an ITMO, an authorization, or the tables of the agreed electronic format",
    ],
    examples: ["What happened to CONV-…?", "What does Zambia report for 2026?"],
    tags: ["itmo", "article 6", "conversion", "aef", "authorization", "ndc"],
    category: "integration",
  },
  getTools: ({ services: { facade } }) => [
    ...facade.tools([
      { name: "list_authorizations", method: "GET", path: "/v1/itmo/authorizations" },
      { name: "list_conversions", method: "GET", path: "/v1/itmo/conversions" },
      { name: "get_conversion", method: "GET", path: "/v1/itmo/conversions/{conversionId}" },
      {
        name: "request_conversion",
        method: "POST",
        path: "/v1/itmo/conversions",
        destructive: true,
        description:
          "Without signatures it returns what the implementer's account must sign; nothing moves before that signature arrives.",
      },
      { name: "list_itmos", method: "GET", path: "/v1/itmo" },
      { name: "get_itmo", method: "GET", path: "/v1/itmo/{blockId}" },
    ]),
    defineOracleTool({
      name: "get_aef_tables",
      description:
        "The five tables of the agreed electronic format for a Party (three letters) and a year, with what a validator finds.",
      inputSchema: z.strictObject({ party: z.string().regex(/^[A-Z]{3}$/), year: z.int().min(2000).max(2200) }),
      destructive: false,
      readOnly: true,
      run: ({ ctx, input }) =>
        facade.call(ctx, { method: "GET", path: `/reports/aef?party=${input.party}&year=${input.year}&format=json` }),
    }),
  ],
});
