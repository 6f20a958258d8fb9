// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IParticipants} from "../participants/IParticipants.sol";
import {Flows} from "../shared/Flows.sol";
import {Roles} from "../shared/Roles.sol";
import {IAuthorizations} from "./IAuthorizations.sol";
import {IInvalidationBuffer} from "./IInvalidationBuffer.sol";
import {IItmo} from "./IItmo.sol";

/// @title ItmoRegistry
/// @notice Cooperative approaches, authorizations, and what the registrar may move in 24 hours; see `IItmo`.
abstract contract ItmoRegistry is IItmo {
    using Flows for Flows.Window;

    /// @notice Seconds that the registrar's cap is for.
    uint256 public constant CAP_PERIOD = 1 days;
    /// @notice A whole share, ten-thousandths.
    uint16 internal constant WHOLE_SHARE = 10_000;

    /// @notice Who takes part, and who may do what.
    IParticipants public immutable PARTICIPANTS;
    /// @notice Checks what is registered, knows what was taken away of an authorization, and counts first transfers.
    IAuthorizations public immutable AUTHORIZATIONS;
    /// @notice Holds a share of each new block for a time.
    IInvalidationBuffer public immutable BUFFER;

    uint32 private _approachCount;
    uint32 private _authorizationCount;
    /// @inheritdoc IItmo
    uint64 public dailyCap;
    Flows.Window private _moved;
    /// @dev Since when the cap is zero, so that nothing can be finalised; 0 while it is not.
    uint40 private _stoppedAt;
    /// @dev Seconds of all stoppages that are over.
    uint40 private _stoppedSeconds;

    /// @inheritdoc IItmo
    mapping(bytes6 approachId => uint32 approach) public approachIndex;
    /// @inheritdoc IItmo
    mapping(bytes32 authorizationIdHash => uint32 authorization) public authorizationIndex;
    /// @inheritdoc IItmo
    mapping(uint32 approach => mapping(bytes3 party => bool)) public participates;
    mapping(uint32 approach => Approach) internal _approaches;
    mapping(uint32 authorization => Authorization) internal _authorizations;

    /// @param authorizations By its predicted address when it is deployed later, as the buffer.
    constructor(
        IParticipants participants,
        IAuthorizations authorizations,
        IInvalidationBuffer buffer,
        uint64 initialDailyCap
    ) {
        PARTICIPANTS = participants;
        AUTHORIZATIONS = authorizations;
        BUFFER = buffer;
        _setDailyCap(initialDailyCap);
    }

    modifier onlyRole(uint64 role) {
        _requireRole(role);
        _;
    }

    // Approaches

    /// @inheritdoc IItmo
    function registerApproach(
        NewApproach calldata registration
    ) external onlyRole(Roles.REGISTRAR) returns (uint32 approach) {
        bytes6 approachId = registration.approachId;
        bytes3 party = registration.firstTransferringParty;
        AUTHORIZATIONS.requireApproach(registration);
        require(approachIndex[approachId] == 0, ApproachKnown(approachId, approachIndex[approachId]));
        approach = ++_approachCount;
        approachIndex[approachId] = approach;
        _approaches[approach] = Approach(approachId, party, registration.ndcFirstYear, registration.ndcLastYear);
        participates[approach][party] = true;
        for (uint256 i = 0; i < registration.participatingParties.length; ++i) {
            participates[approach][registration.participatingParties[i]] = true;
        }
        emit ApproachRegistered(approach, approachId, registration);
    }

    // Authorizations

    /// @inheritdoc IItmo
    function registerAuthorization(
        NewAuthorization calldata registration
    ) external onlyRole(Roles.REGISTRAR) returns (uint32 authorization) {
        require(_approaches[registration.approach].firstTransferringParty != 0, UnknownApproach(registration.approach));
        bytes32 idHash = keccak256(bytes(registration.authorizationId));
        require(authorizationIndex[idHash] == 0, AuthorizationKnown(idHash, authorizationIndex[idHash]));
        authorization = ++_authorizationCount;
        authorizationIndex[idHash] = authorization;
        Authorization storage record = _authorizations[authorization];
        record.approach = registration.approach;
        record.purpose = registration.purpose;
        record.firstTransfer = registration.firstTransfer;
        record.firstYear = registration.firstYear;
        record.lastYear = registration.lastYear;
        record.omgeShare = registration.omgeShare;
        record.sopShare = registration.sopShare;
        record.version = 1;
        record.quantity = registration.quantity;
        record.authorizationId = registration.authorizationId;
        AUTHORIZATIONS.register(authorization, registration);
        emit AuthorizationRegistered(authorization, registration.approach, registration);
    }

    /// @inheritdoc IItmo
    function setAuthorizedQuantity(
        uint32 authorization,
        uint64 quantity,
        string calldata reason
    ) external onlyRole(Roles.REGISTRAR) {
        Authorization storage record = _requireAuthorization(authorization);
        uint64 committed = record.committed;
        require(quantity >= committed, QuantityBelowCommitted(authorization, quantity, committed));
        _authorizedPurpose(authorization, quantity);
        record.quantity = quantity;
        emit AuthorizedQuantityChanged(authorization, ++record.version, quantity, reason);
    }

    // Cap

    /// @inheritdoc IItmo
    function setDailyCap(uint64 cap) external onlyRole(Roles.COUNCIL) {
        _setDailyCap(cap);
    }

    /// @inheritdoc IItmo
    function lowerDailyCap(uint64 cap) external onlyRole(Roles.GUARDIAN) {
        require(cap < dailyCap, CapNotLowered(dailyCap, cap));
        _setDailyCap(cap);
    }

    // Views

    /// @inheritdoc IItmo
    function approachOf(uint32 approach) external view returns (Approach memory) {
        return _approaches[approach];
    }

    /// @inheritdoc IItmo
    function authorizationOf(uint32 authorization) external view returns (Authorization memory) {
        return _authorizations[authorization];
    }

    /// @inheritdoc IItmo
    function movedToday() external view returns (uint64) {
        return _moved.asOf(block.timestamp, CAP_PERIOD).used();
    }

    // Internals

    function _setDailyCap(uint64 cap) private {
        _stoppedSeconds = _stopped();
        _stoppedAt = cap == 0 ? uint40(block.timestamp) : 0;
        dailyCap = cap;
        emit DailyCapChanged(cap);
    }

    /// @dev Seconds in which the cap was zero, up to now.
    function _stopped() internal view returns (uint40) {
        uint40 since = _stoppedAt;
        return since == 0 ? _stoppedSeconds : _stoppedSeconds + uint40(block.timestamp) - since;
    }

    /// @dev Counts what the registrar moves, within the cap.
    function _move(uint64 quantity) internal {
        Flows.Window memory window = _moved.asOf(block.timestamp, CAP_PERIOD);
        uint64 moved = window.used();
        uint64 cap = dailyCap;
        require(moved <= cap && quantity <= cap - moved, DailyCapExceeded(moved, quantity, cap));
        window.add(quantity);
        _moved = window;
    }

    function _requireRole(uint64 role) private view {
        PARTICIPANTS.requireRole(role, msg.sender);
    }

    function _requireAuthorization(uint32 authorization) internal view returns (Authorization storage record) {
        record = _authorizations[authorization];
        require(record.version != 0, UnknownAuthorization(authorization));
    }

    /// @dev The purposes of units that were not first transferred. Reverts when these tonnes in total are not authorized any more.
    function _authorizedPurpose(uint32 authorization, uint64 quantity) internal view returns (Purpose) {
        return AUTHORIZATIONS.purposeOf(authorization, _authorizations[authorization].purpose, quantity);
    }
}
