import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { exampleCampaign, registerFrames, registerPlans, requireStatus } from "../../../test/support/campaigns.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { openRegistryTest, type RegistryTest, rulesOf } from "../../../test/support/registry.ts";
import { openApp } from "../../app.ts";
import type { OpenDeps } from "../../compose.ts";
import { createLog } from "../../platform/log.ts";
import type { CampaignResponse } from "./schemas.ts";

describe("campaigns of two API processes over one PostgreSQL", () => {
  let postgres: TestPostgres;
  let test: RegistryTest;
  let second: OpenDeps;
  before(async () => {
    postgres = await startPostgres();
    const DATABASE_URL = await postgres.createDatabase();
    test = await openRegistryTest({ DATABASE_URL });
    const config = test.world.config({
      DATABASE_URL,
      ADMIN_API_KEY: testAdminKey,
      REQUESTS_PER_MINUTE: "100000",
    });
    second = await openApp(config, createLog(config));
    await registerPlans(test);
  });
  after(async () => {
    await second?.close();
    await test?.close();
    await postgres?.stop();
  });

  const inSecond = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${testAdminKey}` };
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await second.app.request(`/v1${path}`, { method, headers, ...payload });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as unknown };
  };

  it("commit an id once, and draw it once", async () => {
    const body = await registerFrames(test.admin, exampleCampaign());
    const other = { ...(await registerFrames(test.admin, exampleCampaign())), campaignId: body.campaignId };
    const commits = await Promise.all([test.admin("POST", "/campaigns", body), inSecond("POST", "/campaigns", other)]);
    assert.deepEqual(commits.map(({ status }) => status).sort(), [201, 409], JSON.stringify(commits));
    const path = `/campaigns/${body.campaignId}/draw`;
    const draws = await Promise.all([test.admin("POST", path), inSecond("POST", path)]);
    assert.deepEqual(draws.map(({ status }) => status).sort(), [200, 409], JSON.stringify(draws));
  });

  it("see immediately what the other one drew and replaced", async () => {
    const body = await registerFrames(test.admin, exampleCampaign());
    requireStatus(await test.admin("POST", "/campaigns", body), 201);
    const [household] = body.groups.reference.frame as [string];
    assert.deepEqual(await second.deps.campaigns.openSamplesOf(household), []);
    const drawn = requireStatus(await test.admin("POST", `/campaigns/${body.campaignId}/draw`), 200);
    const { index, groups } = drawn.body as CampaignResponse;
    const [did] = groups.reference.sample as [string];
    assert.equal((await second.deps.campaigns.memberOf(index, did))?.status, "sampled");
    assert.equal((await second.deps.campaigns.openSamplesOf(did)).length, 1);
    const path = `/campaigns/${body.campaignId}/replacements`;
    const replacement = { group: "reference", householdId: did, reason: "absent", note: "Nobody home" };
    requireStatus(await inSecond("POST", path, replacement), 201);
    const again = await test.admin("POST", path, replacement);
    assert.deepEqual([again.status, rulesOf(again)], [409, ["replaced-once"]]);
    const views = [
      await test.admin("GET", `/campaigns/${body.campaignId}`),
      await inSecond("GET", `/campaigns/${body.campaignId}`),
    ];
    assert.deepEqual(views[0]?.body, views[1]?.body);
    assert.match(JSON.stringify(views[0]?.body), /"note":"Nobody home"/);
  });
});
