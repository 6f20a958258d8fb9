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
        Redemption memory record = _loadRedemption(redemption);
        if (msg.sender != PARTICIPANTS.supplierOf(record.supplier).account) {
            require(_holdsRole(Roles.OPERATOR, msg.sender), NotPermitted(msg.sender));
            // It takes a delivery's payment from its supplier. Apart from what operators cancel, so that neither stops the other.
            _useLifecycle(address(this), record.amount);
        }
        _requireStatus(redemption, record, RedemptionStatus.Open);
        _setStatus(redemption, RedemptionStatus.Reversed);
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
        _setStatus(redemption, RedemptionStatus.Lapsed);
        emit RedemptionLapsed(redemption, record.amount);
        _refund(redemption, record);
    }

    /// @inheritdoc IVouchers
    function flagRedemption(uint96 redemption, string calldata reason) external onlyRole(Roles.EVALUATOR) {
        Redemption memory record = _loadRedemption(redemption);
        _requireStatus(redemption, record, RedemptionStatus.Open);
        _redemptions[redemption] = _redemptions[redemption].flag();
        emit RedemptionFlagged(redemption, reason);
    }

    /// @inheritdoc IVouchers
    function settle(uint96 redemption, address to, uint64 setOff) external onlyClaims returns (bool isBurned) {
        Redemption memory record = _loadRedemption(redemption);
        if (record.status != RedemptionStatus.UnderReview) _requireOpenInTime(redemption, record);
        _setStatus(redemption, RedemptionStatus.Settled);
        uint64 rest = record.amount - setOff;
        // No certificate is revoked while none is halted.
        if (_totals.haltedCount != 0) {
            uint32 certificate = voucherOf(uint64(redemption >> 32)).certificate;
            if (_isRevoked(certificate)) return _settleRevoked(certificate, to, setOff, rest);
        }
        if (setOff > 0) _release(POOL, setOff);
        if (rest > 0) _release(to, rest);
    }

    /// @inheritdoc IVouchers
    function setRedemptionStatus(uint96 redemption, RedemptionStatus status) external onlyClaims {
        Redemption memory record = _loadRedemption(redemption);
        if (status == RedemptionStatus.UnderReview) {
            _requireOpenInTime(redemption, record);
        } else {
            require(_mayFollow(record.status, status), RedemptionStatusNotAllowed(redemption, record.status));
        }
        _setStatus(redemption, status);
    }

    /// @dev Burns what the pool would get: the certificate's implementer owes the pool as much.
    function _settleRevoked(
        uint32 certificate,
        address to,
        uint64 setOff,
        uint64 rest
    ) private returns (bool isBurned) {
        isBurned = to == POOL;
        uint64 burned = isBurned ? setOff + rest : setOff;
        if (burned > 0) {
            _returnToCertificate(certificate, burned);
            CERTIFICATES.oweReplacement(certificate, burned);
        }
        if (!isBurned) _release(to, rest);
    }

    /// @dev Gives an amount back to its voucher, with the time that it lost, or to the certificate of a cancelled or revoked
    /// one.
    function _refund(uint96 redemption, Redemption memory record) private {
        uint64 id = uint64(redemption >> 32);
        Voucher memory voucher = voucherOf(id);
        if (voucher.status != Status.Revoked) voucher.remaining += record.amount;
        uint256 redeemedAt = record.deadline - uint256(voucher.claimWindowHours) * 1 hours;
        uint24 expiryDay = _extended(record.expiryDay, redeemedAt);
        if (expiryDay > voucher.expiryDay) voucher.expiryDay = expiryDay;
        bool isGone = voucher.status == Status.Cancelled || voucher.status == Status.Revoked;
        // A voucher that was swept or reissued in the meantime works again for what came back.
        if (!isGone && voucher.status != Status.Suspended) voucher.status = Status.Active;
        _save(id, voucher);
        Refund refund = isGone ? Refund.Certificate : Refund.Voucher;
        emit RedemptionRefunded(redemption, record.amount, refund, voucher.remaining, voucher.expiryDay);
        if (isGone) _returnToCertificate(voucher.certificate, record.amount);
    }

    function _loadRedemption(uint96 redemption) private view returns (Redemption memory record) {
        record = redemptionOf(redemption);
        require(record.status != RedemptionStatus.None, UnknownRedemption(redemption));
    }

    function _setStatus(uint96 redemption, RedemptionStatus status) private {
        _redemptions[redemption] = _redemptions[redemption].withStatus(status);
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
