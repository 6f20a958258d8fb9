import { concat, type Hex, keccak256, stringToHex } from "viem";
import { describe, expect, it } from "vitest";
import { checkDraw, type DrawDocument, drawnInOrder, frameRoot, seedOf } from "./draw-check.ts";

const hash = (text: string) => keccak256(stringToHex(text));
const leavesOf = (...names: string[]) => names.map(hash).sort();
const names = new Map(["a", "b", "c", "d", "e", "f"].map((name) => [hash(name), name]));
const reference = leavesOf("a", "b", "c");
const intervention = leavesOf("d", "e", "f");
const blockHash = hash("block");
const secrets = { operator: hash("operator"), secondParty: hash("party") };
const seed: Hex = "0x0fa5634afba733976bb790b43dd40852885fbdad8105682180a5241ff7ac327b";

/** Round 1000 of drand's quicknet. */
const quicknetSignature =
  "0xb44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39";
const quicknetRandomness: Hex = "0xfe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd";

function drawn(orderSeed = seed): DrawDocument {
  const group = (leaves: Hex[], name: "reference" | "intervention") => ({
    root: frameRoot(leaves),
    size: leaves.length,
    leaves,
    sample: drawnInOrder(orderSeed, name, leaves)
      .slice(0, 2)
      .map((leaf, position) => ({ position, leaf })),
    replacements: [],
  });
  return {
    campaign: 1,
    sampleSize: 2,
    draw: { blockHash, seed, secrets },
    groups: { reference: group(reference, "reference"), intervention: group(intervention, "intervention") },
  };
}

describe("recalculating a draw", () => {
  it("gives the roots, seed and orders of the published example", () => {
    const [left, right] = [frameRoot(reference), frameRoot(intervention)];
    expect(left.startsWith("0xc3b537cc") && left.endsWith("413a")).toBe(true);
    expect(right.startsWith("0x32d6bbf3") && right.endsWith("0037")).toBe(true);
    const { operator: operatorSecret, secondParty: partySecret } = secrets;
    const inputs = { blockHash, campaign: 1, reference: left, intervention: right, operatorSecret, partySecret };
    expect(seedOf(inputs)).toBe(seed);
    const named = (order: Hex[]) => order.map((leaf) => names.get(leaf)).join("");
    expect(named(drawnInOrder(seed, "reference", reference))).toBe("bca");
    expect(named(drawnInOrder(seed, "intervention", intervention))).toBe("dfe");
  });

  it("confirms every part of a correct draw", () => {
    expect(checkDraw(drawn(), null)?.map(({ holds }) => holds)).toEqual([true, true, true, true, true]);
    expect(checkDraw({ ...drawn(), draw: null }, null)).toBeUndefined();
  });

  it("orders the households with the randomness of a public beacon", () => {
    const beacon = { chainHash: "", round: 1_000, publishedAt: 0, drawBlockTime: 0, signature: quicknetSignature };
    const orderSeed = keccak256(concat([seed, quicknetRandomness]));
    const expected = drawn(orderSeed);
    expect(
      checkDraw({ ...expected, draw: { blockHash, seed, secrets, beacon } }, null)?.every((each) => each.holds),
    ).toBe(true);
    expect(checkDraw(expected, null)?.filter(({ holds }) => !holds)).not.toEqual([]);
  });

  it("detects a household that was not drawn, a changed frame, and the seed of another block", () => {
    const swapped = drawn();
    const { reference: group } = swapped.groups;
    group.sample = group.sample.toReversed().map((each, position) => ({ ...each, position }));
    expect(checkDraw(swapped, null)?.filter(({ holds }) => !holds)).toEqual([
      { what: "sample", group: "reference", holds: false },
    ]);
    const grown = drawn();
    grown.groups.intervention.leaves = leavesOf("d", "e", "x");
    expect(
      checkDraw(grown, null)?.some(({ what, group, holds }) => what === "frame" && group === "intervention" && !holds),
    ).toBe(true);
    const other = drawn();
    other.draw = { blockHash: hash("other"), seed, secrets };
    expect(checkDraw(other, null)?.find(({ what }) => what === "seed")?.holds).toBe(false);
    const alone = drawn();
    alone.draw = { blockHash, seed, secrets: { ...secrets, secondParty: null } };
    expect(checkDraw(alone, null)?.find(({ what }) => what === "seed")?.holds).toBe(false);
  });

  it("follows the strata: the sample of each, and replacements of the replaced household's stratum", () => {
    const leaves = leavesOf("a", "b", "c", "d", "e", "f");
    const indexes = leaves.map((_, i) => i % 2);
    const inStratum = (index: number) => leaves.filter((_, i) => indexes[i] === index);
    const strata = [0, 1].map((index) => {
      const frame = { root: frameRoot(inStratum(index)), size: 3 };
      return { id: `s${index}`, sampleSize: 1, frames: { reference: frame, intervention: frame } };
    });
    const document = drawn();
    const { operator: operatorSecret, secondParty: partySecret } = secrets;
    const roots = { reference: frameRoot(leaves), intervention: frameRoot(intervention) };
    const own = seedOf({ blockHash, campaign: 1, ...roots, operatorSecret, partySecret });
    const [first, second, third] = drawnInOrder(own, "reference", inStratum(0));
    const [other] = drawnInOrder(own, "reference", inStratum(1));
    const sample = [first, other, second, third].map((leaf, position) => ({ position, leaf: leaf ?? "" }));
    const replacements = [
      { dropped: 0, replacement: 2 },
      { dropped: 2, replacement: 3 },
    ];
    document.groups.reference = { root: roots.reference, size: 6, leaves, strata: indexes, sample, replacements };
    const partsOf = (changed: DrawDocument) =>
      checkDraw(changed, { paired: null, strata })?.flatMap(({ what, group, holds }) =>
        group === "reference" && !holds ? [what] : [],
      );
    expect(partsOf(document)).toEqual([]);
    document.groups.reference.strata = indexes.toReversed();
    expect(partsOf(document)).toEqual(["frame", "sample"]);
  });
});
