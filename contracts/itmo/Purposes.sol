// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IItmo} from "./IItmo.sol";

/// @title Purposes
/// @notice What a purpose of ITMOs includes.
library Purposes {
    uint256 private constant NDC = 1;
    /// @dev IMP is 2 and OP is 4; OIMP is both.
    uint256 private constant OIMP = 6;
    /// @dev The parts of each purpose by its number, four bits each, from the right.
    uint256 private constant PARTS = 0x53742610;

    /// @notice Whether it includes use towards an NDC.
    function includesNdc(IItmo.Purpose purpose) internal pure returns (bool) {
        return _partsOf(purpose) & NDC != 0;
    }

    /// @notice Whether it includes use for an OIMP.
    function includesOimp(IItmo.Purpose purpose) internal pure returns (bool) {
        return _partsOf(purpose) & OIMP != 0;
    }

    /// @notice Whether it is a purpose, and all of it is authorized.
    function isWithin(IItmo.Purpose purpose, IItmo.Purpose authorized) internal pure returns (bool) {
        uint256 parts = _partsOf(purpose);
        return parts != 0 && parts & ~_partsOf(authorized) == 0;
    }

    function _partsOf(IItmo.Purpose purpose) private pure returns (uint256) {
        return (PARTS >> (uint8(purpose) * 4)) & 7;
    }
}
