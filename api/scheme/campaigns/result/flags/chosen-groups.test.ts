import assert from "node:assert/strict";
import { test } from "node:test";
import { claimsOf, exampleCampaign } from "../../../../../test/support/campaign-result.ts";
import type { Group } from "../../groups.ts";
import type { MembersAt } from "../inputs/households.ts";
import { type CampaignToDescribe, resultOf } from "../result.ts";

const everyone: Pick<CampaignToDescribe, "remeasured" | "leftOut"> = {
  remeasured: { reference: [], intervention: [] },
  leftOut: { reference: 0, intervention: 0 },
};
/** Households of the reference group use 6 kg a day, those of the intervention group 3 kg. */
const claims = [...claimsOf("reference", [18_000, 18_600, 17_400]), ...claimsOf("intervention", [9_000, 9_300, 8_700])];

/** Whether a saving of none of a standard adult prevents a certificate, where the households have so many women; null: not registered. */
function isPrevented(sizes: Record<Group, (number | null)[]>, changes: Partial<CampaignToDescribe> = {}): boolean {
  const members: MembersAt = (group, position) => {
    const women = sizes[group][position] ?? null;
    return women === null ? null : { children: 0, women, men: 0, elderly: 0 };
  };
  const { certifiability } = resultOf({ ...exampleCampaign(), ...everyone, ...changes }, claims, members);
  return certifiability.every(({ problems }) => problems.some(({ rule }) => rule === "saving-per-adult-positive"));
}

test("a household without registered members counts so that the saving of a standard adult is least", () => {
  const four = [4, 4, 4];
  assert.equal(isPrevented({ reference: [12, 12, 12], intervention: four }), true);
  assert.equal(isPrevented({ reference: [12, 12, null], intervention: four }), true);
  assert.equal(isPrevented({ reference: [12, null, null], intervention: [null, null, 4] }), true);
  // Without any of the reference group, all of them are as large as the largest of the other group.
  assert.equal(isPrevented({ reference: [null, null, null], intervention: [4, 4, 12] }), true);
  assert.equal(isPrevented({ reference: [4, 4, null], intervention: [4, null, 4] }), false);
  assert.equal(isPrevented({ reference: [null, null, null], intervention: [null, null, null] }), false);
});

test("a result of an earlier version is not checked where the members of a household are unknown", () => {
  const sizes = { reference: [12, 12, null], intervention: [4, 4, 4] };
  assert.equal(isPrevented(sizes, { leftOut: undefined }), false);
  assert.equal(isPrevented({ ...sizes, reference: [12, 12, 12] }, { leftOut: undefined }), true);
});

test("a result of which no measured household has registered members says so, where it rests on the saving", () => {
  const flagsOf = (changes: Partial<CampaignToDescribe>, women: number | null = null) => {
    const members: MembersAt = (group, position) =>
      women === null || group === "reference" || position > 0 ? null : { children: 0, women, men: 0, elderly: 0 };
    const { flags } = resultOf({ ...exampleCampaign(), ...everyone, ...changes }, claims, members);
    return flags.flatMap(({ group, rule }) => (rule === "household-sizes-unknown" ? [group] : []));
  };
  const { terms } = exampleCampaign();
  for (const valuePer of ["household", "person", "standard-adult"] as const) {
    assert.deepEqual(flagsOf({ terms: { ...terms, valuePer } }), ["reference"], valuePer);
  }
  assert.deepEqual(flagsOf({}, 4), []);
  // Members of nobody are none.
  assert.deepEqual(flagsOf({}, 0), ["reference"]);
  assert.deepEqual(flagsOf({ terms: { ...terms, baseline: "minimum-service" } }), []);
  assert.deepEqual(flagsOf({ terms: { ...terms, method: "mecd-specific-energy" } }), []);
  const { flags } = resultOf({ ...exampleCampaign(), ...everyone }, claims.slice(0, 3), () => null);
  assert.ok(!flags.some(({ rule }) => rule === "household-sizes-unknown"), "Nobody is measured in the other group.");
});
