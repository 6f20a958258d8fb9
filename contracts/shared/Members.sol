// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {IParticipants} from "../participants/IParticipants.sol";

/// @title Members
/// @notice Who holds a role, where a contract asks instead of refusing (`IParticipants.requireRole` refuses).
library Members {
    /// @notice Whether an account holds a role now. A member with an execution delay counts as none; see `SchemeRoles`.
    function holds(IParticipants participants, uint64 role, address account) internal view returns (bool) {
        (bool isMember, uint32 executionDelay) = IAccessManager(address(participants)).hasRole(role, account);
        return isMember && executionDelay == 0;
    }
}
