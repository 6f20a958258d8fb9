// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title Flows
/// @notice Net amounts that have flowed in within a rolling window, one slot for a window.
/// @dev Amounts are signed, so that a flow the other way gives room back. The window is kept in half-window buckets:
/// the present one and the two before it always cover the last whole window. A cap holds for the net flow since the
/// beginning of each of them, so that an earlier flow the other way makes no room for more than the cap now; with flows
/// in one direction only, it bounds every window of that length, wherever it begins.
library Flows {
    /// @param bucket Number of the present bucket.
    struct Window {
        uint40 bucket;
        int64 current;
        int64 previous;
        int64 older;
    }

    /// @dev One slot: a longer window that is written whenever a shorter one is, and the net flow of all time.
    struct Total {
        int64 current;
        int64 previous;
        int64 older;
        int64 lifetime;
    }

    /// @notice The longer window.
    /// @param since A time in the bucket that it was last written in: the beginning of the shorter one's bucket.
    function windowOf(Total memory total, uint256 since, uint256 length) internal pure returns (Window memory) {
        return Window(uint40(since / (length / 2)), total.current, total.previous, total.older);
    }

    /// @notice Moves the buckets that have passed along, so that the window is that of a time, which never goes back.
    function asOf(Window memory window, uint256 time, uint256 length) internal pure returns (Window memory) {
        uint256 bucket = time / (length / 2);
        uint256 last = window.bucket;
        if (bucket == last) return window;
        bool isNext = bucket == last + 1;
        window.older =
            isNext
                ? window.previous
                : bucket == last + 2
                    ? window.current
                    : int64(0);
        window.previous = isNext ? window.current : int64(0);
        window.current = 0;
        window.bucket = uint40(bucket);
        return window;
    }

    /// @notice The greatest net flow since the beginning of one of the buckets, 0 at least.
    /// @param sign 1 for what has flowed in, -1 for what has flowed out.
    function peak(Window memory window, int256 sign) internal pure returns (int256) {
        // Three numbers of 64 bits.
        unchecked {
            int256 sum = sign * window.current;
            int256 most = sum > 0 ? sum : int256(0);
            sum += sign * window.previous;
            if (sum > most) most = sum;
            sum += sign * window.older;
            return sum > most ? sum : most;
        }
    }

    /// @notice What has flowed in since the oldest bucket began, where nothing flows out and a cap of 64 bits held.
    function used(Window memory window) internal pure returns (uint64) {
        return uint64(uint256(peak(window, 1)));
    }

    /// @notice Counts what flows in now.
    function add(Window memory window, uint64 amount) internal pure {
        window.current += SafeCast.toInt64(int256(uint256(amount)));
    }

    /// @notice What a cap leaves after a net flow; the largest uint64 says that there is no bound.
    function left(uint64 cap, int256 flow) internal pure returns (uint64) {
        if (cap == type(uint64).max) return cap;
        int256 rest = int256(uint256(cap)) - flow;
        if (rest <= 0) return 0;
        return rest < int256(uint256(type(uint64).max)) ? uint64(uint256(rest)) : type(uint64).max;
    }
}
