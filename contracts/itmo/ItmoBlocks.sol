// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Roles} from "../shared/Roles.sol";
import {SerialRanges} from "../shared/SerialRanges.sol";
import {IItmo} from "./IItmo.sol";
import {ItmoRegistry} from "./ItmoRegistry.sol";
import {Purposes} from "./Purposes.sol";

/// @title ItmoBlocks
/// @notice Blocks of ITMOs and their life; see `IItmo`.
/// @dev A conversion's minted range stays in the list of its registry for ever; its blocks always cover exactly it.
abstract contract ItmoBlocks is ItmoRegistry {
    using Purposes for Purpose;
    using SerialRanges for SerialRanges.Store;

    /// @dev One slot.
    struct BlockRecord {
        uint64 lastId;
        bytes3 party;
        BlockStatus status;
        ActionSubtype firstTransfer;
    }

    uint96 private constant CONVERSION_SHIFT = 64;

    SerialRanges.Store internal _serials;
    mapping(uint32 conversion => Conversion) internal _conversions;
    mapping(uint96 blockId => BlockRecord) private _blocks;

    // Life

    /// @inheritdoc IItmo
    function transfer(
        Part calldata part,
        bytes3 acquiringParty,
        string calldata note
    ) external onlyRole(Roles.REGISTRAR) returns (uint96 blockId) {
        Purpose authorized;
        (blockId, authorized) = _take(part);
        BlockRecord storage record = _blocks[blockId];
        Authorization storage terms = _termsOf(blockId);
        require(participates[terms.approach][acquiringParty], PartyNotParticipating(terms.approach, acquiringParty));
        require(record.party != acquiringParty, AlreadyHeldBy(blockId, acquiringParty));
        Movement memory movement = _movement(note);
        (movement.transferringParty, movement.acquiringParty) = (record.party, acquiringParty);
        record.party = acquiringParty;
        bool isFirst = record.firstTransfer == ActionSubtype.None && authorized.includesNdc();
        if (isFirst) _setFirst(blockId, ActionSubtype.ToAnotherParty);
        ActionType action = isFirst ? ActionType.FirstTransfer : ActionType.Transfer;
        _emitAction(blockId, action, isFirst ? ActionSubtype.ToAnotherParty : ActionSubtype.None, movement);
    }

    /// @inheritdoc IItmo
    function useForNdc(
        Part calldata part,
        uint16 ndcYear,
        string calldata note
    ) external onlyRole(Roles.REGISTRAR) returns (uint96 blockId) {
        Purpose authorized;
        (blockId, authorized) = _take(part);
        BlockRecord storage record = _blocks[blockId];
        Authorization storage terms = _termsOf(blockId);
        Approach memory approach = _approaches[terms.approach];
        require(authorized.includesNdc(), PurposeNotAuthorized(_conversionOf(blockId).authorization, Purpose.Ndc));
        require(record.party != approach.firstTransferringParty, NotTransferred(blockId));
        require(
            ndcYear >= approach.ndcFirstYear && ndcYear <= approach.ndcLastYear,
            YearOutsideNdcPeriod(ndcYear, approach.ndcFirstYear, approach.ndcLastYear)
        );
        _setStatus(blockId, BlockStatus.UsedForNdc);
        Movement memory movement = _movement(note);
        (movement.usingParty, movement.ndcYear) = (record.party, ndcYear);
        _emitAction(blockId, ActionType.Use, ActionSubtype.None, movement);
    }

    /// @inheritdoc IItmo
    function useForOimp(
        Part calldata part,
        Purpose purpose,
        string calldata entityId,
        string calldata note
    ) external onlyRole(Roles.REGISTRAR) returns (uint96 blockId) {
        Purpose authorized;
        (blockId, authorized) = _take(part);
        uint32 authorization = _conversionOf(blockId).authorization;
        bool isAuthorized = !purpose.includesNdc() && purpose.isWithin(authorized);
        require(isAuthorized, PurposeNotAuthorized(authorization, purpose));
        Movement memory movement = _endMovement(blockId, authorization, entityId, note);
        movement.purpose = purpose;
        _setStatus(blockId, BlockStatus.UsedForOimp);
        _markEnd(blockId, authorized);
        _emitAction(blockId, ActionType.Use, ActionSubtype.None, movement);
    }

    /// @inheritdoc IItmo
    function cancel(
        Part calldata part,
        Cancellation kind,
        string calldata entityId,
        string calldata note
    ) external onlyRole(Roles.REGISTRAR) returns (uint96 blockId) {
        Purpose authorized;
        (blockId, authorized) = _take(part);
        uint32 authorization = _conversionOf(blockId).authorization;
        Movement memory movement = _endMovement(blockId, authorization, entityId, note);
        if (kind == Cancellation.Omge) {
            _endAsOmge(blockId, movement);
            return blockId;
        }
        _setStatus(blockId, BlockStatus.Cancelled);
        _markEnd(blockId, authorized);
        bool isVoluntary = kind == Cancellation.Voluntary;
        ActionType action = isVoluntary ? ActionType.VoluntaryCancellation : ActionType.Cancellation;
        _emitAction(blockId, action, isVoluntary ? ActionSubtype.None : ActionSubtype.Other, movement);
    }

    // Invalidation buffer

    /// @inheritdoc IItmo
    function releaseBuffered(uint96 blockId) external {
        _requireBuffered(blockId);
        _setStatus(blockId, BlockStatus.Held);
        emit BlockReleased(blockId);
    }

    /// @inheritdoc IItmo
    function cancelBuffered(uint96 blockId, uint64 firstId) external {
        _requireBuffered(blockId);
        blockId = _cut(blockId, firstId);
        _setStatus(blockId, BlockStatus.Cancelled);
        Movement memory movement;
        movement.usingParty = _blocks[blockId].party;
        _emitAction(blockId, ActionType.Cancellation, ActionSubtype.Other, movement);
    }

    // Views

    /// @inheritdoc IItmo
    function blockOf(uint96 blockId) external view returns (Block memory) {
        BlockRecord memory record = _blocks[blockId];
        Conversion memory conversion = _conversionOf(blockId);
        require(record.status != BlockStatus.None, UnknownBlock(blockId));
        return
            Block({
                conversion: uint32(blockId >> CONVERSION_SHIFT),
                authorization: conversion.authorization,
                registryId: conversion.registryId,
                firstId: uint64(blockId),
                lastId: record.lastId,
                vintage: conversion.vintage,
                party: record.party,
                status: record.status,
                firstTransfer: record.firstTransfer
            });
    }

    // Internals of minting

    /// @dev The block of a conversion that has just been finalised, less its shares.
    function _mint(uint32 conversion, uint64 firstId, uint64 lastId) internal returns (uint96 blockId) {
        blockId = (uint96(conversion) << CONVERSION_SHIFT) | firstId;
        uint32 authorization = _conversions[conversion].authorization;
        Authorization storage terms = _authorizations[authorization];
        Purpose authorized = _authorizedPurpose(authorization, terms.issued);
        _blocks[blockId] = BlockRecord({
            lastId: lastId,
            party: _approaches[terms.approach].firstTransferringParty,
            status: BlockStatus.Held,
            firstTransfer: ActionSubtype.None
        });
        emit BlockMinted(blockId, conversion, authorization, _unitsOf(blockId));
        if (authorized.includesOimp()) {
            if (terms.firstTransfer == FirstTransferDefinition.Authorisation)
                _markFirst(blockId, ActionSubtype.Authorisation);
            if (terms.firstTransfer == FirstTransferDefinition.Issuance) _markFirst(blockId, ActionSubtype.Issuance);
        }
        _giveShares(terms, blockId, lastId);
    }

    /// @dev What is due of all that was issued and has not been given, and what the buffer holds, from the end of the block.
    /// The share of proceeds is the last part, OMGE the one before, the buffer's before that.
    function _giveShares(Authorization storage terms, uint96 blockId, uint64 lastId) private {
        uint64 quantity = lastId - uint64(blockId) + 1;
        uint64 omge = _dueOf(terms.issued, terms.omgeShare, terms.omge, quantity);
        uint64 sop = _dueOf(terms.issued, terms.sopShare, terms.sop, quantity - omge);
        terms.omge += omge;
        terms.sop += sop;
        if (sop > 0) {
            lastId -= sop;
            _giveToAdaptationFund(_cut(blockId, lastId + 1));
        }
        if (omge > 0) {
            lastId -= omge;
            uint96 part = _cut(blockId, lastId + 1);
            Movement memory movement;
            movement.usingParty = _blocks[part].party;
            _endAsOmge(part, movement);
        }
        uint64 held = BUFFER.hold(blockId, quantity, lastId);
        if (held > 0) {
            uint96 part = _cut(blockId, lastId - held + 1);
            _setStatus(part, BlockStatus.Buffered);
            emit BlockBuffered(part);
        }
    }

    function _dueOf(uint64 issued, uint16 share, uint64 given, uint64 most) private pure returns (uint64) {
        // At most `issued`, so that it fits.
        uint64 due = uint64((uint256(issued) * share) / WHOLE_SHARE) - given;
        return due < most ? due : most;
    }

    // Internals of actions

    /// @dev Checks a part that the registrar acts on, counts it, and makes it a separate block.
    /// @return blockId Of the part.
    /// @return authorized Purposes that the part has: those of the registration once it was first transferred.
    function _take(Part calldata part) private returns (uint96 blockId, Purpose authorized) {
        blockId = part.blockId;
        BlockRecord storage record = _blocks[blockId];
        uint64 lastId = record.lastId;
        require(record.status != BlockStatus.None, UnknownBlock(blockId));
        require(record.status == BlockStatus.Held, BlockNotHeld(blockId, record.status));
        (uint64 first, uint64 last) = (part.firstId, part.lastId);
        bool isInside = uint64(blockId) <= first && first <= last && last <= lastId;
        require(isInside, PartOutsideBlock(blockId, first, last));
        uint32 authorization = _conversionOf(blockId).authorization;
        authorized =
            record.firstTransfer == ActionSubtype.None
                ? _authorizedPurpose(authorization, 0)
                : _authorizations[authorization].purpose;
        _move(last - first + 1);
        blockId = _cut(blockId, first);
        if (last < lastId) _cut(blockId, last + 1);
    }

    /// @dev The caller is the buffer, and holds the block.
    function _requireBuffered(uint96 blockId) private view {
        require(msg.sender == address(BUFFER), OnlyBuffer(msg.sender));
        BlockStatus status = _blocks[blockId].status;
        require(status == BlockStatus.Buffered, BlockNotBuffered(blockId, status));
    }

    /// @dev Splits a block before a serial, unless it begins with it.
    /// @return rest The block that begins there.
    function _cut(uint96 blockId, uint64 firstId) private returns (uint96 rest) {
        rest = ((blockId >> CONVERSION_SHIFT) << CONVERSION_SHIFT) | firstId;
        if (rest == blockId) return rest;
        _blocks[rest] = _blocks[blockId];
        _blocks[blockId].lastId = firstId - 1;
        emit BlockSplit(blockId, rest);
    }

    function _setStatus(uint96 blockId, BlockStatus status) private {
        _blocks[blockId].status = status;
    }

    function _markFirst(uint96 blockId, ActionSubtype trigger) private {
        if (_blocks[blockId].firstTransfer != ActionSubtype.None) return;
        _setFirst(blockId, trigger);
        Movement memory movement;
        movement.transferringParty = _blocks[blockId].party;
        _emitAction(blockId, ActionType.FirstTransfer, trigger, movement);
    }

    function _setFirst(uint96 blockId, ActionSubtype trigger) private {
        BlockRecord storage record = _blocks[blockId];
        record.firstTransfer = trigger;
        AUTHORIZATIONS.countFirstTransfer(_conversionOf(blockId).authorization, record.lastId - uint64(blockId) + 1);
    }

    /// @dev A use or cancellation is the first transfer where the authorization says so.
    function _markEnd(uint96 blockId, Purpose authorized) private {
        if (authorized.includesOimp() && _termsOf(blockId).firstTransfer == FirstTransferDefinition.UseOrCancellation)
            _markFirst(blockId, ActionSubtype.UseOrCancellation);
    }

    function _endAsOmge(uint96 blockId, Movement memory movement) private {
        _setStatus(blockId, BlockStatus.Omge);
        _markFirst(blockId, ActionSubtype.UseOrCancellation);
        _emitAction(blockId, ActionType.Cancellation, ActionSubtype.VoluntaryOmge, movement);
    }

    function _giveToAdaptationFund(uint96 blockId) private {
        BlockRecord storage record = _blocks[blockId];
        ActionSubtype subtype = ActionSubtype.VoluntaryToAdaptationFund;
        Movement memory movement;
        movement.transferringParty = record.party;
        record.party = 0;
        record.status = BlockStatus.ShareOfProceeds;
        bool isFirst = record.firstTransfer == ActionSubtype.None;
        if (isFirst) _setFirst(blockId, subtype);
        _emitAction(blockId, isFirst ? ActionType.FirstTransfer : ActionType.Transfer, subtype, movement);
    }

    function _endMovement(
        uint96 blockId,
        uint32 authorization,
        string calldata entityId,
        string calldata note
    ) private view returns (Movement memory movement) {
        bool isByParty = bytes(entityId).length == 0;
        bool isAuthorized = isByParty || AUTHORIZATIONS.isAuthorizedEntity(authorization, keccak256(bytes(entityId)));
        require(isAuthorized, EntityNotAuthorized(authorization, entityId));
        movement = _movement(note);
        movement.usingParty = _blocks[blockId].party;
        movement.usingEntity = entityId;
    }

    function _movement(string calldata note) private pure returns (Movement memory movement) {
        movement.note = note;
    }

    function _emitAction(uint96 blockId, ActionType action, ActionSubtype subtype, Movement memory movement) private {
        emit ItmoAction(blockId, action, subtype, _unitsOf(blockId), movement);
    }

    function _unitsOf(uint96 blockId) private view returns (Units memory units) {
        Conversion storage conversion = _conversionOf(blockId);
        Authorization storage terms = _authorizations[conversion.authorization];
        Approach storage approach = _approaches[terms.approach];
        units.approachId = approach.approachId;
        units.authorizationId = terms.authorizationId;
        units.firstTransferringParty = approach.firstTransferringParty;
        units.registryId = conversion.registryId;
        units.firstId = uint64(blockId);
        units.lastId = _blocks[blockId].lastId;
        units.vintage = conversion.vintage;
    }

    function _conversionOf(uint96 blockId) private view returns (Conversion storage) {
        return _conversions[uint32(blockId >> CONVERSION_SHIFT)];
    }

    function _termsOf(uint96 blockId) private view returns (Authorization storage) {
        return _authorizations[_conversionOf(blockId).authorization];
    }
}
