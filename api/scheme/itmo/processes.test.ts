import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { testAdminKey } from "../../../test/support/core.ts";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  finalisedConversion,
  type ItmoTest,
  openItmoTest,
  requestedConversion,
  requireStatus,
  signConversion,
} from "../../../test/support/itmo.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { openApp } from "../../app.ts";
import type { OpenDeps } from "../../compose.ts";
import { createLog } from "../../platform/log.ts";
import type { Conversion } from "./conversions/schemas.ts";

describe("ITMOs of two API processes over one PostgreSQL", () => {
  let postgres: TestPostgres;
  let test: ItmoTest;
  let second: OpenDeps;
  before(async () => {
    postgres = await startPostgres();
    const DATABASE_URL = await postgres.createDatabase();
    test = await openItmoTest({ DATABASE_URL });
    const config = test.world.config({
      DATABASE_URL,
      ADMIN_API_KEY: testAdminKey,
      REQUESTS_PER_MINUTE: "100000",
      TX_WAIT_MS: "300",
    });
    second = await openApp(config, createLog(config));
    requireStatus(await test.regulator("POST", "/itmo/cooperative-approaches", exampleApproach()), 201);
    requireStatus(await test.regulator("POST", "/itmo/authorizations", exampleAuthorization()), 201);
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
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
  };

  it("carry out one signed order once", async () => {
    await test.fund(3000);
    const signed = await signConversion(test);
    const calls = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0 ? test.admin("POST", "/itmo/conversions", signed) : inSecond("POST", "/itmo/conversions", signed),
    );
    const answers = await Promise.all(calls);
    // The second process does not wait as long for the block, and returns an operation to follow.
    assert.deepEqual(
      new Set(answers.filter(({ status }) => status !== 202).map(({ status }) => status)),
      new Set([201]),
    );
    assert.equal(await test.deps.itmo.ledger.conversionCount(), 1);
    const again = requireStatus(await inSecond("POST", "/itmo/conversions", signed), 201);
    assert.equal((again.body as Conversion).index, 1);
  });

  it("see immediately what the other one did", async () => {
    const { conversionId, blockId } = await finalisedConversion(test, exampleConversion({ amount: 2000 }));
    const read = await inSecond("GET", `/itmo/conversions/${conversionId}`);
    assert.equal(read.body.status, "finalised");
    const body = { acquiringPartyId: "CHE" };
    const answers = await Promise.all([
      test.admin("POST", `/itmo/${blockId}/transfers`, body),
      test.admin("POST", `/itmo/${blockId}/transfers`, { acquiringPartyId: "SWE" }),
    ]);
    assert.ok(
      answers.some(({ status }) => status === 201),
      JSON.stringify(answers),
    );
    const [here, there] = [await test.admin("GET", `/itmo/${blockId}`), await inSecond("GET", `/itmo/${blockId}`)];
    assert.deepEqual(here.body, there.body);
  });

  it("answer 202 when the block does not come, and tell the conversion when it has come", async () => {
    const { conversionId } = await requestedConversion(test);
    await test.world.anvil.pauseMining();
    const serials = { itmoRegistryId: "ZMB07", firstId: 1, lastId: 1 };
    const submitted = await inSecond("POST", `/itmo/conversions/${conversionId}/finalise`, serials);
    await test.world.anvil.resumeMining();
    assert.deepEqual([submitted.status, submitted.body.status], [202, "submitted"], JSON.stringify(submitted.body));
    const path = String(submitted.body.url).replace("/v1", "");
    for (;;) {
      const { body } = await inSecond("GET", path);
      if (body.status === "queued" || body.status === "running") {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      assert.equal(body.status, "succeeded", JSON.stringify(body));
      assert.partialDeepStrictEqual(body.result, { conversionId, status: "finalised" });
      break;
    }
    assert.equal((await inSecond("GET", `/itmo/conversions/${conversionId}`)).body.status, "finalised");
  });
});
