// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {IParticipants} from "./IParticipants.sol";

/// @title SchemeRoles
/// @notice Grants the roles of the scheme and answers which account holds which role.
/// @dev This contract is an OpenZeppelin AccessManager that only governs roles: it has no targets. The other contracts ask
/// it who holds a role. A member with an execution delay does not hold the role, because a delayed call must go through the
/// manager, and the scheme's functions are called directly.
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
