import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { bootOf, quietLog, turnOf } from "../../../../test/support/oracle/agent.ts";
import { openTestServices, type TestServices } from "../../../../test/support/oracle/plugins.ts";
import { AppError } from "../../../platform/errors.ts";
import { createAgent } from "../../agent/agent.ts";
import { correctFact, findFacts, forgetFact, readFacts, rememberFact } from "./facts.ts";
import { memory } from "./plugin.ts";

describe("the memory", () => {
  let test: TestServices;
  before(async () => {
    test = await openTestServices();
  });
  after(() => test.close());

  it("keeps facts by room, each once, and finds them by their words", async () => {
    const { services } = test;
    for (const text of ["Works in Kafue district", "Leads a team of four", "Works in Kafue district"]) {
      await rememberFact(services, "room-a", text);
    }
    const facts = await readFacts(services, "room-a");
    assert.equal(facts.length, 2);
    assert.deepEqual(
      findFacts(facts, "Which district?", 5).map(({ text }) => text),
      ["Works in Kafue district"],
    );
    assert.deepEqual(
      findFacts(facts, "", 1).map(({ text }) => text),
      ["Leads a team of four"],
    );
    assert.deepEqual(await readFacts(services, "room-b"), []);
  });

  it("corrects and forgets, and knows nothing of another room's facts", async () => {
    const { services } = test;
    const { id } = await rememberFact(services, "room-c", "Speaks Bemba");
    assert.equal((await correctFact(services, "room-c", id, "Speaks Nyanja")).text, "Speaks Nyanja");
    const missing = (error: unknown) => error instanceof AppError && error.code === "NOT_FOUND";
    await assert.rejects(correctFact(services, "room-d", id, "x"), missing);
    await assert.rejects(forgetFact(services, "room-d", id), missing);
    await forgetFact(services, "room-c", id);
    assert.deepEqual(await readFacts(services, "room-c"), []);
  });

  it("is used by the agent in the user's room alone", async () => {
    const plugins = await bootOf([memory], { services: test.services });
    const agent = createAgent({ plugins, oracleName: "Hearth", endpoint: undefined, log: quietLog });
    const inRoom = (message: string, roomId: string) =>
      turnOf(message, { session: { id: "$s", roomId, loadedPlugins: [], state: {} } });
    await agent.runTurn(inRoom('/tool remember_fact {"text":"Cooks with charcoal"}', "room-e"));
    const own = inRoom('/tool search_memory {"question":"charcoal"}', "room-e");
    await agent.runTurn(own);
    assert.match(own.said(), /Cooks with charcoal/);
    const other = inRoom('/tool search_memory {"question":"charcoal"}', "room-f");
    await agent.runTurn(other);
    assert.doesNotMatch(other.said(), /Cooks/);
  });
});
