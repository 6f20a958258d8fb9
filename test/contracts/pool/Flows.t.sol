// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Flows} from "../../../contracts/pool/Flows.sol";

/// @title FlowsTest
/// @notice What the buckets say of a window, against the flows one by one.
contract FlowsTest {
    using Flows for Flows.Window;
    using Flows for Flows.Day;

    uint256 private constant LENGTH = 1 hours;

    /// @dev The buckets never forget a flow of the last whole window, and remember none for two.
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
            require(window.peak() >= least, "a flow of the window is forgotten");
            require(window.peak() <= most, "a flow of two windows ago is remembered");
        }
    }

    /// @dev Against the flows one by one: net since the beginning of the present half window and of the two before.
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
            require(window.peak() == most, "the most that came in");
            require(window.reversed().peak() == -least, "the most that went out");
        }
    }

    function testFuzzDayBeginsAnewAndLifetimeDoesNot(uint32 gap, uint32 amount) public pure {
        Flows.Day memory day = Flows.Day(20_000, int64(uint64(amount)), int128(uint128(amount)));
        uint256 time = 20_000 days + uint256(gap);
        Flows.Day memory later = day.asOf(time);
        require(later.net == (gap < 1 days ? int64(uint64(amount)) : int64(0)), "the day's flow");
        require(later.lifetime == day.lifetime, "the lifetime's flow");
        require(later.day == time / 1 days, "the day");
    }

    function testFuzzLeftIsTheCapLessTheFlow(uint64 cap, int64 flow) public pure {
        uint64 left = Flows.left(cap, flow);
        int256 rest = int256(uint256(cap)) - flow;
        if (cap == type(uint64).max) require(left == cap, "no bound");
        else if (rest <= 0) require(left == 0, "nothing is left");
        else if (rest > int256(uint256(type(uint64).max))) require(left == type(uint64).max, "more than can be said");
        else require(int256(uint256(left)) == rest, "what is left");
    }
}
