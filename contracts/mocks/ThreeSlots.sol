// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title ThreeSlots
/// @notice What the gas figures are compared with: the least that a record of three words and its event can cost.
contract ThreeSlots {
    struct Record {
        uint256 first;
        uint256 second;
        uint256 third;
    }

    mapping(uint256 id => Record record) public records;

    event RecordWritten(uint256 indexed id, uint256 first, uint256 second, uint256 third);

    function write(uint256 id, uint256 first, uint256 second, uint256 third) external {
        records[id] = Record(first, second, third);
        emit RecordWritten(id, first, second, third);
    }
}
