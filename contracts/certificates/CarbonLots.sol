// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IParticipants} from "../participants/IParticipants.sol";
import {Roles} from "../shared/Roles.sol";
import {IVouchers} from "../vouchers/IVouchers.sol";
import {ICertificates} from "./ICertificates.sol";
import {ImplementerDebts} from "./ImplementerDebts.sol";

/// @title CarbonLots
/// @notice Decides from which certificates' lots a conversion takes its CARBON; see `ICertificates`.
/// @dev
/// QUEUE. Each vintage has a linked list of the lots that are not empty. A lot is put at the end when it stops being empty and
/// taken out when it becomes empty, so that a payment of a claim writes only the certificate's own slot while its lot is in the
/// list. A conversion that reads the lot of a finally revoked certificate takes it out.
///
/// LIMIT. A conversion reads at most `MAX_LOTS` lots, including those that it skips.
abstract contract CarbonLots is ImplementerDebts {
    /// @dev One slot. Indexes of certificates, 0 for none.
    struct Queue {
        uint32 first;
        uint32 last;
    }

    /// @notice Maximum number of lots that one conversion reads.
    uint256 public constant MAX_LOTS = 128;

    mapping(uint16 vintage => Queue) private _queues;
    /// @dev The lot after a certificate's in the queue of its vintage, 0 for none.
    mapping(uint32 certificate => uint32 next) private _next;
    mapping(address converter => mapping(uint32 conversion => Lot[] lots)) private _taken;

    /// @param vouchers The voucher ledger, by its predicted address when it is deployed later.
    constructor(IParticipants participants, IVouchers vouchers) ImplementerDebts(participants, vouchers) {}

    /// @inheritdoc ICertificates
    function releaseLot(uint32 certificate, uint64 amount) external onlyVouchers {
        Record storage record = _records[certificate];
        (uint64 released, uint64 taken) = (record.released, record.taken);
        if (released == taken) _append(certificate, record.vintage);
        // Cannot overflow: no more is released than was issued.
        unchecked {
            record.released = released + amount;
        }
    }

    /// @inheritdoc ICertificates
    function takeLots(uint32 conversion, uint16 vintage, uint64 amount) external {
        PARTICIPANTS.requireRole(Roles.CONVERTER, msg.sender);
        Lot[] storage lots = _taken[msg.sender][conversion];
        Queue memory queue = _queues[vintage];
        uint64 left = amount;
        uint32 previous = 0;
        uint32 certificate = queue.first;
        for (uint256 looked = 0; left != 0; ++looked) {
            require(certificate != 0, LotsTooSmall(vintage, amount, amount - left));
            require(looked < MAX_LOTS, TooManyLots(vintage, amount, amount - left));
            uint32 next = _next[certificate];
            (uint64 part, bool isDone) = _takeFrom(certificate, left);
            if (part != 0) lots.push(Lot(certificate, part));
            left -= part;
            if (isDone) {
                if (previous == 0) queue.first = next;
                else _next[previous] = next;
                if (next == 0) queue.last = previous;
                _next[certificate] = 0;
            } else {
                previous = certificate;
            }
            certificate = next;
        }
        _queues[vintage] = queue;
        emit LotsTaken(msg.sender, conversion, vintage, lots);
    }

    /// @inheritdoc ICertificates
    function returnLots(uint32 conversion) external {
        Lot[] memory lots = _taken[msg.sender][conversion];
        delete _taken[msg.sender][conversion];
        for (uint256 i = 0; i < lots.length; ++i) {
            Lot memory lot = lots[i];
            Record storage record = _records[lot.certificate];
            uint64 taken = record.taken;
            if (record.released == taken) _append(lot.certificate, record.vintage);
            record.taken = taken - lot.amount;
        }
        emit LotsReturned(msg.sender, conversion, lots);
    }

    /// @inheritdoc ICertificates
    function lotsOf(address converter, uint32 conversion) external view returns (Lot[] memory) {
        return _taken[converter][conversion];
    }

    /// @inheritdoc ICertificates
    function requireConvertible(uint32 conversion, uint32 implementer) external view {
        (uint256 debt, uint256 replacement) = (debtOf(implementer), replacementOf(implementer));
        require(debt == 0 && replacement == 0, ImplementerOwes(implementer, debt, replacement));
        Lot[] storage lots = _taken[msg.sender][conversion];
        uint256 count = lots.length;
        for (uint256 i = 0; i < count; ++i) {
            uint32 certificate = lots[i].certificate;
            Status status = _records[certificate].status;
            require(status == Status.Valid, LotNotValid(certificate, status));
        }
    }

    /// @inheritdoc ICertificates
    function lotOf(uint32 certificate) external view returns (uint16 vintage, uint64 released, uint64 taken) {
        Record storage record = _records[certificate];
        return (record.vintage, record.released, record.taken);
    }

    /// @inheritdoc ICertificates
    function queueOf(uint16 vintage) external view returns (Lot[] memory lots) {
        uint256 count = 0;
        for (uint32 i = _queues[vintage].first; i != 0; i = _next[i]) ++count;
        lots = new Lot[](count);
        uint32 certificate = _queues[vintage].first;
        for (uint256 i = 0; i < count; ++i) {
            Record storage record = _records[certificate];
            lots[i] = Lot(certificate, record.status == Status.Valid ? record.released - record.taken : 0);
            certificate = _next[certificate];
        }
    }

    /// @dev Takes an amount, or as much as there is, of a certificate's lot.
    /// @return part Amount taken; 0 for a certificate that is not valid.
    /// @return isDone Whether the lot leaves the queue.
    function _takeFrom(uint32 certificate, uint64 amount) private returns (uint64 part, bool isDone) {
        Record storage record = _records[certificate];
        Status status = record.status;
        if (status != Status.Valid) return (0, status == Status.Revoked && _isFinal(certificate));
        uint64 taken = record.taken;
        uint64 available = record.released - taken;
        isDone = available <= amount;
        part = isDone ? available : amount;
        record.taken = taken + part;
    }

    function _append(uint32 certificate, uint16 vintage) private {
        Queue memory queue = _queues[vintage];
        if (queue.last == 0) queue.first = certificate;
        else _next[queue.last] = certificate;
        queue.last = certificate;
        _queues[vintage] = queue;
    }

    /// @dev Whether the revocation of a certificate can no longer be vetoed.
    function _isFinal(uint32 certificate) private view returns (bool) {
        return block.timestamp / 1 days >= VOUCHERS.revocationFinalFrom(certificate);
    }
}
