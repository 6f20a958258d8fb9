// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IDirectory
/// @notice Names the current contracts. Contracts are immutable; a replacement is named here by the council.
/// @dev Names are bytes32 strings: "Participants", "Certificates", "Carbon", "Vouchers", "Claims", "Pool", "Audits",
/// "Campaigns", "Itmo", "Authorizations", "InvalidationBuffer", "Council", "Timelock", "Stablecoin".
interface IDirectory {
    /// @notice The council named the current contract; `previous` is zero for a new name.
    event ContractNamed(bytes32 indexed name, address indexed target, address indexed previous);

    /// @notice No contract has that name, or the name is empty.
    error UnknownName(bytes32 name);
    /// @notice The address for a name is zero.
    error ZeroTarget(bytes32 name);
    /// @notice Two lists that belong together have different lengths.
    error LengthMismatch(uint256 names, uint256 targets);

    /// @notice Names contracts, or replaces those named before. Council.
    function setContracts(bytes32[] calldata names, address[] calldata targets) external;
    /// @notice The current contract under a name. Reverts with `UnknownName` when none was ever named.
    function contractOf(bytes32 name) external view returns (address);
    /// @notice Every name in use, in order of first naming.
    function names() external view returns (bytes32[] memory);
}
