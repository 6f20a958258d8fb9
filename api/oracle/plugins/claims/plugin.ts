import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";

export const claims = defineOraclePlugin<Services>({
  name: "claims",
  version: "1.0.0",
  manifest: {
    title: "Delivery claims",
    summary: "Files delivery claims with their credentials and shows their state.",
    whenToUse: [
      "when a supplier wants to file a claim or asks whether one was paid",
      "when the user names a claim (CLM-…)",
    ],
    examples: ["Was CLM-… paid?"],
    tags: ["claims", "delivery", "payment", "credential"],
    category: "integration",
  },
  getTools: ({ services }) =>
    services.facade.tools([
      { name: "get_claim", method: "GET", path: "/v1/claims/{id}" },
      { name: "list_claims", method: "GET", path: "/v1/claims" },
      { name: "file_claim", method: "POST", path: "/v1/claims", destructive: true },
      { name: "dispute_claim", method: "POST", path: "/v1/claims/{id}/dispute", destructive: true },
    ]),
});
