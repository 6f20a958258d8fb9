// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IParticipants} from "../participants/IParticipants.sol";
import {Roles} from "../shared/Roles.sol";
import {IParameters} from "./IParameters.sol";

/// @title Parameters
/// @notice See `IParameters`.
contract Parameters is IParameters {
    /// @notice Longest kind, bytes.
    uint256 public constant MAX_KIND = 32;
    /// @notice Longest key, bytes.
    uint256 public constant MAX_KEY = 64;
    /// @notice Longest unit, bytes.
    uint256 public constant MAX_UNIT = 32;
    /// @notice Longest source, bytes.
    uint256 public constant MAX_SOURCE = 512;
    /// @notice Most decimals of a value.
    uint8 public constant MAX_DECIMALS = 18;

    /// @notice Knows who a registrar is.
    IParticipants public immutable PARTICIPANTS;

    /// @inheritdoc IParameters
    uint32 public parameterCount;
    /// @inheritdoc IParameters
    mapping(uint32 parameter => bytes32 hash) public hashOf;
    /// @inheritdoc IParameters
    mapping(bytes32 subject => uint32 parameter) public latestOf;

    /// @param defaults Entries that the list starts with, by the rules of `set`.
    constructor(IParticipants participants, Entry[] memory defaults) {
        PARTICIPANTS = participants;
        for (uint256 i = 0; i < defaults.length; ++i) {
            _set(defaults[i]);
        }
    }

    /// @inheritdoc IParameters
    function set(Entry calldata entry) external returns (uint32 parameter) {
        PARTICIPANTS.requireRole(Roles.REGISTRAR, msg.sender);
        return _set(entry);
    }

    /// @inheritdoc IParameters
    function subjectOf(string calldata kind, string calldata key) external pure returns (bytes32 subject) {
        return _subjectOf(kind, key);
    }

    function _set(Entry memory entry) private returns (uint32 parameter) {
        _requireText(entry.kind, MAX_KIND);
        _requireText(entry.key, MAX_KEY);
        _requireText(entry.source, MAX_SOURCE);
        _requireLength(entry.unit, MAX_UNIT);
        require(entry.decimals <= MAX_DECIMALS, ParameterDecimalsInvalid(entry.decimals, MAX_DECIMALS));
        bool isOrdered = entry.validTo == 0 || entry.validFrom <= entry.validTo;
        require(isOrdered, ParameterPeriodInvalid(entry.validFrom, entry.validTo));
        bytes32 subject = _subjectOf(entry.kind, entry.key);
        parameter = ++parameterCount;
        uint32 superseded = latestOf[subject];
        latestOf[subject] = parameter;
        hashOf[parameter] = keccak256(abi.encode(entry));
        emit ParameterSet(parameter, subject, superseded, entry);
    }

    function _subjectOf(string memory kind, string memory key) private pure returns (bytes32) {
        return keccak256(abi.encode(kind, key));
    }

    function _requireText(string memory text, uint256 limit) private pure {
        require(bytes(text).length > 0, ParameterTextInvalid(0, limit));
        _requireLength(text, limit);
    }

    function _requireLength(string memory text, uint256 limit) private pure {
        uint256 length = bytes(text).length;
        require(length <= limit, ParameterTextInvalid(length, limit));
    }
}
