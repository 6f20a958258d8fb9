// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Blockhash} from "@openzeppelin/contracts/utils/Blockhash.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";

/// @title BlockHashes
/// @notice Hashes of past blocks, for draws.
library BlockHashes {
    /// @notice The hash of a block; 0 when it is out of reach (8 191 blocks, or 256 on a chain without EIP-2935).
    /// @dev The chain's history first: a node that was restarted on a stored state may answer the opcode wrongly.
    function hashOf(uint256 blockNumber) internal view returns (bytes32 blockHash) {
        address history = Blockhash.HISTORY_STORAGE_ADDRESS;
        (bool success, bytes32 found, ) = LowLevelCall.staticcallReturn64Bytes(history, abi.encode(blockNumber));
        if (success && LowLevelCall.returnDataSize() == 32 && found != bytes32(0)) return found;
        return blockhash(blockNumber);
    }
}
