// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IParticipants} from "../participants/IParticipants.sol";
import {Roles} from "../shared/Roles.sol";
import {IDirectory} from "./IDirectory.sol";

/// @title Directory
/// @notice See `IDirectory`.
contract Directory is IDirectory {
    /// @notice Knows who the council is.
    IParticipants public immutable PARTICIPANTS;

    bytes32[] private _names;
    mapping(bytes32 name => address target) private _targets;

    constructor(IParticipants participants) {
        PARTICIPANTS = participants;
    }

    /// @inheritdoc IDirectory
    function setContracts(bytes32[] calldata names_, address[] calldata targets) external {
        PARTICIPANTS.requireRole(Roles.COUNCIL, msg.sender);
        require(names_.length == targets.length, LengthMismatch(names_.length, targets.length));
        for (uint256 i = 0; i < names_.length; ++i) {
            bytes32 name = names_[i];
            address target = targets[i];
            require(name != 0, UnknownName(name));
            require(target != address(0), ZeroTarget(name));
            address previous = _targets[name];
            if (previous == address(0)) _names.push(name);
            _targets[name] = target;
            emit ContractNamed(name, target, previous);
        }
    }

    /// @inheritdoc IDirectory
    function contractOf(bytes32 name) external view returns (address target) {
        target = _targets[name];
        require(target != address(0), UnknownName(name));
    }

    /// @inheritdoc IDirectory
    function names() external view returns (bytes32[] memory) {
        return _names;
    }
}
