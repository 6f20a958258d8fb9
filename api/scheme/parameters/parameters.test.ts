import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { requireStatus } from "../../../test/support/campaigns.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { workedRequest } from "../../../test/support/emissions.ts";
import { type Caller, openRegistryTest, type RegistryTest, rulesOf } from "../../../test/support/registry.ts";
import { defaultFigures, methods } from "../emissions/index.ts";
import type { ParameterResponse } from "./schemas.ts";

let registry: RegistryTest;
let regulator: Caller;
before(async () => {
  registry = await openRegistryTest();
  regulator = await registry.as("regulator");
});
after(() => registry?.close());

type Page = { items: ParameterResponse[]; nextCursor: string | null };
const listed = async (query: string) =>
  (requireStatus(await regulator("GET", `/parameters?limit=100${query}`), 200).body as Page).items;
const decision = {
  kind: "fnrb",
  key: "ZMB",
  value: 0.38,
  source: "ZEMA decision 2026/14",
  validFrom: "2026-01-01",
};

test("starts with the published defaults and the methods, each with its source", async () => {
  const items = await listed("");
  for (const { kind, key, value, source } of defaultFigures()) {
    const found = items.find((each) => each.kind === kind && each.key === key);
    assert.deepEqual([found?.value, found?.source], [value.toNumber(), source], `${kind} ${key}`);
  }
  for (const { id, version } of methods.values()) {
    assert.equal(items.find((each) => each.kind === "method" && each.key === id)?.value, Number(version));
  }
});

test("records a value with every digit, which supersedes the newest of its kind and key", async () => {
  const [before] = await listed("&kind=fnrb&key=ZMB");
  const hash = `0x${"ab".repeat(32)}`;
  const body = JSON.stringify({ ...decision, sourceHash: hash, validTo: "2026-12-31" }).replace(
    /"value":[\d.]+/,
    '"value":0.123456789012345678',
  );
  const made = await registry.app.request("/v1/parameters", {
    method: "POST",
    headers: { authorization: `Bearer ${testAdminKey}` },
    body,
  });
  const text = await made.text();
  assert.equal(made.status, 201, text);
  assert.match(text, /"value":0\.123456789012345678,/);
  const parameter = JSON.parse(text) as ParameterResponse;
  assert.partialDeepStrictEqual(parameter, {
    kind: "fnrb",
    key: "ZMB",
    unit: "1",
    sourceHash: hash,
    validFrom: "2026-01-01",
    validTo: "2026-12-31",
    supersededBy: null,
  });
  assert.deepEqual(
    (await listed("&kind=fnrb&key=ZMB")).map(({ parameterId, supersededBy }) => [parameterId, supersededBy]),
    [
      [before?.parameterId, parameter.parameterId],
      [parameter.parameterId, null],
    ],
  );
  assert.deepEqual(
    (await listed("&kind=fnrb&key=ZMB&newest=true")).map(({ parameterId }) => parameterId),
    [parameter.parameterId],
  );
  const one = requireStatus(await regulator("GET", `/parameters/${parameter.parameterId}`), 200).body;
  assert.deepEqual(one, parameter);
  assert.equal((await regulator("GET", "/parameters/PRM-99999")).status, 404);
});

test("refuses with every broken rule, and everybody but the regulator", async () => {
  const refused = await regulator("POST", "/parameters", {
    ...decision,
    key: "Zambia",
    value: 1.5,
    validTo: "2025-12-31",
  });
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["dates-ordered", "key-known", "range"]]);
  const rules = async (changes: object) => rulesOf(await regulator("POST", "/parameters", { ...decision, ...changes }));
  assert.deepEqual(await rules({ kind: "ncv", key: "coal", value: 20 }), ["key-known", "range"]);
  assert.deepEqual(await rules({ kind: "method", key: "smec-9", value: 9 }), ["key-known"]);
  const figure = { kind: "method-parameter", value: 2 };
  assert.deepEqual(await rules({ ...figure, key: "mecd-specific-energy/SC_b/KEN" }), ["range"]);
  for (const key of ["mecd-specific-energy/users", "smec-4/SC_b", "smec-4/HN/kenya", "SC_b"]) {
    assert.deepEqual(await rules({ ...figure, key }), ["key-known"]);
  }
  const minimum = { kind: "method-minimum", key: "vm0050-1/sample" };
  assert.deepEqual(await rules({ ...minimum, value: 29 }), ["range"]);
  assert.deepEqual(await rules({ ...minimum, value: 30.5 }), ["whole-number"]);
  assert.deepEqual(await rules({ ...minimum, key: "vm0050-1/precision", value: 0.11 }), ["range"]);
  for (const key of ["vm0050-1/nights", "smec-9/sample", "vm0050-1/sample/zambia", "sample"]) {
    assert.deepEqual(await rules({ ...minimum, key, value: 30 }), ["key-known"]);
  }
  assert.deepEqual(await rules({ kind: "registry", key: "Gold Standard" }), ["value-absent"]);
  const nameless = { kind: "registry", value: undefined };
  assert.deepEqual(await rules({ ...nameless, key: "--" }), ["key-known"]);
  assert.deepEqual(await rules({ ...nameless, key: "G\u043eld Standard" }), ["key-known"]);
  assert.deepEqual(await rules({ ...nameless, key: "gold-standard" }), ["registry-spelling"]);
  const list = { kind: "registry-list", value: undefined };
  assert.deepEqual(await rules({ ...list, key: "ITMOs", choice: "half" }), ["choice-known", "key-known"]);
  assert.deepEqual(await rules({ value: undefined }), ["required"]);
  const evaluator = await registry.as("evaluator");
  assert.equal((await evaluator("POST", "/parameters", decision)).status, 403);
  assert.equal((await evaluator("GET", "/parameters")).status, 200);
});

test("records a Party's accounting method for its NDC period as a choice, and a level of each year", async () => {
  const choice = {
    kind: "ndc-method",
    key: "ZMB",
    choice: "averaging",
    source: "Initial report 2026",
    validFrom: "2021-01-01",
    validTo: "2030-12-31",
  };
  const made = requireStatus(await regulator("POST", "/parameters", choice), 201).body;
  assert.partialDeepStrictEqual(made, { ...choice, unit: "averaging", value: 2 });
  const level = { ...decision, kind: "ndc-level", key: "ZMB-2025", value: 1_200_000.5 };
  assert.partialDeepStrictEqual(requireStatus(await regulator("POST", "/parameters", level), 201).body, {
    value: 1_200_000.5,
    unit: "tCO2e",
    choice: null,
  });
  const refused = async (input: object, changes: object) =>
    rulesOf(await regulator("POST", "/parameters", { ...input, ...changes }));
  assert.deepEqual(await refused(choice, { choice: "best", value: 1, key: "Zambia", validTo: "2030-06-30" }), [
    "choice-known",
    "key-known",
    "value-absent",
    "whole-years",
  ]);
  assert.deepEqual(await refused(choice, { choice: undefined, validTo: undefined }), ["choice-known", "whole-years"]);
  assert.deepEqual(await refused(level, { key: "ZMB" }), ["key-known"]);
  assert.deepEqual(await refused(decision, { choice: "averaging" }), ["choice-absent"]);
});

test("records for which phase of CORSIA a registry's units are eligible, without a value", async () => {
  const { value: _, ...given } = {
    ...decision,
    kind: "corsia",
    key: "first-phase/Gold Standard",
    validTo: "2026-12-31",
  };
  assert.partialDeepStrictEqual(requireStatus(await regulator("POST", "/parameters", given), 201).body, given);
  const refused = rulesOf(await regulator("POST", "/parameters", { ...given, key: "first-phase/", value: 1 }));
  assert.deepEqual(refused, ["key-known", "value-absent"]);
});

test("prepares the transaction for a registrar's own account, and refuses one for another account", async () => {
  const from = registry.deps.chain.senders.registrar.address;
  const action = { action: "parameter-set", account: from, ...decision };
  const prepared = requireStatus(await regulator("POST", "/transactions/prepare", action), 200).body;
  assert.partialDeepStrictEqual(prepared, { contract: "parameters", functionName: "set" });
  const stranger = { ...action, account: "0x90F79bf6EB2c4f870365E785982E1f101E93b906" };
  assert.equal((await regulator("POST", "/transactions/prepare", stranger)).status, 403);
  const evaluator = await registry.as("evaluator");
  assert.equal((await evaluator("POST", "/transactions/prepare", action)).status, 403);
});

test("the calculator takes an approval only from the list, for the area and up to the approved value", async () => {
  const request = JSON.parse(workedRequest);
  const calculate = (fnrbApproval: string) =>
    regulator("POST", "/emissions/calculate", {
      ...request,
      params: { ...request.params, fnrbArea: "KEN", fnrbApproval },
    });
  const own = await calculate("my own word");
  assert.deepEqual([own.status, rulesOf(own)], [400, ["fnrb-approval-recorded"]]);
  const record = async (value: number) =>
    (
      requireStatus(await regulator("POST", "/parameters", { ...decision, key: "KEN", value }), 201)
        .body as ParameterResponse
    ).parameterId;
  const low = await calculate(await record(0.7));
  assert.deepEqual([low.status, rulesOf(low)], [400, ["fnrb-within-default", "fnrb-within-default"]]);
  const approved = requireStatus(await calculate(await record(0.8)), 200);
  assert.equal((approved.body as { er: number }).er, 726.66552832);
});
