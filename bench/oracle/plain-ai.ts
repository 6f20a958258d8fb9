import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { serve } from "@hono/node-server";
import { streamText } from "ai";
import { Hono } from "hono";
import { tellUsage } from "./measured.ts";

// The example of the documentation: `ai` behind Hono, without history, log and authentication.
const provider = createOpenAICompatible({ name: "llm", baseURL: process.argv[2] ?? "" });
const app = new Hono();
app.post("/messages/:id", async (c) => {
  const { message } = await c.req.json<{ message: string }>();
  return streamText({ model: provider.chatModel("bench"), prompt: message }).toUIMessageStreamResponse();
});
tellUsage();
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
