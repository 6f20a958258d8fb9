import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type ModelServer, startModelServer } from "../../../test/support/model-server.ts";
import { bootOf, quietLog, turnOf } from "../../../test/support/oracle/agent.ts";
import { AppError } from "../../platform/errors.ts";
import { createAgent } from "../agent/agent.ts";
import type { Services } from "./host/services.ts";
import { portal } from "./portal/plugin.ts";

let server: ModelServer;
before(async () => {
  server = await startModelServer(() => []);
});
after(() => server.close());

it("calls a tool of the user's page once, also when the page answers with an error", async () => {
  let calls = 0;
  const callClient = async () => {
    calls += 1;
    throw new AppError("UPSTREAM", "The client answered with an error: no stove");
  };
  const turn = turnOf("cook", {
    clientTools: [{ name: "cook", description: "Cooks.", schema: {}, kind: "browser" }],
    callClient,
    session: { id: "$s:t", roomId: "r", loadedPlugins: ["portal"], state: {} },
  });
  server.script = (_, request) => (request === 0 ? [{ calls: [{ name: "cook", args: {} }] }] : [{ text: "cold" }]);
  const plugins = await bootOf<Services>([portal]);
  const endpoint = { baseUrl: server.url, apiKey: undefined, models: ["m"] };
  await createAgent({ plugins, oracleName: "Test", endpoint, log: quietLog }).runTurn(turn);
  assert.equal(calls, 1);
  assert.match(JSON.stringify(server.requests[1]?.messages), /no stove/);
  assert.equal(turn.said(), "cold");
});
