// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Checkpoints} from "@openzeppelin/contracts/utils/structs/Checkpoints.sol";
import {ICertificates} from "../certificates/ICertificates.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {Roles} from "../shared/Roles.sol";
import {IVouchers} from "../vouchers/IVouchers.sol";
import {IInvalidationBuffer} from "./IInvalidationBuffer.sol";
import {IItmo} from "./IItmo.sol";

/// @title InvalidationBuffer
/// @notice See `IInvalidationBuffer`.
/// @dev It cannot transfer or use a unit: it calls only `IItmo.releaseBuffered` and `cancelBuffered`. A conversion has at most 128
/// lots (`CarbonLots.MAX_LOTS`), so that every loop ends and a bit for each fits in a word.
contract InvalidationBuffer is IInvalidationBuffer {
    using Checkpoints for Checkpoints.Trace224;

    /// @dev Two slots.
    /// @param cancelledLots A bit for each lot whose tonnes were cancelled.
    struct Record {
        Hold hold;
        uint128 cancelledLots;
    }

    /// @notice Largest share, ten-thousandths.
    uint16 public constant MAX_SHARE = 2_000;
    /// @notice Longest holding time, days.
    uint16 public constant MAX_HOLD_DAYS = 2_920;
    /// @notice Seconds after the holding time for which a suspended certificate can delay the release.
    uint40 public constant MAX_SUSPENSION = 365 days;

    uint16 private constant WHOLE_SHARE = 10_000;
    /// @dev Micro-CARBON of a tonne.
    uint64 private constant TONNE = 1_000_000_000;
    uint8 private constant CONVERSION_SHIFT = 64;
    uint8 private constant SHARE_SHIFT = 16;

    /// @notice Who may do what.
    IParticipants public immutable PARTICIPANTS;
    /// @notice Has the conversions and their units.
    IItmo public immutable ITMO;
    /// @notice Has the lots of the conversions.
    ICertificates public immutable CERTIFICATES;
    /// @notice Knows when a revocation is final.
    IVouchers public immutable VOUCHERS;

    /// @dev Share and days by the number of the first conversion that they hold for.
    Checkpoints.Trace224 private _terms;
    mapping(uint32 conversion => Record) private _records;

    /// @param itmo The ITMO contract, by its predicted address when it is deployed later.
    constructor(IParticipants participants, IItmo itmo, ICertificates certificates, IVouchers vouchers) {
        PARTICIPANTS = participants;
        ITMO = itmo;
        CERTIFICATES = certificates;
        VOUCHERS = vouchers;
    }

    /// @inheritdoc IInvalidationBuffer
    function setTerms(uint16 share, uint16 holdDays) external {
        PARTICIPANTS.requireRole(Roles.COUNCIL, msg.sender);
        bool isWithin = share <= MAX_SHARE && holdDays <= MAX_HOLD_DAYS;
        require(isWithin && (share == 0) == (holdDays == 0), BufferTermsInvalid(share, holdDays));
        uint32 firstConversion = ITMO.conversionCount() + 1;
        _terms.push(firstConversion, (uint224(share) << SHARE_SHIFT) | holdDays);
        emit BufferTermsSet(share, holdDays, firstConversion);
    }

    /// @inheritdoc IInvalidationBuffer
    function hold(uint96 blockId, uint64 quantity, uint64 lastId) external returns (uint64 held) {
        require(msg.sender == address(ITMO), OnlyItmo(msg.sender));
        uint32 conversion = uint32(blockId >> CONVERSION_SHIFT);
        uint224 terms = _terms.upperLookupRecent(conversion);
        if (terms == 0) return 0;
        // Fits: the share is less than the whole.
        held = uint64(Math.ceilDiv(uint256(quantity) * (terms >> SHARE_SHIFT), WHOLE_SHARE));
        uint64 most = lastId + 1 - uint64(blockId);
        if (held > most) held = most;
        if (held == 0) return 0;
        uint64 firstId = lastId + 1 - held;
        // Fits: a holding time is some years.
        uint40 heldUntil = uint40(block.timestamp + uint16(terms) * 1 days);
        _records[conversion].hold = Hold(firstId, held, heldUntil);
        emit UnitsBuffered(conversion, firstId, lastId, heldUntil);
    }

    /// @inheritdoc IInvalidationBuffer
    function cancelRevoked(uint32 conversion) external returns (uint64 cancelled) {
        uint64 before = _heldOf(conversion);
        _cancel(conversion, before);
        cancelled = before - _records[conversion].hold.held;
        require(cancelled != 0, NothingToCancel(conversion));
    }

    /// @inheritdoc IInvalidationBuffer
    function release(uint32 conversion) external returns (uint64 released) {
        uint64 before = _heldOf(conversion);
        Hold storage record = _records[conversion].hold;
        uint40 heldUntil = record.heldUntil;
        require(block.timestamp >= heldUntil, StillHeld(conversion, heldUntil));
        uint32 questioned = _cancel(conversion, before);
        require(questioned == 0, LotInQuestion(conversion, questioned));
        released = record.held;
        if (released == 0) return 0;
        record.held = 0;
        uint64 firstId = record.firstId;
        emit BufferedUnitsReleased(conversion, firstId, firstId + released - 1);
        ITMO.releaseBuffered(_blockOf(conversion, firstId));
    }

    /// @inheritdoc IInvalidationBuffer
    function termsOf(uint32 conversion) external view returns (Terms memory) {
        uint224 terms = _terms.upperLookupRecent(conversion);
        return Terms(uint16(terms >> SHARE_SHIFT), uint16(terms));
    }

    /// @inheritdoc IInvalidationBuffer
    function holdOf(uint32 conversion) external view returns (Hold memory) {
        return _records[conversion].hold;
    }

    /// @dev Cancels what is held for lots whose certificates are finally revoked and which were not cancelled.
    /// @return questioned A certificate that a release must wait for, 0 for none.
    function _cancel(uint32 conversion, uint64 held) private returns (uint32 questioned) {
        Record storage record = _records[conversion];
        ICertificates.Lot[] memory lots = CERTIFICATES.lotsOf(address(ITMO), conversion);
        bool isSuspensionOver = block.timestamp >= record.hold.heldUntil + MAX_SUSPENSION;
        for (uint256 i = 0; i < lots.length && held != 0; ++i) {
            uint32 certificate = lots[i].certificate;
            if (CERTIFICATES.isSpendable(certificate)) continue;
            uint24 finalFrom = VOUCHERS.revocationFinalFrom(certificate);
            if (finalFrom == 0) {
                if (!isSuspensionOver) questioned = certificate;
            } else if (block.timestamp / 1 days < finalFrom) {
                questioned = certificate;
            } else {
                held = _cancelLot(conversion, i, lots[i], held);
            }
        }
    }

    /// @return left Tonnes that are still held.
    function _cancelLot(
        uint32 conversion,
        uint256 position,
        ICertificates.Lot memory lot,
        uint64 held
    ) private returns (uint64 left) {
        Record storage record = _records[conversion];
        uint128 mask = uint128(1 << position);
        if (record.cancelledLots & mask != 0) return held;
        record.cancelledLots |= mask;
        uint64 tonnes = uint64(Math.ceilDiv(lot.amount, TONNE));
        if (tonnes > held) tonnes = held;
        left = held - tonnes;
        record.hold.held = left;
        uint64 blockFirst = record.hold.firstId;
        uint64 firstId = blockFirst + left;
        emit BufferedUnitsCancelled(conversion, lot.certificate, firstId, firstId + tonnes - 1);
        ITMO.cancelBuffered(_blockOf(conversion, blockFirst), firstId);
    }

    /// @dev Tonnes that are held of a conversion, more than none.
    function _heldOf(uint32 conversion) private view returns (uint64 held) {
        held = _records[conversion].hold.held;
        require(held != 0, NothingHeld(conversion));
    }

    function _blockOf(uint32 conversion, uint64 firstId) private pure returns (uint96) {
        return (uint96(conversion) << CONVERSION_SHIFT) | firstId;
    }
}
