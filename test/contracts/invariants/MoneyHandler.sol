// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IClaims} from "../../../contracts/claims/IClaims.sol";
import {IPool} from "../../../contracts/pool/IPool.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {HostileToken} from "../../../contracts/mocks/HostileToken.sol";
import {HandlerState} from "./HandlerState.sol";

/// @title MoneyHandler
/// @notice Fuzzed actions on claims and pool, except those that need the council.
abstract contract MoneyHandler is HandlerState {
    function claim(uint256 seed, uint256 credential) external tracked {
        (uint256 at, uint96 id) = pickClaimable(seed);
        bytes32 hash = hashOf(credential);
        vm.prank(operator);
        claims.claim(id, hash);
        settle(at, hash, operator);
    }

    /// @dev The first order is refused and must not spoil the second.
    function claimMany(uint256 seed, uint256 credential) external tracked {
        (uint256 at, uint96 id) = pickClaimable(seed);
        bytes32 hash = hashOf(credential);
        IClaims.ClaimOrder[] memory orders = new IClaims.ClaimOrder[](2);
        orders[0] = IClaims.ClaimOrder(77, keccak256("never"));
        orders[1] = IClaims.ClaimOrder(id, hash);
        IVouchers.RedemptionStatus status = vouchers.redemptionOf(id).status;
        vm.prank(operator);
        claims.claimMany(orders);
        if (vouchers.redemptionOf(id).status != status) settle(at, hash, operator);
    }

    /// @dev By any caller, before or after the block of the draw is mined.
    function settleDrawn(uint256 seed) external tracked {
        (uint256 at, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.UnderReview);
        uint64 drawBlock = claims.drawOf(id).drawBlock;
        vm.assume(drawBlock != 0);
        if (seed % 4 != 0) vm.roll(drawBlock + 1 + (seed % 300));
        bool isEarly = block.number <= drawBlock;
        vm.prank(stranger);
        claims.settleDrawn(id);
        if (isEarly) violate("C3: a claim was drawn before its block");
        if (vouchers.redemptionOf(id).status == IVouchers.RedemptionStatus.Settled) setOffOf(at);
    }

    function approve(uint256 seed) external tracked {
        (uint256 at, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.UnderReview);
        vm.prank(evaluator);
        claims.approve(id, "");
        payOut(at, evaluator);
    }

    function reject(uint256 seed) external tracked {
        (uint256 at, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.UnderReview);
        vm.prank(evaluator);
        claims.reject(id, "");
        countPaid(at, evaluator);
    }

    function dispute(uint256 seed, bool byStranger) external tracked {
        (, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.Settled);
        vm.prank(
            byStranger
                ? stranger
                : seed % 3 == 0
                    ? registrar
                    : evaluator
        );
        claims.dispute(id, "");
        if (byStranger) stakes += disputeStake;
    }

    function resolve(uint256 seed, bool upheld, bool other) external tracked {
        (uint256 at, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.Disputed);
        uint64 stake = claims.disputeOf(id).stake;
        address judge = other ? otherEvaluator : evaluator;
        bool isOwn = claims.disputeOf(id).challenger == judge;
        vm.prank(judge);
        claims.resolve(id, upheld, "");
        if (isOwn) violate("D4: the account that raised a dispute resolved it");
        stakes -= stake;
        if (!upheld) return;
        countPaid(at, judge);
        debtMade += _redemptions[at].amount;
        debtOf[_seller] += _redemptions[at].amount;
    }

    function sell(uint256 amount, uint8 supplier) external tracked {
        _seller = 1 + (supplier % 3);
        address account = suppliers[_seller];
        uint256 held = carbon.balanceOf(account);
        amount = bound(amount, 0, held < 25 * TONNE ? held : 25 * TONNE);
        // One call at a time: a lasting prank would outlive a revert.
        vm.prank(account);
        carbon.approve(address(pool), amount);
        uint64 quoted = pool.quoteSell(uint64(foreseeKept(amount)));
        vm.prank(account);
        uint64 paid = pool.sellCarbon(_seller, uint64(amount), 0, type(uint64).max);
        if (paid != quoted) violate("D3: a supplier in debt was not paid net");
        countKept();
    }

    function buy(uint256 amount, uint8 implementer) public tracked {
        uint32 party = 1 + (implementer % 3);
        amount = bound(amount, 0, (22 * TONNE * uint256(price)) / UNIT);
        fundAndApprove(implementers[party], amount);
        vm.prank(implementers[party]);
        pool.buyCarbon(party, uint64(amount), 0, type(uint64).max);
    }

    /// @dev P5: a trader that buys and sells immediately has no more than before.
    function roundTrip(uint256 amount) external tracked {
        amount = bound(amount, 1, (15 * TONNE * uint256(price)) / UNIT);
        address trader = suppliers[3];
        fundAndApprove(trader, amount);
        uint256 before = stablecoin.balanceOf(trader);
        vm.prank(trader);
        uint64 bought = pool.buyCarbon(3, uint64(amount), 0, type(uint64).max);
        vm.prank(trader);
        carbon.approve(address(pool), bought);
        _seller = 3;
        uint256 sold = foreseeKept(bought);
        vm.prank(trader);
        pool.sellCarbon(3, bought, 0, type(uint64).max);
        countKept();
        if (stablecoin.balanceOf(trader) > before) violate("P5: a round trip gained");
        _sales.push(Sale(block.timestamp, 0, -int256(uint256(bought))));
        _sales.push(Sale(block.timestamp, 3, int256(sold)));
    }

    /// @dev Transfer CARBON between suppliers, implementers, and an account without a role that may dispute.
    function give(uint256 amount, uint8 from, uint8 to) external tracked {
        address[6] memory all = [suppliers[1], suppliers[2], implementers[1], implementers[2], suppliers[3], stranger];
        for (uint256 i = 0; i < 6; ++i) {
            address account = all[((from % 6) + i) % 6];
            uint256 held = carbon.balanceOf(account);
            if (held < 2 * TONNE) continue;
            vm.prank(account);
            carbon.transfer(all[to % 6], bound(amount, 1, held / 2));
            vm.prank(all[to % 6]);
            carbon.approve(address(claims), type(uint256).max);
            return;
        }
        vm.assume(false);
    }

    function donate(uint256 amount, bool inCarbon) external tracked {
        if (!inCarbon) return stablecoin.mint(address(pool), bound(amount, 1, 1_000 * TONNE));
        uint256 held = carbon.balanceOf(stranger);
        vm.assume(held > 0);
        address target = [address(pool), address(vouchers), address(itmo)][amount % 3];
        amount = bound(amount, 1, held);
        if (target == address(itmo)) donatedToItmo += amount;
        vm.prank(stranger);
        carbon.transfer(target, amount);
    }

    function takeIn() public tracked {
        pool.takeIn();
    }

    /// @dev The token misbehaves for the next actions; 0 is honest.
    function setTokenMode(uint8 mode) external tracked {
        stablecoin.setMode(HostileToken.Mode(mode % 4 == 0 ? (mode / 4) % 6 : 0));
    }

    /// @dev The token calls the pool again in the middle of its next transfer, as anyone may.
    function setReentry(uint8 which) external tracked {
        IPool.SwapOrder memory order = IPool.SwapOrder(1, 1, 0, which, type(uint64).max);
        IPool.Permit memory permit;
        bytes[3] memory calls = [
            abi.encodeCall(IPool.takeIn, ()),
            abi.encodeCall(IPool.buyCarbonFor, (order, "", permit)),
            abi.encodeCall(IPool.sellCarbonFor, (order, "", permit))
        ];
        stablecoin.setReentry(address(pool), calls[which % 3]);
    }

    function pause(uint8 seed) external tracked {
        vm.assume(seed % 8 == 0);
        vm.prank(guardian);
        pool.pause();
        paused = true;
    }

    function lowerCaps(uint8 which, uint8 percent) external tracked {
        IPool.Caps memory lower = pool.caps();
        uint64 kept = 90 + (percent % 10);
        if (which % 4 == 0) lower.perTransaction = (lower.perTransaction * kept) / 100;
        if (which % 4 == 1) lower.perWindow = (lower.perWindow * kept) / 100;
        if (which % 4 == 2) lower.perDay = (lower.perDay * kept) / 100;
        if (which % 4 == 3) lower.perSupplierDay = (lower.perSupplierDay * kept) / 100;
        vm.prank(guardian);
        pool.lowerCaps(lower);
        _caps = lower;
    }

    function lowerOperatorCap(uint8 percent) external tracked {
        uint64 lower = (claims.operatorCap() * (90 + (percent % 10))) / 100;
        vm.prank(guardian);
        claims.lowerOperatorCap(lower);
        operatorCap = lower;
    }

    // What the actions share.

    function fundAndApprove(address account, uint256 amount) private {
        stablecoin.mint(account, amount);
        vm.prank(account);
        stablecoin.approve(address(pool), amount);
    }

    /// @dev After a valid claim: check the credential, then the payment.
    function settle(uint256 at, bytes32 hash, address payer) internal {
        RedemptionItem storage item = _redemptions[at];
        if (settledCredential[hash] != 0) violate("V7: a credential settled twice");
        if (item.credential != 0) violate("V7: a redemption took two credentials");
        settledCredential[hash] = item.id;
        item.credential = hash;
        if (vouchers.redemptionOf(item.id).status == IVouchers.RedemptionStatus.Settled) payOut(at, payer);
        else if (claims.drawOf(item.id).drawBlock != 0) countPaid(at, payer);
    }

    function payOut(uint256 at, address payer) private {
        countPaid(at, payer);
        setOffOf(at);
    }

    function countPaid(uint256 at, address payer) private {
        uint256 paid = countOf(payer, _redemptions[at].amount);
        if (paid > claims.operatorCap()) violate("C2: a payer's or evaluator's 24 hours above its cap");
    }

    function setOffOf(uint256 at) private {
        uint256 debt = debtOf[_seller];
        uint256 setOff = debt < _redemptions[at].amount ? debt : _redemptions[at].amount;
        debtOf[_seller] = debt - setOff;
        debtSetOff += setOff;
        _setOff = setOff;
    }

    function pickClaimable(uint256 seed) private returns (uint256 at, uint96 id) {
        // Mostly an open one, sometimes any.
        if (seed % 8 != 0) return pickIn(seed, IVouchers.RedemptionStatus.Open);
        vm.assume(_redemptions.length > 0);
        at = seed % _redemptions.length;
        id = _redemptions[at].id;
        _seller = vouchers.redemptionOf(id).supplier;
    }

    /// @dev Few credentials, so that some repeat.
    function hashOf(uint256 credential) internal pure returns (bytes32) {
        return keccak256(abi.encode("credential", credential % 512));
    }
}
