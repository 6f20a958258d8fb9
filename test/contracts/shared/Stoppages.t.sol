// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Stoppages} from "../../../contracts/shared/Stoppages.sol";
import {Cheats} from "../invariants/Vm.sol";

/// @notice Stopped time, compared with one that counts second by second.
contract StoppagesTest is Cheats {
    using Stoppages for Stoppages.Store;

    uint256 private constant START = 1_700_000_000;
    uint256 private constant LENGTH = 200;

    Stoppages.Store private _stoppages;
    bool[LENGTH] private _stopped;

    error Failed(uint256 from, uint256 actual, uint256 expected);

    /// @notice For any stops and restarts, also within one second, any span has the seconds that were stopped in it.
    function testFuzzCountsWhatWasStopped(uint8[24] calldata seconds_, bool[24] calldata states, uint8 from) external {
        uint256 time = 0;
        bool state = false;
        for (uint256 i = 0; i < 24; ++i) {
            for (uint256 end = time + (seconds_[i] % 8); time < end; ++time) _stopped[time] = state;
            vm.warp(START + time);
            _stoppages.set(states[i]);
            state = states[i];
        }
        uint256 first = uint256(from) % (time + 1);
        uint256 expected = 0;
        for (uint256 i = first; i < time; ++i) if (_stopped[i]) ++expected;
        uint256 actual = _stoppages.since(START + first);
        require(actual == expected, Failed(first, actual, expected));
        require(_stoppages.since(START - 1) >= actual, Failed(0, _stoppages.since(START - 1), actual));
    }
}
