// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IClaims} from "../claims/IClaims.sol";
import {Roles} from "../shared/Roles.sol";
import {IVouchers} from "./IVouchers.sol";
import {VoucherCare} from "./VoucherCare.sol";
import {VoucherSlot} from "./VoucherSlot.sol";

/// @title RedemptionCare
/// @notice Takes redemptions to their end: reversed, lapsed, or settled through the claims contract.
abstract contract RedemptionCare is VoucherCare {
    using VoucherSlot for uint256;

    /// @notice After its deadline a redemption whose claim is under review lapses this much later, in seconds.
    uint256 public constant REVIEW_PERIOD = 30 days;

    /// @inheritdoc IVouchers
    function reverse(uint96 redemption, string calldata reason) external {
        uint256 word = _loadRedemption(redemption);
        if (msg.sender != PARTICIPANTS.supplierOf(word.supplierOf()).account) {
            require(_holdsRole(Roles.OPERATOR, msg.sender), NotPermitted(msg.sender));
            // A reversal takes a payment from a supplier, so operators' reversals are limited together. They have a separate bucket
            // from cancellations', so that neither uses up the other's.
            _useLifecycle(address(this), word.amountOf());
        }
        _requireStatus(redemption, word, RedemptionStatus.Open);
        _setStatus(redemption, word, RedemptionStatus.Reversed);
        emit RedemptionReversed(redemption, word.amountOf(), reason);
        _refund(redemption, word);
    }

    /// @inheritdoc IVouchers
    function lapse(uint96 redemption) external {
        uint256 word = _loadRedemption(redemption);
        uint256 end = _endOf(redemption, word);
        RedemptionStatus status = word.redemptionStatusOf();
        if (status == RedemptionStatus.UnderReview) end += REVIEW_PERIOD;
        else if (status != RedemptionStatus.Rejected) _requireStatus(redemption, word, RedemptionStatus.Open);
        require(block.timestamp > end, ClaimDeadlineNotPassed(redemption, uint40(end)));
        _setStatus(redemption, word, RedemptionStatus.Lapsed);
        emit RedemptionLapsed(redemption, word.amountOf());
        _refund(redemption, word);
    }

    /// @inheritdoc IVouchers
    function flagRedemption(uint96 redemption, string calldata reason) external onlyRole(Roles.EVALUATOR) {
        uint256 word = _loadRedemption(redemption);
        _requireStatus(redemption, word, RedemptionStatus.Open);
        _redemptions[redemption] = word.flag();
        emit RedemptionFlagged(redemption, reason);
    }

    /// @inheritdoc IVouchers
    function settle(uint96 redemption, address to, uint64 setOff) external onlyClaims returns (bool isBurned) {
        uint256 word = _loadRedemption(redemption);
        if (word.redemptionStatusOf() != RedemptionStatus.UnderReview) _requireOpenInTime(redemption, word);
        _setStatus(redemption, word, RedemptionStatus.Settled);
        uint64 rest = word.amountOf() - setOff;
        uint32 certificate = _vouchers[uint64(redemption >> 32)].certificateOf();
        // No certificate is revoked while none is halted.
        if (_totals.haltedCount != 0 && _isRevoked(certificate)) {
            isBurned = to == POOL;
            uint64 burned = setOff;
            if (isBurned) (burned, rest) = (setOff + rest, 0);
            setOff = 0;
            // Burns what the pool would get: the certificate's implementer owes the pool as much.
            if (burned > 0) {
                _returnToCertificate(certificate, burned);
                _tell(CERTIFICATES.oweReplacement, certificate, burned);
            }
        }
        _release(certificate, POOL, setOff);
        _release(certificate, to, rest);
    }

    /// @inheritdoc IVouchers
    function setRedemptionStatus(uint96 redemption, RedemptionStatus status) external onlyClaims {
        uint256 word = _loadRedemption(redemption);
        if (status == RedemptionStatus.UnderReview) {
            _requireOpenInTime(redemption, word);
        } else {
            RedemptionStatus current = word.redemptionStatusOf();
            require(_mayFollow(current, status), RedemptionStatusNotAllowed(redemption, current));
        }
        _setStatus(redemption, word, status);
    }

    /// @dev Gives an amount back to its voucher, with the time that it lost, or to the certificate of a cancelled or revoked
    /// one.
    function _refund(uint96 redemption, uint256 word) private {
        uint64 amount = word.amountOf();
        uint64 id = uint64(redemption >> 32);
        Voucher memory voucher = voucherOf(id);
        bool isGone = true;
        if (voucher.status != Status.Revoked) {
            voucher.remaining += amount;
            isGone = voucher.status == Status.Cancelled;
            uint256 until = block.timestamp;
            if (isGone || voucher.status == Status.Suspended) {
                // Reactivating or reissuing a stopped voucher counts the days since it was stopped.
                until = _stoppedAt[id];
            } else {
                // A voucher that was swept or reissued in the meantime works again for what came back.
                voucher.status = Status.Active;
            }
            uint256 redeemedAt = word.deadlineOf() - uint256(voucher.claimWindowHours) * 1 hours;
            uint24 expiryDay = _extended(word.redeemedExpiryDayOf(), redeemedAt, until);
            if (expiryDay > voucher.expiryDay) voucher.expiryDay = expiryDay;
        }
        _save(id, voucher);
        Refund refund = isGone ? Refund.Certificate : Refund.Voucher;
        emit RedemptionRefunded(redemption, amount, refund, voucher.remaining, voucher.expiryDay);
        if (isGone) _returnToCertificate(voucher.certificate, amount);
    }

    /// @dev The storage word of a redemption, which is never 0; reverts when there is none.
    function _loadRedemption(uint96 redemption) private view returns (uint256 word) {
        word = _redemptions[redemption];
        require(word != 0, UnknownRedemption(redemption));
    }

    function _setStatus(uint96 redemption, uint256 word, RedemptionStatus status) private {
        _redemptions[redemption] = word.withStatus(status);
    }

    function _requireOpenInTime(uint96 redemption, uint256 word) private view {
        _requireStatus(redemption, word, RedemptionStatus.Open);
        // In time, no stoppage has to be looked up.
        uint40 deadline = word.deadlineOf();
        if (block.timestamp <= deadline) return;
        require(block.timestamp <= _endOf(redemption, word), ClaimDeadlinePassed(redemption, deadline));
    }

    /// @dev The deadline, later by as long as nothing could be claimed since the redemption.
    function _endOf(uint96 redemption, uint256 word) private view returns (uint256) {
        uint256 window = uint256(_vouchers[uint64(redemption >> 32)].claimWindowHoursOf()) * 1 hours;
        uint256 deadline = word.deadlineOf();
        return deadline + IClaims(CLAIMS).stoppedSince(deadline - window);
    }

    function _requireStatus(uint96 redemption, uint256 word, RedemptionStatus status) private pure {
        RedemptionStatus current = word.redemptionStatusOf();
        require(current == status, RedemptionStatusNotAllowed(redemption, current));
    }

    function _mayFollow(RedemptionStatus from, RedemptionStatus to) private pure returns (bool) {
        if (from == RedemptionStatus.UnderReview) return to == RedemptionStatus.Rejected;
        if (from == RedemptionStatus.Settled) return to == RedemptionStatus.Disputed;
        if (from != RedemptionStatus.Disputed) return false;
        return to == RedemptionStatus.Settled || to == RedemptionStatus.Invalidated;
    }
}
