import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestCore, type TestCore, testAdminKey } from "../../../test/support/core.ts";
import { workedRequest } from "../../../test/support/emissions.ts";
import { mount } from "../../platform/server/base-app.ts";
import { emissionRoutes } from "./routes.ts";

let core: TestCore;
before(async () => {
  core = await openTestCore();
  mount(core.app, emissionRoutes({ parameters: { byId: async () => null } }));
});
after(() => core.close());

async function calculate(body: string, headers: Record<string, string> = {}) {
  const answer = await core.app.request("/v1/emissions/calculate", {
    method: "POST",
    headers: { Authorization: `Bearer ${testAdminKey}`, ...headers },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) };
}

const rulesOf = (body: { details: { path?: string; rule: string }[] }) =>
  body.details.map(({ path, rule }) => `${path} ${rule}`).sort();

type Request = { baselinePairs: Record<string, unknown>[]; params: Record<string, unknown> };
function changed(change: (request: Request) => void): string {
  const request = JSON.parse(workedRequest) as Request;
  change(request);
  return JSON.stringify(request);
}

test("answers the worked case with every digit and only the agreed fields", async () => {
  const { status, text, body } = await calculate(workedRequest);
  assert.equal(status, 200);
  assert.ok(text.startsWith('{"be":2606.351904,"ae":1761.27744,"le":33.90148928,"er":726.66552832,"lines":['), text);
  assert.deepEqual(Object.keys(body), ["be", "ae", "le", "er", "lines"]);
  for (const line of body.lines) {
    assert.deepEqual(Object.keys(line), ["name", "value", "unit", "source"]);
    assert.ok(line.source.length > 0, line.name);
  }
});

test("keeps digits that a float would lose", async () => {
  const { text } = await calculate(
    changed(({ baselinePairs }) => Object.assign(baselinePairs[0] ?? {}, { usage: 1, ncv: 0.1, ef_co2: 10, fnrb: 1 }))
      .replace('"n_stoves":1000,"p_fuel":2.1375', '"n_stoves":1000000000,"p_fuel":100.000000000000000001')
      .replace('"ef_nonco2":4.8', '"ef_nonco2":0'),
  );
  // 10^9 units of 100.000000000000000001 t at 1 tCO2e/t, less a DAF of 0.1.
  assert.match(text, /^\{"be":90000000000\.0000000009,/);
});

test("refuses with every field that is malformed, unknown fields and text for numbers included", async () => {
  const { status, body } = await calculate(
    changed(({ baselinePairs, params }) => {
      Object.assign(baselinePairs[0] ?? {}, { usage: 1.2, ncv: "0.0156", colour: "red" });
      delete params.he;
      params.creditingYear = 0;
    }),
  );
  assert.equal(status, 400);
  assert.deepEqual(rulesOf(body), [
    "baselinePairs.0.colour unknown-field",
    "baselinePairs.0.ncv type",
    "baselinePairs.0.usage range",
    "params.creditingYear range",
    "params.he required",
  ]);
});

test("takes figures in a wrong unit for no figure: kg, MJ/kg, kg/TJ", async () => {
  const { status, body } = await calculate(
    changed(({ baselinePairs }) =>
      Object.assign(baselinePairs[0] ?? {}, { p_fuel: 2137.5, ncv: 15.6, ef_co2: 112_000 }),
    ),
  );
  assert.equal(status, 400);
  assert.deepEqual(rulesOf(body), [
    "baselinePairs.0.ef_co2 range",
    "baselinePairs.0.ncv range",
    "baselinePairs.0.p_fuel range",
  ]);
});

test("compares fNRB with the default of the named area, and takes no text as an approval", async () => {
  const refused = await calculate(changed(({ params }) => Object.assign(params, { fnrbArea: "ZMB" })));
  assert.equal(refused.status, 400);
  assert.deepEqual(rulesOf(refused.body), [
    "activityPairs.0.fnrb fnrb-within-default",
    "baselinePairs.0.fnrb fnrb-within-default",
  ]);
  const approval = { fnrbArea: "ZMB", fnrbApproval: "ZEMA/2026/14" };
  const own = await calculate(changed(({ params }) => Object.assign(params, approval)));
  assert.deepEqual([own.status, rulesOf(own.body)], [400, ["params.fnrbApproval fnrb-approval-recorded"]]);
  const without = await calculate(changed(({ params }) => Object.assign(params, { fnrbApproval: "ZEMA/2026/14" })));
  assert.deepEqual(rulesOf(without.body), ["params.fnrbApproval fnrb-area-named"]);
});

test("calculates the plain TPDDTEC form", async () => {
  const request = JSON.parse(workedRequest);
  const { status, text } = await calculate(
    JSON.stringify({ ...request, method: "tpddtec", params: { leakage: 12.5 } }),
  );
  assert.equal(status, 200);
  assert.ok(text.startsWith('{"be":2895.94656,"ae":1761.27744,"le":12.5,"er":1122.16912,"lines":['), text);
});

test("names a method that it does not know, and needs a key", async () => {
  const unknown = await calculate(workedRequest.replace("smec-4", "smec-9"));
  assert.equal(unknown.status, 400);
  assert.equal(unknown.body.details[0].path, "method");
  assert.equal((await calculate(workedRequest, { Authorization: "" })).status, 401);
});
