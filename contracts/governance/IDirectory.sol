// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IDirectory
/// @notice Names the contracts in force. Contracts are immutable; a replacement is named here by the council.
/// @dev Names are bytes32 strings: "Participants", "Certificates", "Carbon", "Vouchers", "Claims", "Pool", "Council",
/// "Timelock", "Stablecoin".
interface IDirectory {
    event ContractNamed(bytes32 indexed name, address indexed target, address indexed previous);

    error UnknownName(bytes32 name);
    error LengthMismatch();

    function setContracts(bytes32[] calldata names, address[] calldata targets) external;
    function contractOf(bytes32 name) external view returns (address);
    function names() external view returns (bytes32[] memory);
}
