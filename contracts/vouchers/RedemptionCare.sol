// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

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
        _refund(redemption, record.amount);
    }

    /// @inheritdoc IVouchers
    function lapse(uint96 redemption) external {
        Redemption memory record = _loadRedemption(redemption);
        uint256 end = record.deadline;
        if (record.status == RedemptionStatus.UnderReview) end += REVIEW_PERIOD;
        else if (record.status != RedemptionStatus.Rejected) {
            _requireStatus(redemption, record, RedemptionStatus.Open);
        }
        require(block.timestamp > end, ClaimDeadlineNotPassed(redemption, uint40(end)));
        _setStatus(redemption, record, RedemptionStatus.Lapsed);
        emit RedemptionLapsed(redemption, record.amount);
        _refund(redemption, record.amount);
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

    /// @dev Gives an amount back: to the voucher, else to its certificate, else to the pool's reserve.
    function _refund(uint96 redemption, uint64 amount) private {
        uint64 id = uint64(redemption >> 32);
        Voucher memory voucher = voucherOf(id);
        if (voucher.status == Status.Cancelled) {
            voucher.remaining += amount;
            _save(id, voucher);
            emit RedemptionRefunded(redemption, amount, Refund.Certificate, voucher.remaining);
            _returnToCertificate(voucher.certificate, amount);
            return;
        }
        bool alive = voucher.status == Status.Active || voucher.status == Status.Suspended;
        if (alive && _today() <= voucher.expiryDay) {
            voucher.remaining += amount;
            _save(id, voucher);
            emit RedemptionRefunded(redemption, amount, Refund.Voucher, voucher.remaining);
            return;
        }
        emit RedemptionRefunded(redemption, amount, Refund.Reserve, voucher.remaining);
        _release(POOL, amount);
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
        require(block.timestamp <= record.deadline, ClaimDeadlinePassed(redemption, record.deadline));
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
