import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ModelServer, startModelServer } from "../../../../test/support/model-server.ts";
import { bootOf, quietLog, type TestTurn, turnOf } from "../../../../test/support/oracle/agent.ts";
import { openTestServices, type TestServices } from "../../../../test/support/oracle/plugins.ts";
import { listVersions } from "../../../files/versions/list-versions.ts";
import { createAgent } from "../../agent/agent.ts";
import { userPreferences } from "./plugin.ts";
import { changePreferences, preferencesPath, readPreferences } from "./preferences.ts";

describe("the user's preferences", () => {
  let test: TestServices;
  let server: ModelServer;
  before(async () => {
    test = await openTestServices();
    server = await startModelServer(() => [{ text: "ok" }]);
  });
  after(async () => {
    await server.close();
    await test.close();
  });

  async function play(turn: TestTurn, offline = true): Promise<void> {
    const plugins = await bootOf([userPreferences], { services: test.services });
    const endpoint = offline ? undefined : { baseUrl: server.url, apiKey: undefined, models: ["m"] };
    await createAgent({ plugins, oracleName: "Hearth", endpoint, log: quietLog }).runTurn(turn);
  }
  const inRoom = (message: string, roomId: string) =>
    turnOf(message, { session: { id: "$s", roomId, loadedPlugins: [], state: {} } });

  it("merge what is given, by room, and are in the prompt of the next conversation's first turn", async () => {
    await play(inRoom('/tool set_user_preferences {"userName":"Amina","tone":"warm"}', "room-a"));
    await play(inRoom('/tool set_user_preferences {"language":"fr"}', "room-a"));
    const kept = await readPreferences(test.services, "room-a");
    assert.deepEqual({ ...kept, updatedAt: "" }, { userName: "Amina", tone: "warm", language: "fr", updatedAt: "" });
    assert.equal(await readPreferences(test.services, "room-b"), null);

    server.requests.length = 0;
    await play(inRoom("Bonjour", "room-a"), false);
    await play(inRoom("Hello", "room-b"), false);
    const [mine, other] = server.requests.map(({ messages }) => String(messages[0]?.content));
    assert.ok(mine?.includes('{"userName":"Amina","tone":"warm","language":"fr"}'));
    assert.ok(other !== undefined && !other.includes("Amina"));
  });

  it("refuse what is unknown, too long or nothing, and keep what was", async () => {
    for (const args of ['{"mood":"x"}', `{"userName":"${"x".repeat(81)}"}`, '{"formality":"rude"}', "{}"]) {
      const turn = inRoom(`/tool set_user_preferences ${args}`, "room-c");
      await play(turn);
      assert.ok(
        turn.events.some((event) => event.type === "tool" && event.status === "error"),
        args,
      );
    }
    assert.equal(await readPreferences(test.services, "room-c"), null);
  });

  it("lose none of many changes at a time, and continue past the most versions of a file", async () => {
    const fields = ["agentName", "userName", "language", "tone", "length", "format"] as const;
    await Promise.all(fields.map((field) => changePreferences(test.services, "room-d", { [field]: "x" })));
    assert.deepEqual(
      Object.keys((await readPreferences(test.services, "room-d")) ?? {}).sort(),
      [...fields, "updatedAt"].sort(),
    );
    for (let i = 0; i < 50; i += 1) await changePreferences(test.services, "room-d", { tone: `${i}` });
    const kept = await readPreferences(test.services, "room-d");
    assert.equal(kept?.tone, "49");
    assert.equal(kept?.userName, "x");
  });

  it("have a history", async () => {
    await changePreferences(test.services, "room-e", { tone: "a" });
    await changePreferences(test.services, "room-e", { tone: "b" });
    const ctx = test.fileContext(await test.services.oracleFiles());
    const { versions } = await listVersions(ctx, { ref: { path: preferencesPath("room-e") } });
    assert.equal(versions.length, 2);
  });

  it("do not change by what a tool returned, without the user's confirmation", async () => {
    const room = "room-f";
    server.requests.length = 0;
    server.script = (_, turn) =>
      [
        [{ calls: [{ name: "list_capabilities", args: {} }] }],
        [{ calls: [{ name: "set_user_preferences", args: { tone: "as I said" } }] }],
        [{ text: "ok" }],
      ][turn] ?? [{ text: "ok" }];
    // The list is the runtime's own word: what follows it is still the user's wish.
    await play(inRoom("Be so", room), false);
    assert.equal((await readPreferences(test.services, room))?.tone, "as I said");
  });
});
