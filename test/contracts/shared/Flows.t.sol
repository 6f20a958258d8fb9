// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Flows} from "../../../contracts/shared/Flows.sol";

/// @title FlowsTest
/// @notice Compares the buckets of a window with the single flows.
contract FlowsTest {
    using Flows for Flows.Window;
    using Flows for Flows.Total;

    uint256 private constant LENGTH = 1 hours;

    /// @dev The buckets include every flow of the last whole window, and none older than two windows.
    function testFuzzWindowCoversEveryFlowOfItsLength(uint16[16] memory gaps, uint32[16] memory amounts) public pure {
        Flows.Window memory window;
        uint256[16] memory times;
        uint256 time = 1_750_000_000;
        for (uint256 i = 0; i < 16; ++i) {
            time += gaps[i] % 4_000;
            times[i] = time;
            window = window.asOf(time, LENGTH);
            window.current += int64(uint64(amounts[i]));
            int256 least = 0;
            int256 most = 0;
            for (uint256 j = 0; j <= i; ++j) {
                if (times[j] + LENGTH >= time) least += int256(uint256(amounts[j]));
                if (times[j] + 2 * LENGTH > time) most += int256(uint256(amounts[j]));
            }
            require(window.peak(1) >= least, "a flow of the window is forgotten");
            require(window.peak(1) <= most, "a flow of two windows ago is remembered");
        }
    }

    /// @dev Compare with the single flows: net since the start of the current half window and of the two before.
    function testFuzzPeakIsTheMostSinceABucketBegan(uint16[16] memory gaps, int32[16] memory amounts) public pure {
        Flows.Window memory window;
        uint256[16] memory times;
        uint256 time = 1_750_000_000;
        for (uint256 i = 0; i < 16; ++i) {
            time += gaps[i] % 4_000;
            times[i] = time;
            window = window.asOf(time, LENGTH);
            window.current += amounts[i];
            (int256 most, int256 least) = (int256(0), int256(0));
            for (uint256 back = 0; back < 3; ++back) {
                uint256 begin = (time / (LENGTH / 2) - back) * (LENGTH / 2);
                int256 net = 0;
                for (uint256 j = 0; j <= i; ++j) if (times[j] >= begin) net += amounts[j];
                if (net > most) most = net;
                if (net < least) least = net;
            }
            require(window.peak(1) == most, "the most that came in");
            require(window.peak(-1) == -least, "the most that went out");
        }
    }

    /// @dev The window of a total equals a separate window that is written at the same times.
    function testFuzzTotalTellsItsWindow(uint32[16] memory gaps, int32[16] memory amounts) public pure {
        Flows.Window memory short;
        Flows.Window memory long;
        Flows.Total memory total;
        uint256 time = 1_750_000_000;
        for (uint256 i = 0; i < 16; ++i) {
            time += gaps[i] % 100_000;
            Flows.Window memory told = total.windowOf(uint256(short.bucket) * (LENGTH / 2), 1 days);
            told = told.asOf(time, 1 days);
            (short, long) = (short.asOf(time, LENGTH), long.asOf(time, 1 days));
            require(keccak256(abi.encode(told)) == keccak256(abi.encode(long)), "the longer window");
            short.current += amounts[i];
            long.current += amounts[i];
            total = Flows.Total(long.current, long.previous, long.older, total.lifetime + amounts[i]);
        }
    }

    /// @dev If the cap is checked before each flow, no 24 hours exceed it, from any start.
    function testFuzzNoDayExceedsItsCap(uint32[16] memory gaps, uint64[16] memory amounts, uint64 cap) public pure {
        Flows.Window memory window;
        uint256[16] memory times;
        uint256 time = 1_750_000_000;
        for (uint256 i = 0; i < 16; ++i) {
            time += gaps[i] % 60_000;
            times[i] = time;
            window = window.asOf(time, 1 days);
            amounts[i] >>= 3;
            if (amounts[i] > cap - window.used()) amounts[i] = 0;
            window.add(amounts[i]);
            uint256 sum = 0;
            for (uint256 j = 0; j <= i; ++j) if (times[j] + 1 days > time) sum += amounts[j];
            require(sum <= cap, "24 hours above the cap");
        }
    }

    function testFuzzLeftIsTheCapLessTheFlow(uint64 cap, int64 flow) public pure {
        uint64 left = Flows.left(cap, flow);
        int256 rest = int256(uint256(cap)) - flow;
        if (cap == type(uint64).max) require(left == cap, "no limit");
        else if (rest <= 0) require(left == 0, "nothing is left");
        else if (rest > int256(uint256(type(uint64).max))) require(left == type(uint64).max, "more than 64 bits");
        else require(int256(uint256(left)) == rest, "what is left");
    }
}
