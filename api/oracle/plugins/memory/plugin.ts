import { z } from "zod";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";
import { defineOracleTool } from "../host/tool.ts";
import { correctFact, findFacts, forgetFact, maxFactLength, readFacts, rememberFact } from "./facts.ts";
import { memoryRoutes } from "./routes.ts";

const text = z.string().trim().min(1).max(maxFactLength);

export const memory = defineOraclePlugin<Services>({
  name: "memory",
  version: "1.0.0",
  manifest: {
    title: "Memory",
    summary: "Keeps facts about the user over conversations, and finds them again.",
    whenToUse: [
      "when the user tells something about itself to keep",
      "when an answer may need what the user once told",
    ],
    whenNotToUse: ["for how the user wants you to behave: that is user-preferences"],
    examples: ["Remember that I work in Kafue district.", "What do you know about my team?"],
    tags: ["memory", "facts", "remember"],
    category: "memory",
    visibility: "always",
  },
  getTools: ({ services }) => [
    defineOracleTool({
      name: "remember_fact",
      description: "Keeps one fact about the user, in one sentence.",
      inputSchema: z.strictObject({ text }),
      destructive: false,
      run: ({ ctx, input }) => rememberFact(services, ctx.roomId, input.text),
    }),
    defineOracleTool({
      name: "search_memory",
      description:
        "Finds what is kept about the user: the facts that share most words with the question; all of them, newest first, without one.",
      inputSchema: z.strictObject({
        question: z.string().max(500).default(""),
        limit: z.int().min(1).max(100).default(20),
      }),
      destructive: false,
      readOnly: true,
      run: async ({ ctx, input }) => findFacts(await readFacts(services, ctx.roomId), input.question, input.limit),
    }),
    defineOracleTool({
      name: "correct_fact",
      description: "Replaces the words of a fact; what it said before stays in the history.",
      inputSchema: z.strictObject({ id: z.string().min(1), text }),
      destructive: false,
      run: ({ ctx, input }) => correctFact(services, ctx.roomId, input.id, input.text),
    }),
    defineOracleTool({
      name: "forget_fact",
      description: "Takes a fact out of the memory.",
      inputSchema: z.strictObject({ id: z.string().min(1) }),
      destructive: false,
      run: async ({ ctx, input }) => {
        await forgetFact(services, ctx.roomId, input.id);
        return { forgotten: input.id };
      },
    }),
  ],
  getRoutes: ({ services }) => memoryRoutes(services),
});
