// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {IInvalidationBuffer} from "../../../contracts/itmo/IInvalidationBuffer.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {ConversionHandler} from "./ConversionHandler.sol";

/// @title BufferHandler
/// @notice Fuzzed cancellations and releases of what the invalidation buffer holds, by anyone, compared with a model of its rule.
abstract contract BufferHandler is ConversionHandler {
    /// @dev Tonnes that were cancelled and given back of a conversion.
    struct Ended {
        uint64 cancelled;
        uint64 released;
    }

    mapping(uint32 conversion => Ended ended) public endedOf;
    mapping(uint32 conversion => mapping(uint32 certificate => bool)) private _wasCancelled;

    function cancelBuffered(uint256 seed) external tracked {
        uint32 conversion = pickHeld(seed);
        uint64 held = buffer.holdOf(conversion).held;
        uint64 due = dueToCancel(conversion, held);
        vm.prank(stranger);
        (bool success, ) = address(buffer).call(abi.encodeCall(IInvalidationBuffer.cancelRevoked, (conversion)));
        if (success && due == 0) violate("I11: units were cancelled that are not due");
        if (!success && due != 0) return violate("I11: units of a revoked certificate are not cancelled");
        require(success, "nothing to cancel");
        markCancelled(conversion, due);
        if (held - buffer.holdOf(conversion).held != due) violate("I11: other units were cancelled than are due");
    }

    function releaseBuffered(uint256 seed) external tracked {
        uint32 conversion = pickHeld(seed);
        IInvalidationBuffer.Hold memory before = buffer.holdOf(conversion);
        uint64 due = dueToCancel(conversion, before.held);
        bool isOver = before.held != 0 && block.timestamp >= before.heldUntil;
        bool isDue = isOver && (due == before.held || !isQuestioned(conversion));
        vm.prank(stranger);
        (bool success, ) = address(buffer).call(abi.encodeCall(IInvalidationBuffer.release, (conversion)));
        if (success && !isDue) violate("I11: units were given back too early");
        if (!success && isDue) return violate("I11: units are stuck in the buffer");
        require(success, "not due");
        markCancelled(conversion, due);
        endedOf[conversion].released += before.held - due;
        if (buffer.holdOf(conversion).held != 0) violate("I11: a release left units in the buffer");
    }

    /// @dev Warp to about the second in which the holding time of a conversion ends.
    function passUntilReleased(uint256 seed) external tracked {
        vm.assume(seed % 4 == 0);
        uint256 until = buffer.holdOf(pickHeld(seed)).heldUntil;
        vm.assume(until > clock);
        clock = until - 1 + ((seed / 4) % 3);
    }

    /// @dev Mostly the first from the seed's on that is held, sometimes any.
    function pickHeld(uint256 seed) private view returns (uint32 conversion) {
        uint32 total = itmo.conversionCount();
        for (uint32 i = 0; i < total; ++i) {
            conversion = 1 + uint32((seed + i) % total);
            if (seed % 8 == 0 || buffer.holdOf(conversion).held != 0) return conversion;
        }
        vm.assume(false);
    }

    /// @dev Tonnes of lots whose certificates are finally revoked and that were not cancelled: each rounded up, at most what is held.
    function dueToCancel(uint32 conversion, uint64 held) private view returns (uint64 due) {
        ICertificates.Lot[] memory lots = certificates.lotsOf(address(itmo), conversion);
        for (uint256 i = 0; i < lots.length; ++i) {
            uint32 certificate = lots[i].certificate;
            if (_wasCancelled[conversion][certificate] || !isRevoked(certificate)) continue;
            due += (lots[i].amount + TONNE - 1) / TONNE;
        }
        if (due > held) due = held;
    }

    /// @dev What was due is cancelled now: while anything is left in the buffer, all of these lots are.
    function markCancelled(uint32 conversion, uint64 due) private {
        endedOf[conversion].cancelled += due;
        ICertificates.Lot[] memory lots = certificates.lotsOf(address(itmo), conversion);
        for (uint256 i = 0; i < lots.length; ++i)
            if (isRevoked(lots[i].certificate)) _wasCancelled[conversion][lots[i].certificate] = true;
    }

    function isRevoked(uint32 certificate) private view returns (bool) {
        uint256 day = vouchers.revocationFinalFrom(certificate);
        return day != 0 && block.timestamp / 1 days >= day;
    }

    function isQuestioned(uint32 conversion) private view returns (bool) {
        bool isSuspensionOver = block.timestamp >= uint256(buffer.holdOf(conversion).heldUntil) + 365 days;
        ICertificates.Lot[] memory lots = certificates.lotsOf(address(itmo), conversion);
        for (uint256 i = 0; i < lots.length; ++i) {
            uint32 certificate = lots[i].certificate;
            ICertificates.Status status = certificates.certificateOf(certificate).status;
            if (status == ICertificates.Status.Valid || isRevoked(certificate)) continue;
            if (status == ICertificates.Status.Revoked || !isSuspensionOver) return true;
        }
        return false;
    }
}
