import { expect } from "chai";
import { getAddress } from "viem";
import * as S from "../scheme.ts";
import { signPermit } from "../support/permit.ts";

const { networkHelpers, viem } = S.connection;

/** CARBON whose ledger is a plain account. */
async function token() {
  const { operator: ledger, household: holder, stranger } = await S.accounts();
  const carbon = await viem.deployContract("Carbon", [ledger.account.address]);
  await carbon.write.mint([100n], { account: ledger.account });
  await carbon.write.transfer([holder.account.address, 60n], { account: ledger.account });
  return { carbon, ledger, holder, stranger };
}

describe("Carbon", () => {
  it("has 6 decimals and names its ledger", async () => {
    const { carbon, ledger } = await networkHelpers.loadFixture(token);
    expect(await carbon.read.decimals()).to.equal(6);
    expect(await carbon.read.symbol()).to.equal("CARBON");
    expect(await carbon.read.VOUCHERS()).to.equal(getAddress(ledger.account.address));
  });

  it("mints into the ledger's escrow, only when the ledger calls", async () => {
    const { carbon, ledger, stranger } = await networkHelpers.loadFixture(token);
    await carbon.write.mint([5n], { account: ledger.account });
    expect(await carbon.read.balanceOf([ledger.account.address])).to.equal(45n);
    expect(await carbon.read.totalSupply()).to.equal(105n);
    const call = carbon.write.mint([1n], { account: stranger.account });
    await S.reverts(call, carbon, "OnlyVouchers", [getAddress(stranger.account.address)]);
  });

  it("burns at most what the caller holds", async () => {
    const { carbon, holder } = await networkHelpers.loadFixture(token);
    await carbon.write.burn([20n], { account: holder.account });
    expect(await carbon.read.balanceOf([holder.account.address])).to.equal(40n);
    expect(await carbon.read.totalSupply()).to.equal(80n);
    const call = carbon.write.burn([41n], { account: holder.account });
    await S.reverts(call, carbon, "ERC20InsufficientBalance", [getAddress(holder.account.address), 40n, 41n]);
  });

  it("accepts a permit once, in time, and only from the owner", async () => {
    const { carbon, holder, stranger } = await networkHelpers.loadFixture(token);
    const [owner, spender] = [getAddress(holder.account.address), getAddress(stranger.account.address)];
    const sign = (deadline: bigint, by = holder) =>
      signPermit(by, { carbon: carbon.address, owner, spender, value: 7n, nonce: 0n, deadline });
    const permit = ({ v, r, s }: Awaited<ReturnType<typeof sign>>, deadline: bigint) =>
      carbon.write.permit([owner, spender, 7n, deadline, v, r, s], { account: stranger.account });
    await S.reverts(permit(await sign(1n), 1n), carbon, "ERC2612ExpiredSignature", [1n]);
    const forged = permit(await sign(S.NO_BOUND, stranger), S.NO_BOUND);
    await S.reverts(forged, carbon, "ERC2612InvalidSigner", [spender, owner]);
    const signature = await sign(S.NO_BOUND);
    await permit(signature, S.NO_BOUND);
    expect(await carbon.read.allowance([owner, spender])).to.equal(7n);
    expect(await carbon.read.nonces([owner])).to.equal(1n);
    await viem.assertions.revertWithCustomError(permit(signature, S.NO_BOUND), carbon, "ERC2612InvalidSigner");
  });
});
