import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJsonBody } from "../../../../platform/values/json.ts";
import { testMethods } from "../../../emissions/index.ts";
import {
  campaignMethods,
  type EmissionsTerms,
  emissionsTerms,
  readEmissionsTerms,
  serializeEmissionsTerms,
} from "./emissions-terms.ts";

const parse = (text: string) => emissionsTerms.safeParse(parseJsonBody(new TextEncoder().encode(text)));

function rulesOf(text: string): string[] {
  const found = parse(text);
  assert.equal(found.success, false, text);
  return found.error.issues.map((issue) => `${issue.path.join(".")} ${issue.code}`);
}

test("keeps every digit through JSON text and shows the numbers that were given", () => {
  const given = '{"fuel":"wood","area":"ZMB","units":1000,"usage":0.920000000000000001,"creditingYear":2,"daf":-0.1}';
  const terms = parse(given).data as EmissionsTerms;
  assert.deepEqual(readEmissionsTerms(JSON.parse(JSON.stringify(terms))), terms);
  assert.equal(JSON.stringify(serializeEmissionsTerms(terms)), given);
});

test("takes terms that say nothing, for what is missing is assumed or given at the close", () => {
  assert.deepEqual(parse("{}").data, {});
});

test("refuses figures in a wrong unit, usage told twice and an impossible survey", () => {
  assert.deepEqual(rulesOf('{"usage":92}'), ["usage custom"]);
  assert.deepEqual(rulesOf('{"usage":"0.92"}'), ["usage custom"]);
  assert.deepEqual(rulesOf('{"householdSize":0}'), ["householdSize custom"]);
  assert.deepEqual(rulesOf('{"usage":0.9,"usageSurvey":{"surveyed":100,"inUse":92}}'), ["usageSurvey custom"]);
  assert.deepEqual(rulesOf('{"usageSurvey":{"surveyed":10,"inUse":11}}'), ["usageSurvey.inUse custom"]);
  assert.deepEqual(rulesOf('{"stoves":3}'), [" unrecognized_keys"]);
});

test("takes terms on chain that are none for nothing given", () => {
  for (const stored of [null, undefined, "x", { usage: 0.9, stoves: 1 }, { usage: "9e9" }, { units: "-1" }]) {
    assert.deepEqual(readEmissionsTerms(stored), {}, JSON.stringify(stored));
  }
});

test("takes a method's parameters by symbol, and no unknown version, symbol or range", () => {
  const given = '{"method":"vm0050-1","methodVersion":"1.0","methodParameters":{"eta_new":0.350000000000000001}}';
  const terms = parse(given).data as EmissionsTerms;
  assert.deepEqual(readEmissionsTerms(JSON.parse(JSON.stringify(terms))), terms);
  assert.equal(JSON.stringify(serializeEmissionsTerms(terms)), given);
  assert.deepEqual(rulesOf('{"methodVersion":"4.0"}'), ["methodVersion custom"]);
  assert.deepEqual(rulesOf('{"method":"smec-4","methodVersion":"3.0"}'), ["methodVersion custom"]);
  assert.deepEqual(rulesOf('{"method":"smec-4","methodParameters":{"HE":1,"m":0}}'), [
    "methodParameters.HE custom",
    "methodParameters.m custom",
  ]);
  assert.deepEqual(rulesOf('{"method":"vm0050-1","methodParameters":{"eta_new":2}}'), [
    "methodParameters.eta_new custom",
  ]);
});

test("names the methods that evaluate a kitchen performance test", () => {
  assert.deepEqual(
    [...campaignMethods].sort(),
    testMethods()
      .map(({ id }) => id)
      .sort(),
  );
});
