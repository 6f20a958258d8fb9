// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IClaims} from "../../../contracts/claims/IClaims.sol";
import {IPool} from "../../../contracts/pool/IPool.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {HostileToken} from "../../../contracts/mocks/HostileToken.sol";
import {HandlerState} from "./HandlerState.sol";

/// @title MoneyHandler
/// @notice Fuzzed actions on claims and pool, but for what needs the council.
abstract contract MoneyHandler is HandlerState {
    function claim(uint256 seed, uint256 credential) external tracked("claim") {
        (uint256 at, uint96 id) = pickClaimable(seed);
        bytes32 hash = hashOf(credential);
        vm.prevrandao(hash);
        vm.prank(operator);
        claims.claim(id, hash);
        settle(at, hash, operator);
    }

    /// @dev The first order is refused and must not spoil the second.
    function claimMany(uint256 seed, uint256 credential) external tracked("claim many") {
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

    function approve(uint256 seed) external tracked("approve") {
        (uint256 at, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.UnderReview);
        vm.prank(evaluator);
        claims.approve(id, "");
        payOut(at, evaluator);
    }

    function reject(uint256 seed) external tracked("reject") {
        (, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.UnderReview);
        vm.prank(evaluator);
        claims.reject(id, "");
    }

    function dispute(uint256 seed, bool byStranger) external tracked("dispute") {
        (, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.Settled);
        vm.prank(byStranger ? stranger : evaluator);
        claims.dispute(id, "");
        if (byStranger) stakes += disputeStake;
    }

    function resolve(uint256 seed, bool upheld, bool other) external tracked("resolve") {
        (uint256 at, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.Disputed);
        uint64 stake = claims.disputeOf(id).stake;
        vm.prank(other ? otherEvaluator : evaluator);
        claims.resolve(id, upheld, "");
        stakes -= stake;
        if (!upheld) return;
        debtMade += _redemptions[at].amount;
        debtOf[_seller] += _redemptions[at].amount;
    }

    function sell(uint256 amount, uint8 supplier) external tracked("sell") {
        _seller = 1 + (supplier % 2);
        address account = suppliers[_seller];
        amount = bound(amount, 0, carbon.balanceOf(account));
        // One call at a time: a lasting prank would outlive a revert.
        vm.prank(account);
        carbon.approve(address(pool), amount);
        vm.prank(account);
        pool.sellCarbon(_seller, uint64(amount), 0, type(uint64).max);
    }

    function buy(uint256 amount) external tracked("buy") {
        amount = bound(amount, 0, (30 * UNIT * uint256(price)) / UNIT);
        stablecoin.mint(implementer, amount);
        vm.prank(implementer);
        stablecoin.approve(address(pool), amount);
        vm.prank(implementer);
        pool.buyCarbon(1, uint64(amount), 0, type(uint64).max);
    }

    /// @dev Gives the stranger what a dispute costs.
    function fund(uint8 supplier) external tracked("fund") {
        address account = suppliers[1 + (supplier % 2)];
        uint256 amount = carbon.balanceOf(account) / 2;
        vm.prank(account);
        carbon.transfer(stranger, amount);
        vm.prank(stranger);
        carbon.approve(address(claims), type(uint256).max);
    }

    function donate(uint256 amount, bool inCarbon) external tracked("donate") {
        if (!inCarbon) return stablecoin.mint(address(pool), bound(amount, 1, 1_000 * UNIT));
        uint256 held = carbon.balanceOf(stranger);
        vm.assume(held > 0);
        vm.prank(stranger);
        carbon.transfer(amount % 2 == 0 ? address(pool) : address(vouchers), bound(amount, 1, held));
    }

    function takeIn() external tracked("take in") {
        pool.takeIn();
    }

    /// @dev The token misbehaves for the next actions; 0 is honest.
    function setTokenMode(uint8 mode) external tracked("token mode") {
        stablecoin.setMode(HostileToken.Mode(mode % 4 == 0 ? (mode / 4) % 6 : 0));
    }

    function pause(uint8 seed) external tracked("pause") {
        vm.assume(seed % 8 == 0);
        vm.prank(guardian);
        pool.pause();
        paused = true;
    }

    function lowerCaps(uint8 which, uint8 percent) external tracked("lower caps") {
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

    function lowerOperatorCap(uint8 percent) external tracked("lower operator cap") {
        uint64 lower = (claims.operatorCap() * (90 + (percent % 10))) / 100;
        vm.prank(guardian);
        claims.lowerOperatorCap(lower);
        operatorCap = lower;
    }

    // What the actions share.

    /// @dev After a claim that stands: the credential, then what was paid.
    function settle(uint256 at, bytes32 hash, address payer) private {
        RedemptionItem storage item = _redemptions[at];
        if (settledCredential[hash] != 0) violate("V7: a credential settled twice");
        if (item.credential != 0) violate("V7: a redemption took two credentials");
        settledCredential[hash] = item.id;
        item.credential = hash;
        if (vouchers.redemptionOf(item.id).status == IVouchers.RedemptionStatus.Settled) payOut(at, payer);
    }

    function payOut(uint256 at, address payer) private {
        uint256 today = block.timestamp / 1 days;
        paidOut[payer][today] += _redemptions[at].amount;
        if (paidOut[payer][today] > claims.operatorCap()) violate("C2: a payer's day above its cap");
        uint256 debt = debtOf[_seller];
        uint256 setOff = debt < _redemptions[at].amount ? debt : _redemptions[at].amount;
        debtOf[_seller] = debt - setOff;
        debtSetOff += setOff;
    }

    function pickClaimable(uint256 seed) private returns (uint256 at, uint96 id) {
        // Mostly one that is open, sometimes any.
        if (seed % 8 != 0) return pickIn(seed, IVouchers.RedemptionStatus.Open);
        vm.assume(_redemptions.length > 0);
        at = seed % _redemptions.length;
        id = _redemptions[at].id;
        _seller = vouchers.redemptionOf(id).supplier;
    }

    /// @dev Few credentials, so that some come again.
    function hashOf(uint256 credential) private pure returns (bytes32) {
        return keccak256(abi.encode("credential", credential % 512));
    }
}
