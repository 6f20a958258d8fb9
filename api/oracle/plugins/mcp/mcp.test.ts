import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { bootOf, quietLog, type TestTurn, turnOf } from "../../../../test/support/oracle/agent.ts";
import { createAgent } from "../../agent/agent.ts";
import { mcp } from "./plugin.ts";

describe("external tools", () => {
  /** A real MCP server with one tool that adds and tells who asked. */
  let server: Server;
  let url: string;
  let asked: string | undefined;
  let erased = 0;
  before(async () => {
    server = createServer(async (request, response) => {
      asked = request.headers.authorization;
      const tools = new McpServer({ name: "sums", version: "1.0.0" });
      tools.registerTool(
        "add",
        { description: "Adds.", inputSchema: { a: z.number(), b: z.number() } },
        ({ a, b }) => ({
          content: [{ type: "text", text: String(a + b) }],
        }),
      );
      tools.registerTool("erase", { description: "Erases.", annotations: { destructiveHint: true } }, () => {
        erased += 1;
        return { content: [{ type: "text", text: "gone" }] };
      });
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined as never });
      response.on("close", () => void tools.close());
      await tools.connect(transport as never);
      await transport.handleRequest(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  after(() => server.close());

  const play = async (turn: TestTurn) => {
    const plugins = await bootOf([mcp], { env: { MCP_SERVERS: JSON.stringify({ sums: { url } }) } });
    await createAgent({ plugins, oracleName: "Hearth", endpoint: undefined, log: quietLog }).runTurn(turn);
    return turn;
  };
  const session = { id: "$s", roomId: "r", loadedPlugins: ["mcp"], state: {} };

  it("are listed and called, with the word that the user's client gave along", async () => {
    const listed = await play(turnOf('/tool list_mcp_tools {"server":"sums"}', { session }));
    assert.match(listed.said(), /"name":"add"/);
    const called = await play(
      turnOf('/tool call_mcp_tool {"server":"sums","tool":"add","args":{"a":2,"b":3}}', {
        session,
        mcpInvocations: { sums: "token-of-the-user" },
      }),
    );
    assert.match(called.said(), /"text":"5"/);
    assert.equal(asked, "Bearer token-of-the-user");
  });

  it("that say of themselves that they destroy are called only when the user confirms the very arguments", async () => {
    const message = '/tool call_mcp_tool {"server":"sums","tool":"erase","args":{}}';
    const refused = await play(turnOf(message, { session }));
    const question = refused.questions[0] as { toolName: string; args: unknown };
    assert.deepEqual(
      [question.toolName, question.args],
      ["call_mcp_tool", { server: "sums", tool: "erase", args: {} }],
    );
    assert.equal(erased, 0);
    await play(turnOf(message, { session, confirm: async () => true }));
    assert.equal(erased, 1);
    const listed = await play(turnOf('/tool list_mcp_tools {"server":"sums"}', { session }));
    assert.match(listed.said(), /"name":"erase".*"destructive":true/);
  });

  it("fail with a sentence when there is no such server or tool", async () => {
    const none = await play(turnOf('/tool list_mcp_tools {"server":"gone"}', { session }));
    assert.match(none.said(), /no MCP server "gone"; there are: sums/);
    const wrong = await play(turnOf('/tool call_mcp_tool {"server":"sums","tool":"multiply"}', { session }));
    assert.ok(wrong.events.some((event) => event.type === "tool" && event.status === "error"));
  });

  it("are left out without MCP_SERVERS, and stop the boot when it is malformed", async () => {
    const lines: string[] = [];
    await bootOf([mcp], { say: (line) => lines.push(line) });
    assert.deepEqual(lines, ["[boot] excluded: mcp (MCP_SERVERS)"]);
    await assert.rejects(
      bootOf([mcp], { env: { MCP_SERVERS: "{" } }),
      /env validation failed for 'MCP_SERVERS': must be JSON/,
    );
  });
});
