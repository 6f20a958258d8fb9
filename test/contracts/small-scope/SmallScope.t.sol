// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {SmallWorld} from "./SmallWorld.sol";
import {StateStore} from "./StateStore.sol";

/// @title SmallScope
/// @notice Every sequence of steps of the small world up to a length, not a random choice of them: the conservation
/// properties of INVARIANTS.md hold after each step of each.
/// @dev Two sequences that lead to the same storage and time are continued once. "The same" is exact: the hash is over
/// every slot that a step wrote, in every contract.
contract SmallScope is SmallWorld {
    using StateStore for StateStore.Store;

    /// @dev A point of the search. `hash` stands for everything that was written since the beginning.
    struct Point {
        uint256 hash;
        uint256 time;
        uint256 stepsLeft;
    }

    /// @notice Steps after a beginning; the long form goes further.
    uint256 private constant LENGTH = 4;
    uint256 private constant LONG_LENGTH = 7;
    /// @dev Of `Certificates`, see shapes.json.
    uint256 private constant ACCOUNTS_SLOT = 10;

    error Tried(uint256 written);

    address[8] private watched;
    Step[][] private beginnings;

    function setUp() public {
        deploySmallWorld();
        watched = [
            address(vouchers),
            address(certificates),
            address(carbon),
            address(claims),
            address(pool),
            address(itmo),
            address(stablecoin),
            address(participants)
        ];
        beginnings.push([Step.Issue]);
        beginnings.push([Step.Issue, Step.RedeemOne, Step.Claim]);
        beginnings.push([Step.Issue, Step.RedeemOne, Step.Flag]);
        beginnings.push([Step.Issue, Step.RedeemOther, Step.RedeemOne, Step.Cancel, Step.Reissue]);
        // CARBON has been paid for and bought, so that conversions are within reach.
        beginnings.push([Step.Issue, Step.RedeemTwo, Step.Claim, Step.TakeIn, Step.Buy, Step.Request]);
        // The certificate is revoked, also finally, and its implementer has bought CARBON to pay with.
        beginnings.push([Step.Issue, Step.RedeemOne, Step.RedeemOther, Step.Claim, Step.TakeIn, Step.Buy, Step.Revoke]);
        beginnings.push(beginnings[5]);
        beginnings[6].push(Step.PassTwoDays);
    }

    function test_everySequence() public {
        uint256 length = vm.envOr("HEARTH_LONG", uint256(0)) == 1 ? LONG_LENGTH : LENGTH;
        uint256[] memory succeeded = new uint256[](STEPS);
        for (uint256 i = 0; i < beginnings.length; ++i) explore(beginnings[i], length, succeeded);

        // Issue comes before the search.
        for (uint256 i = 1; i < STEPS; ++i) require(succeeded[i] > 0, "a step never succeeded: it tests nothing");
    }

    function explore(Step[] memory beginning, uint256 length, uint256[] memory succeeded) private {
        uint256 snapshot = vm.snapshotState();
        uint256 time = START;
        for (uint256 i = 0; i < beginning.length; ++i) {
            time += pause(beginning[i]);
            vm.warp(time);
            if (pause(beginning[i]) == 0) make(beginning[i]);
            requireConserved();
        }
        StateStore.Store memory seen = StateStore.open(1 << 16);
        seen.reach(uint256(keccak256(abi.encode(uint256(0), time))), length);
        follow(Point(0, time, length), seen, succeeded);
        vm.revertToStateAndDelete(snapshot);
        vm.warp(START);
    }

    function follow(Point memory point, StateStore.Store memory seen, uint256[] memory succeeded) private {
        for (uint256 i = 0; i < STEPS; ++i) {
            uint256 free = freeMemory();
            followStep(point, Step(i), seen, succeeded);
            // Free the step's memory; without this the search would run out of it.
            assembly ("memory-safe") {
                mstore(0x40, free)
            }
        }
    }

    function followStep(
        Point memory point,
        Step step,
        StateStore.Store memory seen,
        uint256[] memory succeeded
    ) private {
        (bool success, Point memory next) = foresee(point, step);
        if (!success) return;
        ++succeeded[uint256(step)];
        if (!seen.reach(uint256(keccak256(abi.encode(next.hash, next.time))), next.stepsLeft)) return;
        uint256 snapshot = vm.snapshotState();
        bool wasFinal = isRevokedForGood();
        vm.warp(next.time);
        if (pause(step) == 0) make(step);
        requireConserved();
        require(!wasFinal || isRevokedForGood(), "R5: a final revocation was taken back");
        bool isFinal = step == Step.Finalise || step == Step.FinaliseOverlapping;
        require(!isFinal || !isIndebted(), "R3: a debtor's conversion became final");
        if (next.stepsLeft > 0) follow(next, seen, succeeded);
        vm.revertToStateAndDelete(snapshot);
        vm.warp(point.time);
    }

    function freeMemory() private pure returns (uint256 free) {
        assembly ("memory-safe") {
            free := mload(0x40)
        }
    }

    /// @dev Return the state after a step, without making it. The step is made in a call that reverts: reverting to a
    /// snapshot would keep the step's logs, and every later snapshot would copy all of them.
    function foresee(Point memory point, Step step) private returns (bool success, Point memory next) {
        next = Point(point.hash, point.time + pause(step), point.stepsLeft - 1);
        if (next.time > point.time) return (true, next);
        vm.record();
        uint256 written = 0;
        try this.tryStep(step) {
            revert("a tried step was not reverted");
        } catch (bytes memory reason) {
            success = bytes4(reason) == Tried.selector;
            if (success) {
                assembly ("memory-safe") {
                    written := mload(add(reason, 0x24))
                }
            }
        }
        if (!success) return (false, next);
        uint256 before = hashOfWritten();
        unchecked {
            next.hash += written - before;
        }
        success = written != before;
    }

    /// @dev Make a step and revert with the hash of what it wrote.
    function tryStep(Step step) external {
        require(msg.sender == address(this), "only this test");
        make(step);
        revert Tried(hashOfWritten());
    }

    /// @dev The sum of the hashes of the present values of all slots that were written since `vm.record`.
    function hashOfWritten() private returns (uint256 sum) {
        for (uint256 i = 0; i < watched.length; ++i) {
            (, bytes32[] memory slots) = vm.accesses(watched[i]);
            unchecked {
                sum += hashOf(watched[i], slots);
            }
        }
    }

    /// @dev The sum of the hashes of the slots' present values, each slot once.
    function hashOf(address target, bytes32[] memory slots) private view returns (uint256 sum) {
        for (uint256 i = 0; i < slots.length; ++i) {
            bool isRepeated = false;
            for (uint256 j = 0; j < i && !isRepeated; ++j) isRepeated = slots[j] == slots[i];
            if (isRepeated) continue;
            unchecked {
                sum += uint256(keccak256(abi.encode(target, slots[i], vm.load(target, slots[i]))));
            }
        }
    }

    // The specification.

    /// @notice The conservation properties, read off the contracts.
    function requireConserved() private view {
        (uint256 remaining, uint256 open) = inEscrow();
        ICertificates.Certificate memory certificate = certificates.certificateOf(CERTIFICATE);
        require(certificate.issued <= certificate.verifiedReduction, "V2: more issued than verified");
        require(vouchers.escrowed() == remaining + open, "V4: escrowed() is not what is owed");
        require(carbon.balanceOf(address(vouchers)) == remaining + open, "V4: the escrow is not what is owed");
        uint256 converted = requireConversions();
        requireLot(certificate.issued - remaining - open, converted + itmo.escrowed());
        requireDebts(certificate, carbon.totalSupply() + converted);
        require(carbon.totalSupply() == held(), "V3: the supply is not what the holders have");
        require(carbon.balanceOf(address(pool)) >= pool.carbonReserve(), "P1: less CARBON than is counted");
    }

    /// @param outside CARBON of the certificate that has left the ledger.
    /// @param inConversions What conversions have of it, open ones included.
    function requireLot(uint256 outside, uint256 inConversions) private view {
        (, uint64 released, uint64 taken) = certificates.lotOf(CERTIFICATE);
        require(released == outside && taken <= released, "L1: what was released is not what left the ledger");
        require(taken == inConversions, "L2: what was taken is not what conversions have");
    }

    /// @dev All CARBON of a certificate was issued; while it is revoked, all that was not burned is a debt. What was
    /// repaid before a veto stays burned.
    /// @param existing CARBON that there is, with what was converted.
    function requireDebts(ICertificates.Certificate memory certificate, uint256 existing) private view {
        if (certificate.status == ICertificates.Status.Revoked) {
            require(existing == certificates.debtOf(1), "R1: the debt is not what was issued less what was burned");
            require(existing <= certificate.issued, "V3: the supply is more than was issued less what was converted");
            return;
        }
        (uint256 outstanding, uint256 repaid) = accountOf(1);
        require(existing + repaid == certificate.issued, "V3: the supply is not issued less converted and repaid");
        require(outstanding == 0 && !isIndebted(), "R1, R2: a debt without a revoked certificate");
    }

    /// @dev Fields of an implementer's account that no view separates: `ImplementerDebts.Account` in its slot.
    function accountOf(uint256 implementer) private view returns (uint256 outstanding, uint256 repaid) {
        uint256 word = uint256(vm.load(address(certificates), keccak256(abi.encode(implementer, ACCOUNTS_SLOT))));
        return (uint88(word), uint88(word >> 88));
    }

    function isRevokedForGood() private view returns (bool) {
        uint256 day = vouchers.revocationFinalFrom(CERTIFICATE);
        return day != 0 && block.timestamp / 1 days >= day;
    }

    function isIndebted() private view returns (bool) {
        return certificates.debtOf(1) > 0 || certificates.replacementOf(1) > 0;
    }

    function inEscrow() private view returns (uint256 remaining, uint256 open) {
        for (uint256 place = 0; place < VOUCHERS.length; ++place) {
            uint256 value = place == 0 ? 2 * TONNE : TONNE;
            IVouchers.Voucher memory voucher = vouchers.voucherOf(VOUCHERS[place]);
            IVouchers.Status status = voucher.status;
            bool isUnopened = status == IVouchers.Status.None && place < 2 && vouchers.batchCount() > 0;
            if (isUnopened) remaining += value;
            require(
                status != IVouchers.Status.Revoked || isRevokedForGood(),
                "R5: a voucher was burned before the revocation was final"
            );
            if (status == IVouchers.Status.Active || status == IVouchers.Status.Suspended)
                remaining += voucher.remaining;
            uint256 spent = 0;
            for (uint32 number = 1; number <= REDEMPTIONS; ++number) {
                (uint256 waiting, uint256 settled) = sharesOf(redemptionOf(place, number));
                open += waiting;
                spent += waiting + settled;
            }
            require(voucher.remaining + spent <= 2 * TONNE, "V5: a voucher gave more than its value");
        }
    }

    function sharesOf(uint96 redemption) private view returns (uint256 waiting, uint256 settled) {
        IVouchers.Redemption memory record = vouchers.redemptionOf(redemption);
        IVouchers.RedemptionStatus status = record.status;
        bool isWaiting =
            status == IVouchers.RedemptionStatus.Open ||
                status == IVouchers.RedemptionStatus.UnderReview ||
                status == IVouchers.RedemptionStatus.Rejected;
        bool isSettled =
            status == IVouchers.RedemptionStatus.Settled ||
                status == IVouchers.RedemptionStatus.Disputed ||
                status == IVouchers.RedemptionStatus.Invalidated;
        if (isWaiting) waiting = record.amount;
        if (isSettled) settled = record.amount;
    }

    function requireConversions() private view returns (uint256 converted) {
        uint256 requested = 0;
        for (uint32 i = 1; i <= itmo.conversionCount(); ++i) {
            IItmo.Conversion memory record = itmo.conversionOf(i);
            if (record.status == IItmo.ConversionStatus.Requested) requested += record.quantity * TONNE;
            if (record.status == IItmo.ConversionStatus.Finalised) converted += record.quantity * TONNE;
        }
        require(carbon.balanceOf(address(itmo)) == requested, "I5: the escrow is not what is requested");
        require(converted <= TONNE, "I1: the same serial in two blocks");
    }

    function held() private view returns (uint256) {
        return
            carbon.balanceOf(address(vouchers)) +
            carbon.balanceOf(address(claims)) +
            carbon.balanceOf(address(pool)) +
            carbon.balanceOf(address(itmo)) +
            carbon.balanceOf(suppliers[1]) +
            carbon.balanceOf(implementers[1]);
    }
}
