import type { Agent } from "../wire/turn.ts";
import type { AgentOptions } from "./agent.ts";
import { modelCards } from "./models.ts";

/** Open the agent. The library that drives its loop is large, so it is loaded with the first turn. */
export function openAgent(options: AgentOptions): Agent {
  return {
    models: () => modelCards(options.endpoint),
    runTurn: async (turn) => {
      const { createAgent } = await import("./agent.ts");
      return await createAgent(options).runTurn(turn);
    },
  };
}
