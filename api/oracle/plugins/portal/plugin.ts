import { clientToolsOf } from "../client-tools.ts";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";

export const portal = defineOraclePlugin<Services>({
  name: "portal",
  version: "1.0.0",
  manifest: {
    title: "Browser tools",
    summary: "Runs the tools that the user's open page offers, in the user's own browser tab.",
    whenToUse: ["when the user asks for something on the page that it has open"],
    tags: ["browser", "page", "portal"],
    category: "ui",
  },
  getRequestTools: (ctx) => clientToolsOf(ctx, "browser"),
});
