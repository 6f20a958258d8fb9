import { echoAgent, openTestOracle } from "./oracle.ts";

// A separate runtime for tests that kill it: prints its URL, then sends text for ever in every turn.
const oracle = await openTestOracle(
  {
    ...echoAgent,
    async runTurn({ emit, signal }) {
      emit({ type: "reasoning", text: "Thinking aloud." });
      emit({ type: "tool", toolCallId: "1", toolName: "slow", args: { a: 1 }, status: "isRunning" });
      for (let i = 0; !signal.aborted; i++) {
        emit({ type: "text", delta: `${i} ` });
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return {};
    },
  },
  JSON.parse(process.argv[2] ?? "{}") as Record<string, string>,
);
process.send?.({ url: oracle.url, did: oracle.did });
