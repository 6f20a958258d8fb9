// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IParticipants} from "../participants/IParticipants.sol";
import {Roles} from "../shared/Roles.sol";
import {IAudits} from "./IAudits.sol";

/// @title Audits
/// @notice See `IAudits`.
contract Audits is IAudits {
    /// @notice Knows who an operator is.
    IParticipants public immutable PARTICIPANTS;

    /// @inheritdoc IAudits
    uint32 public latestDay;
    /// @inheritdoc IAudits
    mapping(uint32 day => bytes32 root) public rootOf;

    constructor(IParticipants participants) {
        PARTICIPANTS = participants;
    }

    /// @inheritdoc IAudits
    function anchorRoot(uint32 day, bytes32 root, uint64 chains, uint64 events) external {
        PARTICIPANTS.requireRole(Roles.OPERATOR, msg.sender);
        require(root != 0, EmptyAuditRoot(day));
        require(day > latestDay, AuditDayNotLater(day, latestDay));
        uint32 today = uint32(block.timestamp / 1 days);
        require(day <= today, AuditDayInFuture(day, today));
        latestDay = day;
        rootOf[day] = root;
        emit AuditRootAnchored(day, root, chains, events);
    }
}
