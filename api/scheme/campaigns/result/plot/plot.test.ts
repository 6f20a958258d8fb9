import assert from "node:assert/strict";
import { test } from "node:test";
import { claimsOf, exampleCampaign, inventedTotals } from "../../../../../test/support/campaign-result.ts";
import type { MeasuredClaim } from "../inputs/households.ts";
import { resultOf } from "../result.ts";
import { drawResult } from "./plot.ts";

const options = { campaignId: "KPT-2026", isClosed: true };

const draw = (claims: MeasuredClaim[], sampleSize: number, changes = {}) =>
  drawResult(
    resultOf(exampleCampaign({ sampleSize }), claims, () => null),
    { ...options, ...changes },
  );

function bothGroups(n: number): MeasuredClaim[] {
  const before = inventedTotals(n, { mean: 6000, deviation: 1500 });
  const after = inventedTotals(n, { mean: 3000, deviation: 900, seed: 7 });
  return [...claimsOf("reference", before), ...claimsOf("intervention", after)];
}

const circlesOf = (svg: string, colour: string) => svg.match(new RegExp(`<path[^>]*fill="${colour}"`, "g")) ?? [];
const count = (svg: string, text: string) => svg.split(text).length - 1;

test("draws every household of a sample, and the same bytes each time", async () => {
  const claims = bothGroups(68);
  const svg = await draw(claims, 68);
  // One more in the legend, one in the style sheet.
  const outliers = count(svg, 'stroke="#a8136a"') - 2;
  assert.equal(circlesOf(svg, "#b4500a").length + circlesOf(svg, "#0b6b8c").length + outliers, 136);
  assert.match(svg, /n = 68 of 68 sampled/);
  assert.equal(await draw(claims, 68), svg);
});

test("draws a density where households would hide each other, and still each outlier", async () => {
  const claims = [
    ...bothGroups(5_000),
    ...claimsOf("reference", [150_000]).map((each) => ({ ...each, position: 9_999 })),
  ];
  const svg = await draw(claims, 5_000);
  assert.equal(circlesOf(svg, "#b4500a").length, 1);
  assert.match(svg, /density of households/);
  assert.match(svg, /\d+ outliers, counted/);
});

test("names itself and says its figures to those who do not see it", async () => {
  const svg = await draw(bothGroups(3), 5, { isClosed: false });
  assert.match(svg, /^<svg role="img" aria-labelledby="title desc" /);
  assert.match(svg, /<title id="title">Fuel use in campaign KPT-2026<\/title>/);
  assert.match(
    svg,
    /<desc id="desc">Saving \d\.\d\d kg per household per day .*Reference group: n = 3 of 5 sampled, mean/,
  );
  assert.match(svg, /The campaign is open/);
  assert.match(svg, /prefers-color-scheme: dark/);
});

test("draws what there is before both groups are measured", async () => {
  const nothing = await draw([], 5);
  assert.match(nothing, /No saving is known yet/);
  assert.match(nothing, /nothing measured yet/);
  const one = await draw(claimsOf("reference", [9_000]), 5);
  assert.match(one, /mean 3\.00 kg a day/);
  assert.doesNotMatch(one, /NaN|Infinity/);
});

test("takes no text for markup", async () => {
  const svg = await draw(bothGroups(3), 5, { campaignId: "<script>alert(1)</script>\"'&" });
  assert.doesNotMatch(svg, /<script/);
  assert.match(svg, /&lt;script&gt;/);
});
