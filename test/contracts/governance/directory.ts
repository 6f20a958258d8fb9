import { expect } from "chai";
import { type Address, getAddress, stringToHex, zeroAddress, zeroHash } from "viem";
import * as S from "../scheme.ts";

const { networkHelpers, viem } = S.connection;
const name = (text: string) => stringToHex(text, { size: 32 });

async function directoryAlone() {
  const { council, stranger, supplier, household } = await S.accounts();
  const participants = await viem.deployContract("Participants", [council.account.address]);
  const directory = await viem.deployContract("Directory", [participants.address]);
  const targets = [supplier, household].map(({ account }) => getAddress(account.address)) as [Address, Address];
  return { participants, directory, council, stranger, targets };
}

describe("Directory", () => {
  it("names contracts and replaces them, by the council", async () => {
    const { directory, targets } = await networkHelpers.loadFixture(directoryAlone);
    const [first, second] = targets;
    const names = [name("Pool"), name("Claims")];
    const call = directory.write.setContracts([names, [first, first]]);
    await S.emits(call, directory, "ContractNamed", [names[0], first, zeroAddress]);
    const replaced = directory.write.setContracts([[name("Pool")], [second]]);
    await S.emits(replaced, directory, "ContractNamed", [names[0], second, first]);
    expect(await directory.read.contractOf([name("Pool")])).to.equal(second);
    expect(await directory.read.contractOf([name("Claims")])).to.equal(first);
    expect(await directory.read.names()).to.deep.equal(names);
  });

  it("refuses other callers, lists of different lengths, empty names and a missing target", async () => {
    const { directory, participants, stranger, targets } = await networkHelpers.loadFixture(directoryAlone);
    const [target] = targets;
    const strange = directory.write.setContracts([[name("Pool")], [target]], { account: stranger.account });
    await S.reverts(strange, participants, "MissingRole", [getAddress(stranger.account.address), S.Role.council]);
    const uneven = directory.write.setContracts([[name("Pool")], [target, target]]);
    await S.reverts(uneven, directory, "LengthMismatch", [1n, 2n]);
    await S.reverts(directory.write.setContracts([[zeroHash], [target]]), directory, "UnknownName", [zeroHash]);
    const none = directory.write.setContracts([[name("Pool")], [zeroAddress]]);
    await S.reverts(none, directory, "ZeroTarget", [name("Pool")]);
    await S.reverts(directory.read.contractOf([name("Pool")]), directory, "UnknownName", [name("Pool")]);
  });
});
