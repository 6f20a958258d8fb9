// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Calendar} from "../../../contracts/shared/Calendar.sol";
import {SerialRanges} from "../../../contracts/shared/SerialRanges.sol";
import {Cheats} from "../invariants/Vm.sol";

contract SerialRangesTest is Cheats {
    using SerialRanges for SerialRanges.Store;

    SerialRanges.Store private store;

    function insert(uint32 index, uint64 firstId, uint64 lastId, uint32 predecessor) public returns (uint32) {
        return store.insert("R", index, firstId, lastId, predecessor);
    }

    /// @dev Compare with a list: a range is inserted exactly when it overlaps none, for any hint.
    function testFuzz_takesWhatMeetsNone(uint256 seed) public {
        uint64[20] memory firsts;
        uint64[20] memory lasts;
        uint32 count = 0;
        for (uint256 i = 0; i < 40 && count < 20; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint64 first = uint64(seed % 200);
            uint64 last = first + uint64((seed >> 64) % 12);
            bool meets = false;
            for (uint32 j = 0; j < count; ++j) meets = meets || (first <= lasts[j] && firsts[j] <= last);
            uint32 met = insert(count + 1, first, last, uint32((seed >> 128) % 24));
            require(meets == (met != 0), "overlap differs from the list");
            if (met != 0) {
                require(
                    first <= lasts[met - 1] && firsts[met - 1] <= last,
                    "it names a range that it does not overlap"
                );
                continue;
            }
            (firsts[count], lasts[count]) = (first, last);
            ++count;
        }
    }

    function test_walksSixtyFourRangesFromTheHint() public {
        for (uint32 i = 1; i <= 66; ++i) insert(i, i * 10, i * 10 + 9, i - 1);
        require(insert(99, 655, 655, 1) == 65, "the range at the end of the walk was not found");
        try this.insert(67, 700, 700, 1) returns (uint32) {
            revert("it searched further");
        } catch (bytes memory reason) {
            bytes32 expected = keccak256(abi.encodeWithSelector(SerialRanges.PredecessorTooFar.selector, 1));
            require(keccak256(reason) == expected, "it refused for another reason");
        }
        require(insert(67, 700, 700, 66) == 0, "the better hint was no use");
    }
}

contract CalendarTest {
    function test_knowsTheYearsEnds() public pure {
        require(Calendar.yearOf(0) == 1970, "1970");
        require(Calendar.yearOf(951_782_400) == 2000, "2000-02-29");
        require(Calendar.yearOf(1_735_689_599) == 2024, "the last second of 2024");
        require(Calendar.yearOf(1_735_689_600) == 2025, "the first second of 2025");
        require(Calendar.yearOf(4_102_444_799) == 2099, "the last second of 2099");
        require(Calendar.yearOf(4_102_444_800) == 2100, "the first second of 2100");
        require(Calendar.yearOf(4_133_980_799) == 2100, "the last second of 2100, no leap year");
    }

    /// @dev A year begins 365 or 366 days after the one before.
    function testFuzz_agreesWithCountedYears(uint16 count) public pure {
        uint256 start = 0;
        uint256 until = 1970 + (count % 400);
        for (uint256 year = 1970; year < until; ++year) {
            bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            start += leap ? 366 days : 365 days;
        }
        require(Calendar.yearOf(start) == until, "the first second");
        if (start > 0) require(Calendar.yearOf(start - 1) == until - 1, "the last second before");
    }
}
