// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title Calendar
/// @notice The calendar year (Gregorian, UTC) of a time.
library Calendar {
    /// @dev Days from 0000-03-01 to 1970-01-01. Years here begin in March, so that the leap day is their last.
    uint256 private constant EPOCH = 719_468;
    uint256 private constant ERA = 146_097;
    /// @dev Days of a year that began in March when January begins.
    uint256 private constant JANUARY = 306;

    /// @param time Seconds since 1970.
    function yearOf(uint256 time) internal pure returns (uint256) {
        uint256 day = time / 1 days + EPOCH;
        uint256 dayOfEra = day % ERA;
        uint256 year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        uint256 dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100);
        return year + (day / ERA) * 400 + (dayOfYear >= JANUARY ? 1 : 0);
    }
}
