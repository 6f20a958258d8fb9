import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";

export const pool = defineOraclePlugin<Services>({
  name: "pool",
  version: "1.0.0",
  manifest: {
    title: "Liquidity pool",
    summary: "Tells the pool's price, reserves and limits, quotes swaps, and prepares or settles them.",
    whenToUse: [
      "when the user asks for the price of CARBON, or what a swap would give",
      "when the user wants to buy or sell CARBON",
    ],
    examples: ["What do 1000 CARBON cost?", "Is the pool paused?"],
    tags: ["pool", "price", "swap", "carbon", "quote", "liquidity"],
    category: "integration",
  },
  getTools: ({ services }) =>
    services.facade.tools([
      { name: "get_pool", method: "GET", path: "/v1/pool" },
      {
        name: "quote_swap",
        method: "POST",
        path: "/v1/pool/quote",
        changes: false,
        description: "Exactly what a swap gives now. It changes nothing.",
      },
      {
        name: "swap",
        method: "POST",
        path: "/v1/pool/swap",
        destructive: true,
        description:
          "Without signatures it returns what the party's account must sign; nothing moves before that signature arrives.",
      },
      { name: "list_swaps", method: "GET", path: "/v1/pool/swaps" },
    ]),
});
