import { expect } from "chai";
import { getAddress } from "viem";
import * as S from "../scheme.ts";

const { viem } = S.connection;

describe("TestStablecoin", () => {
  it("has 6 decimals and is minted by the faucet's owner alone", async () => {
    const { operator, stranger } = await S.accounts();
    const token = await viem.deployContract("TestStablecoin", [operator.account.address]);
    expect(await token.read.decimals()).to.equal(6);
    await token.write.mint([stranger.account.address, 5n], { account: operator.account });
    expect(await token.read.balanceOf([stranger.account.address])).to.equal(5n);
    const call = token.write.mint([stranger.account.address, 5n], { account: stranger.account });
    await S.reverts(call, token, "OwnableUnauthorizedAccount", [getAddress(stranger.account.address)]);
  });
});
