// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Checkpoints} from "@openzeppelin/contracts/utils/structs/Checkpoints.sol";

/// @title Stoppages
/// @notice Measures how long an action was blocked since a given time, so that its deadlines can be extended by that time.
/// @dev A mark is stored only when a stoppage begins or ends. It packs, from the lowest bit: whether a stoppage begins (1
/// bit), the time of the mark (48 bits), and the seconds of all stoppages before it.
library Stoppages {
    using Checkpoints for Checkpoints.Trace208;

    struct Store {
        Checkpoints.Trace208 marks;
    }

    uint256 private constant TOTAL_SHIFT = 49;

    /// @dev Begins or ends a stoppage now. Changes nothing if it has begun or ended already.
    function set(Store storage self, bool stopped) internal {
        bool wasStopped = self.marks.latest() & 1 == 1;
        if (stopped == wasStopped) return;
        uint256 mark = (_until(self, block.timestamp) << TOTAL_SHIFT) | (block.timestamp << 1) | (stopped ? 1 : 0);
        self.marks.push(uint48(block.timestamp), uint208(mark));
    }

    /// @dev Seconds since `time` in which the action was blocked.
    function since(Store storage self, uint256 time) internal view returns (uint256) {
        return _until(self, block.timestamp) - _until(self, time);
    }

    function _until(Store storage self, uint256 time) private view returns (uint256 total) {
        uint256 mark = self.marks.upperLookupRecent(uint48(time));
        total = mark >> TOTAL_SHIFT;
        if (mark & 1 == 1) total += time - uint48(mark >> 1);
    }
}
