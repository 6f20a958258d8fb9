import assert from "node:assert/strict";
import { test } from "node:test";
import { claimsOf, exampleCampaign, givenTerms } from "../../../../../test/support/campaign-result.ts";
import { type Decimal, decimal } from "../../../emissions/decimal.ts";
import type { HouseholdMembers } from "../../../emissions/index.ts";
import { defaultConfidence } from "../../terms/terms.ts";
import { serializeFigures } from "../response.ts";
import { type CampaignResult, resultOf } from "../result.ts";
import { resultCsv } from "../result-csv.ts";
import { campaignResult } from "../schemas.ts";
import type { EmissionsTerms } from "./emissions-terms.ts";
import type { MeasuredClaim, MembersAt } from "./households.ts";
import { creditedSize } from "./value-unit.ts";

const none = { children: 0, women: 0, men: 0, elderly: 0, guests: 0 };
const membersOf =
  (sizes: Record<"reference" | "intervention", number[]>): MembersAt =>
  (group, position) => {
    const women = sizes[group][position];
    return women === undefined ? null : { children: 0, women, men: 0, elderly: 0 };
  };
const termsPer = (valuePer: EmissionsTerms["valuePer"]): EmissionsTerms => ({ ...givenTerms, valuePer });

function calculate(valuePer: EmissionsTerms["valuePer"], claims: readonly MeasuredClaim[], members: MembersAt) {
  return resultOf(exampleCampaign({ terms: termsPer(valuePer) }), claims, members);
}

function bodyOf(result: CampaignResult) {
  const named = { campaignId: "KPT-2026", confidence: defaultConfidence };
  return campaignResult.parse(JSON.parse(JSON.stringify(serializeFigures(named, result))));
}

function lineOf(result: CampaignResult, name: string, method = "smec-4"): Decimal {
  const lines = result.reductions.find((each) => each.method === method)?.reduction?.lines ?? [];
  return lines.find((each) => each.name === name)?.value ?? assert.fail(`${name} of ${lines.map((each) => each.name)}`);
}

const reference = claimsOf("reference", [18_000, 18_600, 17_400]);
const intervention = claimsOf("intervention", [9_000, 9_300, 8_700]);
const fourEach = membersOf({ reference: [4, 4, 4], intervention: [4, 4, 4] });

test("a value is that of the household unless the terms say otherwise", () => {
  const plain = resultOf(exampleCampaign(), [...reference, ...intervention], fourEach);
  const stated = calculate("household", [...reference, ...intervention], fourEach);
  assert.equal(bodyOf(plain).unit, "kg per household per day");
  assert.deepEqual(bodyOf(stated).groups, bodyOf(plain).groups);
  assert.equal(stated.reductions[0]?.reduction?.er.toString(), plain.reductions[0]?.reduction?.er.toString());
});

test("divides by the registered members, and multiplies the tonnes by as many people", () => {
  const household = calculate("household", [...reference, ...intervention], fourEach);
  const person = calculate("person", [...reference, ...intervention], fourEach);
  const body = bodyOf(person);
  assert.deepEqual([body.unit, body.groups.reference.mean, body.saving.mean], ["kg per person per day", 1.5, 0.75]);
  assert.equal(lineOf(person, "People that a household counts as").toString(), "4");
  assert.equal(lineOf(person, "Household size").toString(), "4");
  for (const [index, { method, reduction }] of person.reductions.entries()) {
    // The caps are not reached, so four people of a household make the household.
    const whole = household.reductions[index]?.reduction;
    assert.ok(
      reduction?.er
        .minus(whole?.er ?? 0)
        .abs()
        .lt("1e-40"),
      method,
    );
  }
});

test("a standard adult is 0.5 of a child, 0.8 of a woman, 1 of a man, 0.8 of one over 59", () => {
  const members: MembersAt = () => ({ children: 2, women: 1, men: 1, elderly: 1 });
  const result = calculate("standard-adult", [...reference, ...intervention], members);
  const body = bodyOf(result);
  assert.equal(body.unit, "kg per standard adult per day");
  assert.equal(body.groups.reference.mean?.toFixed(9), (6 / 3.6).toFixed(9));
  // Five people, of whom the terms give 4.5 to a household.
  assert.equal(lineOf(result, "Standard adults that a household counts as").toString(), "3.24");
  assert.equal(lineOf(result, "Household size").toString(), "4.5");
});

test("counts more people than are registered in a reference household, on the days that name them", () => {
  const fed = { ...none, days: 2, nobody: 0, women: 12 };
  const claims = [...reference.map((claim) => ({ ...claim, fed })), ...intervention];
  const result = calculate("person", claims, fourEach);
  // 18 kg ÷ (12 people on two days + 4 on the third).
  assert.equal(bodyOf(result).groups.reference.mean, 1.125);
  // The intervention group has four people in a household, the reference group 16 ÷ 3 and four registered ones.
  assert.equal(lineOf(result, "People that a household counts as").toString(), "4");
});

/** The means of both groups where visits of each household fed these people a day. */
function meansFed(valuePer: "person" | "standard-adult", people: Partial<typeof none>, members = fourEach) {
  const fed = { ...none, days: 3, nobody: 0 };
  for (const kind of ["children", "women", "men", "elderly", "guests"] as const) fed[kind] = 3 * (people[kind] ?? 0);
  const claims = [...reference, ...intervention].map((claim) => ({ ...claim, fed }));
  const { groups } = bodyOf(calculate(valuePer, claims, members));
  return [groups.reference.mean, groups.intervention.mean];
}

test("a guest counts as a man in a reference household and not at all in an intervention household", () => {
  assert.deepEqual(meansFed("person", { women: 4, guests: 2 }), [1, 0.75]);
  const members: MembersAt = () => ({ children: 0, women: 0, men: 2, elderly: 0 });
  assert.deepEqual(meansFed("standard-adult", { men: 2, guests: 1 }, members), [2, 1.5]);
});

test("whom visits fed moves a value only against the project", () => {
  // Four registered women: 1.5 and 0.75 kg a person, 6 ÷ 3.2 and 3 ÷ 3.2 kg a standard adult.
  assert.deepEqual(meansFed("person", { women: 8 }), [0.75, 0.75]);
  assert.deepEqual(meansFed("person", { women: 2 }), [1.5, 1.5]);
  assert.deepEqual(meansFed("standard-adult", { children: 4 }), [1.875, 1.5]);
  assert.deepEqual(meansFed("standard-adult", { men: 4 }), [1.5, 0.9375]);
});

test("no count of the field team raises the tonnes above those of the registered members", () => {
  const members: MembersAt = () => ({ children: 2, women: 2, men: 1, elderly: 0 });
  const counts = [{}, { children: 15 }, { men: 15 }, { women: 8 }, { children: 9, women: 7, men: 6, guests: 15 }];
  for (const valuePer of ["person", "standard-adult"] as const) {
    const honest = calculate(valuePer, [...reference, ...intervention], members).reductions[0]?.reduction?.er;
    for (const ofReference of counts) {
      for (const ofIntervention of counts) {
        const fedBy = (people: object) =>
          Object.keys(people).length === 0 ? {} : { fed: { ...none, days: 3, nobody: 0, ...people } };
        const claims = [
          ...reference.map((claim) => ({ ...claim, ...fedBy(ofReference) })),
          ...intervention.map((claim) => ({ ...claim, ...fedBy(ofIntervention) })),
        ];
        const found = calculate(valuePer, claims, members).reductions[0]?.reduction?.er;
        assert.ok(honest && found?.lte(honest.plus("1e-40")), `${found} > ${honest}`);
      }
    }
  }
});

test("a larger number of people in one group raises no household above the smaller one", () => {
  const members = membersOf({ reference: [3, 3, 3], intervention: [6, 6, 6] });
  const result = calculate("person", [...reference, ...intervention], members);
  assert.equal(lineOf(result, "People that a household counts as").toString(), "3");
  const other = membersOf({ reference: [6, 6, 6], intervention: [3, 3, 3] });
  const larger = calculate("person", [...reference, ...intervention], other);
  assert.equal(lineOf(larger, "People that a household counts as").toString(), "3");
});

test("small households that use more for each person do not raise the baseline above the measured mean", () => {
  const claims = [...claimsOf("reference", [12_000, 24_000]), ...claimsOf("intervention", [3_000, 12_000])];
  const members = membersOf({ reference: [2, 8], intervention: [2, 8] });
  const result = calculate("person", claims, members);
  // 2 and 1 kg a person make 1.5; the households' mean is 6 kg, which is that of four such people, not of five.
  assert.equal(bodyOf(result).groups.reference.mean, 1.5);
  assert.equal(lineOf(result, "People that a household counts as").toString(), "4");
});

test("a household counts as at most its registered members and the size that the terms give", () => {
  const group = { people: decimal(6), units: decimal(3), registered: decimal(6) };
  const sizes = { groups: { reference: group, intervention: group }, ofFuel: null };
  assert.deepEqual(creditedSize(sizes, decimal(9)), { people: decimal(6), units: decimal(3) });
  assert.deepEqual(creditedSize(sizes, decimal(4)), { people: decimal(4), units: decimal(2) });
  const fewer = { ...sizes, groups: { reference: group, intervention: { ...group, registered: decimal(5) } } };
  assert.deepEqual(creditedSize(fewer, decimal(9)), { people: decimal(5), units: decimal("2.5") });
});

test("a household without registered members has no value, and there is no reduction", () => {
  const members = membersOf({ reference: [4, 4, 4], intervention: [4, 4] });
  const result = calculate("person", [...reference, ...intervention], members);
  const body = bodyOf(result);
  assert.deepEqual([body.groups.intervention.n, body.groups.intervention.householdsWithoutPeople], [2, 1]);
  for (const { reduction, broken } of result.reductions) {
    assert.equal(reduction, null);
    assert.deepEqual(
      broken.map(({ path, rule }) => `${path} ${rule}`),
      ["groups.intervention people-known"],
    );
  }
  assert.ok(result.certifiability.every(({ er }) => er === null));
  // The people that the visits of each day name do not replace the register.
  const fed = { ...none, days: 3, nobody: 0, women: 12 };
  const named = intervention.map((claim) => ({ ...claim, fed }));
  assert.equal(calculate("person", [...reference, ...named], members).reductions[0]?.reduction, null);
});

test("the CSV names the unit and each household's people", () => {
  const csv = resultCsv("KPT-2026", calculate("person", [...reference, ...intervention], fourEach));
  assert.match(csv, /^household,reference,position 0,1\.5,kg\/person\/day,18000 g ÷ 3 days ÷ 4;/m);
  assert.match(csv, /^saving,,mean,0\.75,kg\/person\/day,/m);
});

/** A campaign of 30 households in each group; those of a group have these members. */
function picked(valuePer: EmissionsTerms["valuePer"], members: Record<"reference" | "intervention", HouseholdMembers>) {
  const grams = (mean: number) => Array.from({ length: 30 }, (_, i) => mean + (i % 3) * 300);
  const claims = [...claimsOf("reference", grams(18_000)), ...claimsOf("intervention", grams(15_000))];
  return resultOf(exampleCampaign({ sampleSize: 30, terms: termsPer(valuePer) }), claims, (group) => members[group]);
}
const nobody = { children: 0, women: 0, men: 0, elderly: 0 };

test("registered members of another kind or number in a group raise no certificate above that per household", () => {
  const small = { ...nobody, children: 5 };
  const large = { ...nobody, children: 2, men: 5 };
  const members = { reference: small, intervention: large };
  const certified = (valuePer: EmissionsTerms["valuePer"]) =>
    picked(valuePer, members).certifiability[0]?.er ?? assert.fail("not certifiable");
  const ofHousehold = certified("household");
  for (const valuePer of ["person", "standard-adult"] as const) {
    const result = picked(valuePer, members);
    assert.ok(result.reductions[0]?.reduction?.er.gt(ofHousehold), "the choice of households has no effect");
    assert.equal(certified(valuePer).toString(), ofHousehold.toString());
    assert.equal(lineOf(result, "Reduction per household").toString(), ofHousehold.toString());
  }
});

test("a reduction below that per household is certified as it is", () => {
  // Five women, of whom the terms give 4.5 to a household.
  const members = { reference: { ...nobody, women: 5 }, intervention: { ...nobody, women: 5 } };
  const result = picked("person", members);
  const { er } = result.certifiability[0] ?? assert.fail("no method");
  assert.equal(er?.toString(), result.reductions[0]?.reduction?.er.toString());
  assert.ok(er?.lt(lineOf(result, "Reduction per household")));
});

test("nothing is certified where the same data per household show no reduction", () => {
  const grams = (mean: number) => Array.from({ length: 30 }, (_, i) => mean + (i % 3) * 300);
  const claims = [...claimsOf("reference", grams(15_000)), ...claimsOf("intervention", grams(18_000))];
  const members: MembersAt = (group) => ({ ...nobody, women: group === "reference" ? 2 : 6 });
  const campaign = exampleCampaign({ sampleSize: 30, terms: termsPer("person") });
  const { reductions, certifiability } = resultOf(campaign, claims, members);
  assert.ok(reductions[0]?.reduction?.er.gt(0));
  assert.equal(certifiability[0]?.er, null);
  assert.deepEqual(
    certifiability[0]?.problems.map(({ rule }) => rule),
    ["reduction-positive"],
  );
});
