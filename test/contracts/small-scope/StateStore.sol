// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title StateStore
/// @notice A set of states in memory, each with the largest number of steps that were left when it was reached.
/// @dev In memory, because reverting a snapshot also reverts storage. Open addressing; 248 bits of a state's
/// hash and 8 bits of steps share a word.
library StateStore {
    struct Store {
        uint256[] words;
        uint256 count;
    }

    /// @param size A power of two, above the number of states.
    function open(uint256 size) internal pure returns (Store memory store) {
        store.words = new uint256[](size);
    }

    /// @notice Whether the state is new, or was reached before with fewer steps left; then it must be explored.
    function reach(Store memory store, uint256 hash, uint256 stepsLeft) internal pure returns (bool) {
        uint256 key = hash & ~uint256(0xff);
        uint256 mask = store.words.length - 1;
        uint256 place = (key >> 8) & mask;
        while (store.words[place] != 0) {
            if (store.words[place] & ~uint256(0xff) == key) {
                if (store.words[place] & 0xff > stepsLeft) return false;
                store.words[place] = key | (stepsLeft + 1);
                return true;
            }
            place = (place + 1) & mask;
        }
        require(++store.count < mask, "the store is full: open a larger one");
        store.words[place] = key | (stepsLeft + 1);
        return true;
    }
}
