import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";

export const kpt = defineOraclePlugin<Services>({
  name: "kpt",
  version: "1.0.0",
  manifest: {
    title: "Kitchen performance tests",
    summary: "Plans KPT campaigns, tells sample sizes and statistics, and calculates emission reductions.",
    whenToUse: [
      "when the user asks how many households to measure, or for a campaign's state or result",
      "when the user wants an emission reduction calculated",
    ],
    examples: ["How many households for 90/10 with a CV of 0.5?", "What is the result of CAMPAIGN-2?"],
    tags: ["kpt", "campaign", "sample", "statistics", "emissions"],
    category: "data",
  },
  getTools: ({ services }) =>
    services.facade.tools([
      { name: "kpt_sample_size", method: "GET", path: "/v1/campaigns/sample-size" },
      { name: "list_campaigns", method: "GET", path: "/v1/campaigns" },
      { name: "get_campaign", method: "GET", path: "/v1/campaigns/{campaignId}" },
      { name: "get_campaign_result", method: "GET", path: "/v1/campaigns/{campaignId}/result" },
      { name: "calculate_emission_reduction", method: "POST", path: "/v1/emissions/calculate", changes: false },
    ]),
});
