// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IPool} from "../pool/IPool.sol";
import {DayBucket} from "../shared/DayBucket.sol";
import {Roles} from "../shared/Roles.sol";
import {IVouchers} from "./IVouchers.sol";
import {VoucherIssue} from "./VoucherIssue.sol";
import {VoucherSlot} from "./VoucherSlot.sol";

/// @title VoucherCare
/// @notice Suspends, reactivates, cancels, reissues and sweeps vouchers; halts certificates; sets the scheme's rule.
abstract contract VoucherCare is VoucherIssue {
    using DayBucket for uint256;
    using VoucherSlot for uint256;

    /// @inheritdoc IVouchers
    function suspend(uint64 voucher, string calldata reason) external {
        _requireSupervisor();
        Voucher memory record = _load(voucher);
        require(record.status == Status.Active, VoucherStatusNotAllowed(voucher, record.status));
        _requireSpendable(voucher, record);
        record.status = Status.Suspended;
        _save(voucher, record);
        _stoppedAt[voucher] = uint40(block.timestamp);
        emit VoucherSuspended(voucher, reason);
    }

    /// @inheritdoc IVouchers
    function reactivate(uint64 voucher, string calldata reason) external {
        _requireSupervisor();
        Voucher memory record = _load(voucher);
        require(record.status == Status.Suspended, VoucherStatusNotAllowed(voucher, record.status));
        record.status = Status.Active;
        record.expiryDay = _extended(record.expiryDay, _stoppedAt[voucher], block.timestamp);
        _save(voucher, record);
        emit VoucherReactivated(voucher, record.expiryDay, reason);
    }

    /// @inheritdoc IVouchers
    function cancel(uint64 voucher, string calldata reason) external {
        Voucher memory record = _load(voucher);
        _requireOperatorOrImplementer(record.certificate);
        // A suspension stops the clock: a suspended voucher is in date and has a balance.
        if (record.status != Status.Suspended) {
            require(record.status == Status.Active, VoucherStatusNotAllowed(voucher, record.status));
            _requireSpendable(voucher, record);
            _stoppedAt[voucher] = uint40(block.timestamp);
        }
        _useLifecycle(msg.sender, record.remaining);
        record.status = Status.Cancelled;
        _save(voucher, record);
        emit VoucherCancelled(voucher, record.remaining, reason);
        _returnToCertificate(record.certificate, record.remaining);
    }

    /// @inheritdoc IVouchers
    function reissue(
        uint64 voucher,
        uint24 startDay,
        uint24 expiryDay,
        string calldata batchId
    ) external returns (uint64 replacement) {
        Voucher memory record = _load(voucher);
        _requireOperatorOrImplementer(record.certificate);
        require(record.status == Status.Cancelled, VoucherStatusNotAllowed(voucher, record.status));
        uint64 rest = record.remaining;
        Dates memory dates = _reissueDates(voucher, record, startDay, expiryDay);
        _useLifecycle(msg.sender, rest);
        (record.status, record.remaining) = (Status.Reissued, 0);
        _save(voucher, record);
        (record.status, record.remaining, record.redemptions) = (Status.Active, rest, 0);
        (record.startDay, record.expiryDay) = (dates.startDay, dates.expiryDay);
        replacement = _writeLone(record, batchId, voucher);
        // A household keeps its printed codes. Leaves name their household, so that a batch's root holds for nobody else here.
        bytes32 codes = codeRootOf(voucher);
        if (codes != 0) _commitCodes(replacement, codes);
        _tell(CERTIFICATES.reissueRest, record.certificate, rest);
        _mint(rest);
    }

    /// @inheritdoc IVouchers
    function sweep(uint64 voucher) external {
        Voucher memory record = _load(voucher);
        require(record.status == Status.Active, VoucherStatusNotAllowed(voucher, record.status));
        require(_today() > record.expiryDay, VoucherNotExpired(voucher, record.expiryDay));
        uint24 firstDay = sweepableFrom(voucher);
        require(_today() >= firstDay, VoucherNotSweepable(voucher, firstDay));
        uint64 rest = record.remaining;
        require(rest > 0, VoucherExhausted(voucher));
        // Anyone may sweep, from any number of accounts, so that all sweeps count together.
        _useLifecycle(address(0), rest);
        if (_isRevoked(record.certificate)) {
            _revoke(voucher, _vouchers[voucher]);
            _returnToCertificate(record.certificate, rest);
            return;
        }
        (record.status, record.remaining) = (Status.Swept, 0);
        _save(voucher, record);
        emit VoucherSwept(voucher, rest);
        _release(record.certificate, POOL, rest);
    }

    /// @inheritdoc IVouchers
    function burnRevoked(uint32 certificate, Opening[] calldata openings) external {
        require(_isRevoked(certificate), CertificateNotRevoked(certificate));
        uint64 total = 0;
        for (uint256 i = 0; i < openings.length; ++i) {
            Opening calldata opening = openings[i];
            uint64 id = opening.voucher;
            uint256 word = _vouchers[id];
            if (word == 0) word = _proven(id, opening.household, opening.value, opening.proof);
            require(word.certificateOf() == certificate, OpeningInvalid(id));
            if (!word.isActive() && !word.isSuspended()) continue;
            total += word.remainingOf();
            _revoke(id, word);
        }
        if (total > 0) _returnToCertificate(certificate, total);
    }

    /// @inheritdoc IVouchers
    function setCertificateHalted(uint32 certificate, bool halted, bool revoked) external {
        require(msg.sender == address(CERTIFICATES), OnlyCertificates(msg.sender));
        // Today does not count: at any hour of that day the guardian has had its days.
        uint24 finalFrom = revoked ? _today() + VETO_DAYS + 1 : 0;
        revocationFinalFrom[certificate] = finalFrom;
        // A household cannot spend a voucher while its certificate is suspended: one that expires then can be cancelled and reissued.
        _heldUntil[certificate] =
            revoked
                ? finalFrom
                : halted
                    ? type(uint24).max
                    : _sweepDay();
        if (_halted[certificate] != halted) {
            _halted[certificate] = halted;
            if (halted) ++_totals.haltedCount;
            else --_totals.haltedCount;
            _tellTerms();
        }
        emit CertificateHalted(certificate, halted);
    }

    /// @inheritdoc IVouchers
    function setHouseholdAuthorizationRequired(bool required) external {
        _requireRole(required ? Roles.REGISTRAR : Roles.COUNCIL);
        _totals.authorizationRequired = required;
        _tellTerms();
        emit HouseholdAuthorizationRequired(required);
    }

    /// @inheritdoc IVouchers
    function setLifecycleCap(uint64 cap) external onlyRole(Roles.COUNCIL) {
        _setLifecycleCap(cap);
    }

    /// @inheritdoc IVouchers
    function lowerLifecycleCap(uint64 cap) external onlyRole(Roles.GUARDIAN) {
        require(cap < lifecycleCap, CapNotLowered(lifecycleCap, cap));
        _setLifecycleCap(cap);
    }

    /// @inheritdoc IVouchers
    function setPinCap(uint64 cap) external onlyRole(Roles.COUNCIL) {
        _setPinCap(cap);
    }

    /// @inheritdoc IVouchers
    function lowerPinCap(uint64 cap) external onlyRole(Roles.GUARDIAN) {
        require(cap < pinCap, CapNotLowered(pinCap, cap));
        _setPinCap(cap);
    }

    /// @dev Moves CARBON out of escrow and adds it to the certificate's lot.
    function _release(uint32 certificate, address to, uint64 amount) internal {
        if (amount == 0) return;
        _totals.escrowed -= amount;
        SafeERC20.safeTransfer(CARBON, to, amount);
        _tell(CERTIFICATES.releaseLot, certificate, amount);
    }

    /// @dev CARBON leaves escrow and the world; the certificate may issue it again.
    function _returnToCertificate(uint32 certificate, uint64 amount) internal {
        _totals.escrowed -= amount;
        CARBON.burn(amount);
        _tell(CERTIFICATES.returnRest, certificate, amount);
    }

    /// @dev Calls a function of `Certificates` on an amount of a certificate. The contract has little room, so these calls share
    /// their code.
    function _tell(function(uint32, uint64) external change, uint32 certificate, uint64 amount) internal {
        change(certificate, amount);
    }

    /// @dev The caller burns the rest.
    function _revoke(uint64 id, uint256 word) private {
        emit VoucherRevoked(id, word.remainingOf());
        _vouchers[id] = word.revoke();
    }

    /// @dev Redemptions ask Participants, which answers with these from a slot that it reads anyway.
    function _tellTerms() private {
        PARTICIPANTS.setRedemptionTerms(_totals.authorizationRequired, _totals.haltedCount != 0);
    }

    function _requireSupervisor() private view {
        bool permitted = _holdsRole(Roles.EVALUATOR, msg.sender) || _holdsRole(Roles.REGISTRAR, msg.sender);
        require(permitted, NotPermitted(msg.sender));
    }

    function _requireOperatorOrImplementer(uint32 certificate) private view {
        if (_holdsRole(Roles.OPERATOR, msg.sender)) return;
        (uint32 implementer, ) = CERTIFICATES.allocationOf(certificate);
        require(msg.sender == PARTICIPANTS.implementerAccount(implementer), NotPermitted(msg.sender));
    }

    function _useLifecycle(address account, uint64 amount) internal {
        require(!IPool(POOL).paused(), LifecyclePaused());
        uint256 bucket = _lifecycle[account];
        uint256 used = bucket.tryUse(lifecycleCap, amount);
        require(used != 0, LifecycleCapExceeded(bucket.left(lifecycleCap), amount));
        _lifecycle[account] = used;
    }

    /// @dev The new voucher begins no later than the cancelled one would have, and is valid for at least as long.
    function _reissueDates(
        uint64 voucher,
        Voucher memory record,
        uint24 startDay,
        uint24 expiryDay
    ) private view returns (Dates memory) {
        uint24 latestStart = uint24(Math.max(_today(), record.startDay));
        uint24 earliestExpiry = reissueExpiry(voucher);
        bool isWhole = startDay <= latestStart && expiryDay >= earliestExpiry;
        require(isWhole, ReissueTooShort(voucher, latestStart, earliestExpiry));
        return _orderedDates(startDay, expiryDay);
    }

    /// @dev A voucher that is swept or exhausted next needs no suspension or cancellation. One that nobody may sweep yet does: a
    /// reissue corrects past dates, and a stop that lasted until the voucher expired.
    function _requireSpendable(uint64 voucher, Voucher memory record) private view {
        require(_today() < sweepableFrom(voucher), VoucherExpired(voucher, record.expiryDay));
        require(record.remaining > 0, VoucherExhausted(voucher));
    }
}
