// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @title GreedyWallet
/// @notice A contract account for tests that burns all the gas it is given when asked about a signature.
contract GreedyWallet is IERC1271 {
    /// @inheritdoc IERC1271
    function isValidSignature(bytes32, bytes memory) external pure returns (bytes4) {
        assembly ("memory-safe") {
            invalid()
        }
    }
}
