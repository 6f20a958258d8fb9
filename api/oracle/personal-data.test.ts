import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import { type ModelServer, startModelServer } from "../../test/support/model-server.ts";
import { bootOf } from "../../test/support/oracle/agent.ts";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../test/support/oracle/oracle.ts";
import { createLog } from "../platform/log.ts";
import { createAgent } from "./agent/agent.ts";

const household = "did:ixo:household/nobody-may-know";
const region = "Lusaka-West";

describe("the oracle's log", () => {
  let model: ModelServer;
  let oracle: TestOracle;
  let user: TestUser;
  let logged = "";
  before(async () => {
    const write = (line: string) => {
      logged += line;
    };
    const log = createLog({ logLevel: "debug" }, { write });
    model = await startModelServer(() => [{ text: "Hello" }]);
    const endpoint = { baseUrl: model.url, apiKey: undefined, models: ["m"], silenceMs: 5_000 };
    const plugins = await bootOf([]);
    oracle = await openTestOracle(createAgent({ plugins, oracleName: "Test", endpoint, log }), {}, { log });
    user = await newTestUser(oracle);
  });
  after(async () => {
    await oracle?.close();
    await model?.close();
  });

  const say = (sessionId: string) =>
    user.call("POST", `/messages/${encodeURIComponent(sessionId)}`, {
      message: `What of ${household} in ${region}?`,
      metadata: { about: household },
    });

  it("names nobody when the model's server repeats what it was asked", async () => {
    const sessionId = await user.session();
    model.script = () => [{ status: 400, body: { error: { message: `This was asked: ${household}` } } }];
    assert.equal((await say(sessionId)).status, 502);
    assert.match(logged, /the model failed/);
    assert.match(logged, /This was asked: \[did\]/);
    for (const each of [household, region, user.key.did()]) assert.ok(!logged.includes(each), each);
  });

  it("names nobody when the database fails under a conversation", async () => {
    model.script = () => [{ text: "Hello" }];
    const sessionId = await user.session();
    const { db } = oracle.core;
    const { rows } = (await db.execute(
      sql`select tablename as name from pg_tables where schemaname = 'public' and tablename like 'oracle%'`,
    )) as unknown as { rows: { name: string }[] };
    const rename = async (from: string, to: string) =>
      void (await db.execute(sql`alter table ${sql.identifier(from)} rename to ${sql.identifier(to)}`));
    for (const { name } of rows) await rename(name, `${name}_gone`);
    const answers = [await say(sessionId), await user.call("GET", "/sessions")];
    for (const { name } of rows) await rename(`${name}_gone`, name);
    const said = await Promise.all(answers.map((answer) => answer.text()));
    assert.match(logged, /Failed query/);
    for (const text of [logged, ...said]) {
      for (const each of [household, region, user.key.did()]) assert.ok(!text.includes(each), text.slice(0, 2_000));
    }
  });
});
