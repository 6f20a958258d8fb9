import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export type ToolAnswer = { isError: boolean; body: Record<string, unknown> };

export type TestAgent = {
  client: Client;
  tools(): Promise<string[]>;
  call(name: string, input?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
};

/** For tests: the official client, with a token. */
export async function openAgent(url: string, authorization: string): Promise<TestAgent> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), {
    requestInit: { headers: { authorization } },
  });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, input = {}, meta) => {
      const params = { name, arguments: input, ...(meta === undefined ? {} : { _meta: meta }) };
      const { isError = false, structuredContent, content } = await client.callTool(params);
      const [first] = content as { type: string; text: string }[];
      // What a client reads that knows no structured content is the same.
      const body = JSON.parse(first?.text ?? "null");
      if (JSON.stringify(structuredContent) !== JSON.stringify(body)) throw new Error("Text and structure differ.");
      return { isError: Boolean(isError), body };
    },
    close: () => client.close(),
  };
}
