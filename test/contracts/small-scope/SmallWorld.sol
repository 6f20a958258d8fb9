// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {SchemeBase} from "../invariants/SchemeBase.sol";

/// @title SmallWorld
/// @notice The whole scheme with one certificate, two households, one supplier and one implementer, and a numbered list
/// of steps: every action on these, each with fixed values.
/// @dev A step either succeeds or reverts; it keeps no state outside of the contracts under test. Voucher 0 is worth
/// two tonnes and voucher 1 is worth one, so that a voucher can be spent in parts, whole, or by too much.
abstract contract SmallWorld is SchemeBase {
    uint256 internal constant START = 1_750_000_000;
    /// @notice The most vouchers: two of the batch, then reissued ones.
    uint64[5] internal VOUCHERS = [uint64(1) << 32, (uint64(1) << 32) | 1, 1, 2, 3];
    /// @notice Redemptions of each voucher that the steps can make.
    uint32 internal constant REDEMPTIONS = 6;
    uint32 internal constant CONVERSIONS = 2;
    uint32 internal constant CERTIFICATE = 1;
    bytes32 internal constant CREDENTIAL = keccak256("credential of the delivery");
    bytes32 internal constant OTHER_CREDENTIAL = keccak256("credential of the other delivery");

    bytes internal leaves = abi.encodePacked(uint32(1), 2 * TONNE, uint32(2), TONNE);

    enum Step {
        Issue,
        RedeemOne,
        RedeemTwo,
        RedeemOther,
        RedeemReissued,
        Reverse,
        Lapse,
        LapseOther,
        Claim,
        ClaimWithSameCredential,
        ClaimOther,
        Flag,
        Approve,
        Reject,
        Dispute,
        Uphold,
        Dismiss,
        Suspend,
        Reactivate,
        Cancel,
        Reissue,
        Sweep,
        SweepOther,
        SweepReissued,
        Revoke,
        Veto,
        Reinstate,
        BurnRevoked,
        TakeIn,
        Buy,
        Request,
        Finalise,
        FinaliseOverlapping,
        RevertConversion,
        RepayDebt,
        ReplaceCarbon,
        PassTwoDays,
        PassAMonth
    }

    uint256 internal constant STEPS = uint256(type(Step).max) + 1;

    function deploySmallWorld() internal {
        vm.warp(START);
        deployScheme();
        vm.prank(registrar);
        certificates.registerAllocated(registration(1, 0, 3 * TONNE, 2), leaves);
        // Bought CARBON is paid from the implementer's stablecoin.
        stablecoin.mint(implementers[1], 1_000 * UNIT);
        vm.prank(implementers[1]);
        stablecoin.approve(address(pool), type(uint256).max);
        vm.prank(implementers[1]);
        carbon.approve(address(itmo), type(uint256).max);
        vm.prank(implementers[1]);
        carbon.approve(address(certificates), type(uint256).max);
    }

    /// @notice Time that a step lets pass, in seconds; 0 for a step that calls a contract.
    function pause(Step step) internal pure returns (uint256) {
        if (step == Step.PassTwoDays) return 2 days;
        return step == Step.PassAMonth ? 31 days : 0;
    }

    /// @notice Makes a step, at the present time.
    function make(Step step) internal {
        if (step <= Step.RedeemReissued) makeRedemption(step);
        else if (step <= Step.Dismiss) makeClaimStep(step);
        else if (step <= Step.BurnRevoked) makeVoucherStep(step);
        else makeMoneyStep(step);
    }

    function makeRedemption(Step step) private {
        if (step == Step.Issue) {
            uint24 day = uint24(block.timestamp / 1 days);
            vm.prank(operator);
            require(vouchers.issueChunks(CERTIFICATE, 0, 1, day, day + 1, "B") > 0, "nothing was issued");
        } else if (step == Step.RedeemOne) redeem(0, TONNE);
        else if (step == Step.RedeemTwo) redeem(0, 2 * TONNE);
        else if (step == Step.RedeemOther) redeem(1, TONNE);
        else redeem(2, TONNE);
    }

    function makeClaimStep(Step step) private {
        uint96 first = redemptionOf(0, 1);
        uint96 other = redemptionOf(1, 1);
        if (step == Step.Lapse) vouchers.lapse(first);
        else if (step == Step.LapseOther) vouchers.lapse(other);
        else if (step == Step.Reverse) {
            vm.prank(suppliers[1]);
            vouchers.reverse(first, "");
        } else if (step == Step.Claim || step == Step.ClaimWithSameCredential || step == Step.ClaimOther) {
            vm.prank(operator);
            claims.claim(step == Step.Claim ? first : other, step == Step.ClaimOther ? OTHER_CREDENTIAL : CREDENTIAL);
        } else if (step == Step.Uphold || step == Step.Dismiss) {
            vm.prank(otherEvaluator);
            claims.resolve(first, step == Step.Uphold, "");
        } else {
            vm.prank(evaluator);
            if (step == Step.Flag) vouchers.flagRedemption(first, "");
            else if (step == Step.Approve) claims.approve(first, "");
            else if (step == Step.Reject) claims.reject(first, "");
            else claims.dispute(first, "");
        }
    }

    function makeVoucherStep(Step step) private {
        if (step == Step.Sweep) vouchers.sweep(VOUCHERS[0]);
        else if (step == Step.SweepOther) vouchers.sweep(VOUCHERS[1]);
        else if (step == Step.SweepReissued) vouchers.sweep(VOUCHERS[2]);
        else if (step == Step.Suspend || step == Step.Reactivate) {
            vm.prank(evaluator);
            if (step == Step.Suspend) vouchers.suspend(VOUCHERS[0], "");
            else vouchers.reactivate(VOUCHERS[0], "");
        } else if (step == Step.Cancel) {
            vm.prank(implementers[1]);
            vouchers.cancel(VOUCHERS[0], "");
        } else if (step == Step.Reissue) {
            uint24 day = uint24(block.timestamp / 1 days);
            vm.prank(operator);
            vouchers.reissue(VOUCHERS[0], day, day + 1, "R");
        } else if (step == Step.BurnRevoked) {
            vouchers.burnRevoked(CERTIFICATE, everyOpening());
        } else if (step == Step.Veto) {
            vm.prank(guardian);
            certificates.vetoRevocation(CERTIFICATE, "");
        } else {
            bool isRevoked = step == Step.Revoke;
            vm.prank(registrar);
            certificates.setCertificateStatus(
                CERTIFICATE,
                isRevoked ? ICertificates.Status.Revoked : ICertificates.Status.Valid,
                ""
            );
        }
    }

    function makeMoneyStep(Step step) private {
        if (step == Step.TakeIn) {
            pool.takeIn();
        } else if (step == Step.Buy) {
            vm.prank(implementers[1]);
            pool.buyCarbon(1, 20 * UNIT, 0, type(uint64).max);
        } else if (step == Step.Request) {
            vm.prank(implementers[1]);
            itmo.requestConversion(IItmo.ConversionOrder(1, TONNE, 1, 2024));
        } else if (step == Step.RepayDebt || step == Step.ReplaceCarbon) {
            vm.prank(implementers[1]);
            if (step == Step.RepayDebt) certificates.repayDebt(1, TONNE);
            else certificates.replaceCarbon(1, TONNE);
        } else {
            vm.prank(registrar);
            if (step == Step.Finalise) itmo.finalise(1, "ZMB01", 1, 1, 0);
            else if (step == Step.FinaliseOverlapping) itmo.finalise(2, "ZMB01", 1, 1, 0);
            else itmo.revertConversion(1, "");
        }
    }

    function redeem(uint256 place, uint64 amount) private {
        uint64 voucher = VOUCHERS[place];
        IVouchers.RedemptionOrder memory order = IVouchers.RedemptionOrder(voucher, 1, 1, amount);
        bool isOpen = vouchers.voucherOf(voucher).status != IVouchers.Status.None;
        (uint32 household, uint64 value) = place == 0 ? (uint32(1), 2 * TONNE) : (uint32(2), TONNE);
        bytes32[] memory proof = isOpen || place == 2 ? new bytes32[](0) : proofOf(leaves, place);
        vm.prank(operator);
        if (isOpen || place == 2) vouchers.redeem(order);
        else vouchers.redeemOpening(order, household, value, proof);
    }

    /// @dev Of both vouchers of the batch, and of each reissued one that there is.
    function everyOpening() private view returns (IVouchers.Opening[] memory openings) {
        uint256 count = 2;
        while (count < VOUCHERS.length && vouchers.voucherOf(VOUCHERS[count]).status != IVouchers.Status.None) ++count;
        openings = new IVouchers.Opening[](count);
        for (uint256 place = 0; place < count; ++place) openings[place].voucher = VOUCHERS[place];
        openings[0] = IVouchers.Opening(VOUCHERS[0], 1, 2 * TONNE, proofOf(leaves, 0));
        openings[1] = IVouchers.Opening(VOUCHERS[1], 2, TONNE, proofOf(leaves, 1));
    }

    /// @notice The id of a voucher's redemption, which need not exist.
    function redemptionOf(uint256 place, uint32 number) internal view returns (uint96) {
        return (uint96(VOUCHERS[place]) << 32) | number;
    }
}
