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
    /// @notice After its deadline a redemption whose claim is under review lapses this much later, in seconds.
    uint256 public constant REVIEW_PERIOD = 30 days;

    /// @inheritdoc IVouchers
    function reverse(uint96 redemption, string calldata reason) external {
        Redemption memory record = _loadRedemption(redemption);
        if (!_holdsRole(Roles.OPERATOR, msg.sender)) {
            address account = PARTICIPANTS.supplierOf(record.supplier).account;
            require(msg.sender == account, NotPermitted(msg.sender));
        }
        _requireStatus(redemption, record, RedemptionStatus.Open);
        _setStatus(redemption, record, RedemptionStatus.Reversed);
        emit RedemptionReversed(redemption, record.amount, reason);
        _refund(redemption, record);
    }

    /// @inheritdoc IVouchers
    function lapse(uint96 redemption) external {
        Redemption memory record = _loadRedemption(redemption);
        uint256 end = _endOf(redemption, record);
        if (record.status == RedemptionStatus.UnderReview) end += REVIEW_PERIOD;
        else if (record.status != RedemptionStatus.Rejected) {
            _requireStatus(redemption, record, RedemptionStatus.Open);
        }
        require(block.timestamp > end, ClaimDeadlineNotPassed(redemption, uint40(end)));
        _setStatus(redemption, record, RedemptionStatus.Lapsed);
        emit RedemptionLapsed(redemption, record.amount);
        _refund(redemption, record);
    }

    /// @inheritdoc IVouchers
    function flagRedemption(uint96 redemption, string calldata reason) external onlyRole(Roles.EVALUATOR) {
        Redemption memory record = _loadRedemption(redemption);
        _requireStatus(redemption, record, RedemptionStatus.Open);
        record.flagged = true;
        _redemptions[redemption] = VoucherSlot.packRedemption(record);
        emit RedemptionFlagged(redemption, reason);
    }

    /// @inheritdoc IVouchers
    function settle(uint96 redemption, address to) external onlyClaims {
        Redemption memory record = _loadRedemption(redemption);
        if (record.status != RedemptionStatus.UnderReview) _requireOpenInTime(redemption, record);
        _setStatus(redemption, record, RedemptionStatus.Settled);
        _release(to, record.amount);
    }

    /// @inheritdoc IVouchers
    function setRedemptionStatus(uint96 redemption, RedemptionStatus status) external onlyClaims {
        Redemption memory record = _loadRedemption(redemption);
        if (status == RedemptionStatus.UnderReview) {
            _requireOpenInTime(redemption, record);
        } else {
            require(_mayFollow(record.status, status), RedemptionStatusNotAllowed(redemption, record.status));
        }
        _setStatus(redemption, record, status);
    }

    /// @dev Gives an amount back to its voucher, with the time that it lost, or to a cancelled voucher's certificate.
    function _refund(uint96 redemption, Redemption memory record) private {
        uint64 id = uint64(redemption >> 32);
        Voucher memory voucher = voucherOf(id);
        voucher.remaining += record.amount;
        uint256 redeemedAt = record.deadline - uint256(voucher.claimWindowHours) * 1 hours;
        uint24 expiryDay = _extended(record.expiryDay, redeemedAt);
        if (expiryDay > voucher.expiryDay) voucher.expiryDay = expiryDay;
        bool isCancelled = voucher.status == Status.Cancelled;
        // A voucher that was swept or reissued in the meantime works again for what came back.
        if (!isCancelled && voucher.status != Status.Suspended) voucher.status = Status.Active;
        _save(id, voucher);
        Refund refund = isCancelled ? Refund.Certificate : Refund.Voucher;
        emit RedemptionRefunded(redemption, record.amount, refund, voucher.remaining, voucher.expiryDay);
        if (isCancelled) _returnToCertificate(voucher.certificate, record.amount);
    }

    function _loadRedemption(uint96 redemption) private view returns (Redemption memory record) {
        record = redemptionOf(redemption);
        require(record.status != RedemptionStatus.None, UnknownRedemption(redemption));
    }

    function _setStatus(uint96 redemption, Redemption memory record, RedemptionStatus status) private {
        record.status = status;
        _redemptions[redemption] = VoucherSlot.packRedemption(record);
    }

    function _requireOpenInTime(uint96 redemption, Redemption memory record) private view {
        _requireStatus(redemption, record, RedemptionStatus.Open);
        // What comes in time asks for no stoppage.
        if (block.timestamp <= record.deadline) return;
        require(block.timestamp <= _endOf(redemption, record), ClaimDeadlinePassed(redemption, record.deadline));
    }

    /// @dev The deadline, later by as long as nothing could be claimed since the redemption.
    function _endOf(uint96 redemption, Redemption memory record) private view returns (uint256) {
        uint256 window = uint256(voucherOf(uint64(redemption >> 32)).claimWindowHours) * 1 hours;
        return record.deadline + IClaims(CLAIMS).stoppedSince(record.deadline - window);
    }

    function _requireStatus(uint96 redemption, Redemption memory record, RedemptionStatus status) private pure {
        require(record.status == status, RedemptionStatusNotAllowed(redemption, record.status));
    }

    function _mayFollow(RedemptionStatus from, RedemptionStatus to) private pure returns (bool) {
        if (from == RedemptionStatus.UnderReview) return to == RedemptionStatus.Rejected;
        if (from == RedemptionStatus.Settled) return to == RedemptionStatus.Disputed;
        if (from != RedemptionStatus.Disputed) return false;
        return to == RedemptionStatus.Settled || to == RedemptionStatus.Invalidated;
    }
}
