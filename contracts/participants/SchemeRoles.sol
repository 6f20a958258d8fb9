// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {IParticipants} from "./IParticipants.sol";

/// @title SchemeRoles
/// @notice Who holds a role of the scheme.
/// @dev Roles are governed by OpenZeppelin's AccessManager, which this contract is; its targets are not used. The other
/// contracts ask here who holds a role. A member with an execution delay counts as no member, because a delayed call
/// can only go through the manager, and none of ours does.
abstract contract SchemeRoles is IParticipants, AccessManager {
    /// @param initialAdmin Holds the council's role until deployment hands it to the timelock.
    constructor(address initialAdmin) AccessManager(initialAdmin) {}

    modifier onlyRole(uint64 role) {
        requireRole(role, msg.sender);
        _;
    }

    /// @inheritdoc IParticipants
    function requireRole(uint64 role, address account) public view {
        require(_holds(role, account), MissingRole(account, role));
    }

    function _holds(uint64 role, address account) internal view returns (bool) {
        (bool isMember, uint32 executionDelay) = hasRole(role, account);
        return isMember && executionDelay == 0;
    }
}
