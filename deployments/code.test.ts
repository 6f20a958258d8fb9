import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Address, Hex } from "viem";
import { contractCode } from "./abi/code.ts";
import { describeLacking, hashCode, inspectCode, type KnownContract, pushes } from "./code.ts";

const names = Object.keys(contractCode) as KnownContract[];
const contracts = Object.fromEntries(names.map((name, i) => [name, `0x${String(i + 1).padStart(40, "0")}` as Address]));

/** Code that pushes everything that a contract answers to, but for what is left out. */
const codeOf = (name: KnownContract, without: string[] = []): Hex => {
  const pushed = Object.entries<Hex>(contractCode[name].answers)
    .filter(([what]) => !without.includes(what))
    .map(([, value]) => value.slice(2).replace(/^(00)+/, ""))
    .map((digits) => (0x5f + digits.length / 2).toString(16) + digits);
  return `0x${pushed.join("")}0000`;
};
const inspect = (codes: Partial<Record<KnownContract, Hex>>) =>
  inspectCode(async (address) => codes[names.find((name) => contracts[name] === address) as KnownContract], contracts);

describe("the code of a deployment", () => {
  it("is hashed without its immutables and the compiler's metadata", () => {
    const word = (digit: string): string => digit.repeat(64);
    const build = (immutable: string, metadata: string): Hex => `0x60${word(immutable)}61${metadata}0003`;
    const hash = hashCode(build("0", "aabbcc"), [1]);
    assert.equal(hashCode(build("7", "112233"), [1]), hash);
    assert.notEqual(hashCode(build("7", "112233"), []), hash);
    assert.notEqual(hashCode(`0x62${word("0")}61aabbcc0003`, [1]), hash);
  });

  it("pushes a selector without its leading zeros", () => {
    assert.ok(pushes("0x0063aabbccdd14", "0xaabbccdd"));
    assert.ok(pushes("0x0062bbccdd14", "0x00bbccdd"));
    assert.ok(!pushes("0x0063aabbccde14", "0xaabbccdd"));
  });

  it("may be another as long as it has the whole interface", async () => {
    const report = await inspect({ pool: codeOf("pool"), claims: codeOf("claims") });
    assert.deepEqual(report, { differing: ["claims", "pool"], lacking: {} });
    assert.equal(describeLacking(report), undefined);
  });

  it("is named with what it lacks", async () => {
    const report = await inspect({ pool: codeOf("pool", ["buyCarbonFor", "CarbonBought"]), itmo: "0x6000" });
    assert.deepEqual(report.lacking.pool, ["CarbonBought", "buyCarbonFor"]);
    assert.match(
      describeLacking(report) ?? "",
      /^itmo \(\S+, \S+, \S+ and \d+ more\), pool \(CarbonBought, buyCarbonFor\)$/,
    );
  });

  it("is skipped where there is none", async () => {
    assert.deepEqual(await inspect({ pool: "0x" }), { differing: [], lacking: {} });
  });
});
