// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {Roles} from "../shared/Roles.sol";

/// @title CouncilTimelock
/// @notice OpenZeppelin's timelock, in which a guardian cannot cancel its own removal.
/// @dev The guardian may cancel what the council scheduled. Could it cancel every operation, it would stay for ever. So an
/// operation whose every call gives or takes the guardian's role, or the right to cancel, is cancelled by proposers alone.
/// One that does anything else besides is cancelled like all others.
contract CouncilTimelock is TimelockController {
    /// @notice The access manager that knows the guardian's role.
    address public immutable PARTICIPANTS;

    mapping(bytes32 id => bool changesGuardian) private _guardianChanges;

    /// @notice The operation only changes the guardian, so only a proposer may cancel it.
    error GuardianMayNotCancel(bytes32 id);

    /// @param participants The access manager.
    constructor(
        uint256 minDelay,
        address[] memory proposers,
        address[] memory executors,
        address admin,
        address participants
    ) TimelockController(minDelay, proposers, executors, admin) {
        PARTICIPANTS = participants;
    }

    /// @inheritdoc TimelockController
    function schedule(
        address target,
        uint256 value,
        bytes calldata data,
        bytes32 predecessor,
        bytes32 salt,
        uint256 delay
    ) public override {
        super.schedule(target, value, data, predecessor, salt, delay);
        if (_changesGuardian(target, data)) {
            _guardianChanges[hashOperation(target, value, data, predecessor, salt)] = true;
        }
    }

    /// @inheritdoc TimelockController
    function scheduleBatch(
        address[] calldata targets,
        uint256[] calldata values,
        bytes[] calldata payloads,
        bytes32 predecessor,
        bytes32 salt,
        uint256 delay
    ) public override {
        super.scheduleBatch(targets, values, payloads, predecessor, salt, delay);
        for (uint256 i = 0; i < targets.length; ++i) {
            if (!_changesGuardian(targets[i], payloads[i])) return;
        }
        _guardianChanges[hashOperationBatch(targets, values, payloads, predecessor, salt)] = true;
    }

    /// @inheritdoc TimelockController
    function cancel(bytes32 id) public override {
        require(!_guardianChanges[id] || hasRole(PROPOSER_ROLE, msg.sender), GuardianMayNotCancel(id));
        super.cancel(id);
    }

    /// @dev Whether a call only gives or takes the guardian's role, or the right to cancel.
    function _changesGuardian(address target, bytes calldata data) private view returns (bool) {
        if (data.length < 36) return false;
        bytes4 selector = bytes4(data);
        bytes32 role = bytes32(data[4:36]);
        if (target == PARTICIPANTS) {
            bool changesRole =
                selector == IAccessManager.grantRole.selector || selector == IAccessManager.revokeRole.selector;
            return changesRole && role == bytes32(uint256(Roles.GUARDIAN));
        }
        if (target != address(this) || role != CANCELLER_ROLE) return false;
        return selector == IAccessControl.grantRole.selector || selector == IAccessControl.revokeRole.selector;
    }
}
