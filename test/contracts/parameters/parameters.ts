import { expect } from "chai";
import { encodeAbiParameters, getAddress, type Hex, keccak256, zeroHash } from "viem";
import { parametersAbi } from "../../../deployments/abi/parameters.ts";
import * as S from "../scheme.ts";

const { networkHelpers, viem } = S.connection;

const entry = {
  kind: "fnrb",
  key: "ZMB",
  value: 40n,
  decimals: 2,
  unit: "1",
  source: "CDM TOOL33 v03.0",
  sourceHash: S.hashOf("a document"),
  validFrom: 20_000,
  validTo: 0,
};
type Entry = typeof entry;
const entryType = parametersAbi.find((item) => item.type === "function" && item.name === "set")?.inputs[0];
const hashOf = (each: Entry): Hex => keccak256(encodeAbiParameters([entryType as never], [each] as never));
const subjectOf = (kind: string, key: string): Hex =>
  keccak256(encodeAbiParameters([{ type: "string" }, { type: "string" }], [kind, key]));

async function parametersAlone(defaults: Entry[] = []) {
  const { council, registrar, stranger, operator } = await S.accounts();
  const participants = await viem.deployContract("Participants", [council.account.address]);
  await participants.write.grantRole([S.Role.registrar, registrar.account.address, 0]);
  await participants.write.grantRole([S.Role.operator, operator.account.address, 0]);
  const parameters = await viem.deployContract("Parameters", [participants.address, defaults]);
  const set = (changes: Partial<Entry> = {}, account = registrar.account) =>
    parameters.write.set([{ ...entry, ...changes }], { account });
  return { participants, parameters, stranger, operator, set };
}
async function empty() {
  return parametersAlone();
}

describe("Parameters", () => {
  it("records an entry of the registrar under the next number, by its hash", async () => {
    const { parameters, set } = await networkHelpers.loadFixture(empty);
    expect(await parameters.read.parameterCount()).to.equal(0);
    expect(await parameters.read.latestOf([subjectOf("fnrb", "ZMB")])).to.equal(0);
    await S.emits(set(), parameters, "ParameterSet", [1, subjectOf("fnrb", "ZMB"), 0, entry]);
    expect(await parameters.read.parameterCount()).to.equal(1);
    expect(await parameters.read.hashOf([1])).to.equal(hashOf(entry));
    expect(await parameters.read.hashOf([2])).to.equal(zeroHash);
    expect(await parameters.read.subjectOf(["fnrb", "ZMB"])).to.equal(subjectOf("fnrb", "ZMB"));
  });

  it("lets a newer entry of the same kind and key supersede the older one, which stays", async () => {
    const { parameters, set } = await networkHelpers.loadFixture(empty);
    await set();
    await set({ key: "MWI" });
    const newer = { ...entry, value: 35n };
    await S.emits(set(newer), parameters, "ParameterSet", [3, subjectOf("fnrb", "ZMB"), 1, newer]);
    expect(await parameters.read.latestOf([subjectOf("fnrb", "ZMB")])).to.equal(3);
    expect(await parameters.read.latestOf([subjectOf("fnrb", "MWI")])).to.equal(2);
    expect(await parameters.read.hashOf([1])).to.equal(hashOf(entry));
  });

  it("does not confuse a kind and a key that make the same text together", async () => {
    const { parameters, set } = await networkHelpers.loadFixture(empty);
    await set({ kind: "fn", key: "rbZMB" });
    expect(await parameters.read.latestOf([subjectOf("fnrb", "ZMB")])).to.equal(0);
  });

  it("refuses anybody but a registrar", async () => {
    const { participants, parameters, stranger, operator, set } = await networkHelpers.loadFixture(empty);
    for (const { account } of [stranger, operator]) {
      const strange = set({}, account);
      await S.reverts(strange, participants, "MissingRole", [getAddress(account.address), S.Role.registrar]);
    }
    expect(await parameters.read.parameterCount()).to.equal(0);
  });

  it("refuses texts that are empty or too long, and takes the longest", async () => {
    const { parameters, set } = await networkHelpers.loadFixture(empty);
    const limits = { kind: 32, key: 64, unit: 32, source: 512 };
    for (const [name, limit] of Object.entries(limits)) {
      await set({ [name]: "x".repeat(limit) });
      const long = set({ [name]: "x".repeat(limit + 1) });
      await S.reverts(long, parameters, "ParameterTextInvalid", [BigInt(limit + 1), BigInt(limit)]);
      if (name === "unit") await set({ unit: "" });
      else await S.reverts(set({ [name]: "" }), parameters, "ParameterTextInvalid", [0n, BigInt(limit)]);
    }
    expect(await parameters.read.parameterCount()).to.equal(5);
  });

  it("refuses more than 18 decimals and a period that ends before it begins", async () => {
    const { parameters, set } = await networkHelpers.loadFixture(empty);
    await S.reverts(set({ decimals: 19 }), parameters, "ParameterDecimalsInvalid", [19, 18]);
    await S.reverts(set({ validTo: 19_999 }), parameters, "ParameterPeriodInvalid", [20_000, 19_999]);
    await set({ decimals: 18, validTo: 20_000, value: -1n });
    expect(await parameters.read.parameterCount()).to.equal(1);
  });

  it("starts with the defaults of its deployment, by the same rules", async () => {
    const newer = { ...entry, value: 41n };
    const { parameters } = await parametersAlone([entry, { ...entry, key: "MWI" }, newer]);
    expect(await parameters.read.parameterCount()).to.equal(3);
    expect(await parameters.read.hashOf([3])).to.equal(hashOf(newer));
    expect(await parameters.read.latestOf([subjectOf("fnrb", "ZMB")])).to.equal(3);
    const wrong = parametersAlone([{ ...entry, source: "" }]);
    await S.reverts(wrong, parameters, "ParameterTextInvalid", [0n, 512n]);
  });
});
