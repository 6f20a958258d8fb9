// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title Flows
/// @notice Net amounts that have flowed in within a rolling window, a UTC day, and ever; one slot each.
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

    struct Day {
        uint40 day;
        int64 net;
        int128 lifetime;
    }

    /// @notice The window as it stands at a time: buckets that have passed are moved along.
    function asOf(Window memory window, uint256 time, uint256 length) internal pure returns (Window memory) {
        uint40 bucket = uint40(time / (length / 2));
        uint40 passed = bucket - window.bucket;
        if (passed == 0) return window;
        if (passed == 1) return Window(bucket, 0, window.current, window.previous);
        if (passed == 2) return Window(bucket, 0, 0, window.current);
        return Window(bucket, 0, 0, 0);
    }

    function asOf(Day memory day, uint256 time) internal pure returns (Day memory) {
        uint40 today = uint40(time / 1 days);
        return today == day.day ? day : Day(today, 0, day.lifetime);
    }

    /// @notice The greatest net flow since the beginning of one of the buckets, 0 at least.
    function peak(Window memory window) internal pure returns (int256) {
        int256 sum = window.current;
        int256 most = sum > 0 ? sum : int256(0);
        sum += window.previous;
        if (sum > most) most = sum;
        sum += window.older;
        return sum > most ? sum : most;
    }

    /// @notice The same flows seen from the other side.
    function reversed(Window memory window) internal pure returns (Window memory) {
        return Window(window.bucket, -window.current, -window.previous, -window.older);
    }

    /// @notice What a cap leaves after a net flow; the largest uint64 is no bound.
    function left(uint64 cap, int256 flow) internal pure returns (uint64) {
        if (cap == type(uint64).max) return cap;
        int256 rest = int256(uint256(cap)) - flow;
        if (rest <= 0) return 0;
        return rest < int256(uint256(type(uint64).max)) ? uint64(uint256(rest)) : type(uint64).max;
    }
}
