import { serve } from "@hono/node-server";
import { createParser } from "eventsource-parser";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { tellUsage } from "./measured.ts";

// The minimal server: read the model's events, write each as an event.
const app = new Hono();
app.post("/messages/:id", (c) =>
  streamSSE(c, async (stream) => {
    const { message } = await c.req.json<{ message: string }>();
    const body = JSON.stringify({ model: "bench", stream: true, messages: [{ role: "user", content: message }] });
    const answer = await fetch(`${process.argv[2]}/chat/completions`, { method: "POST", body });
    const deltas: string[] = [];
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data === "[DONE]") return;
        const { choices } = JSON.parse(data) as { choices: { delta: { content?: string } }[] };
        const content = choices[0]?.delta.content;
        if (content) deltas.push(content);
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const content of deltas.splice(0))
        await stream.writeSSE({ event: "message", data: JSON.stringify({ content }) });
    }
  }),
);
tellUsage();
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
