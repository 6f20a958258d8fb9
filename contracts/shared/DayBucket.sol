// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title DayBucket
/// @notice An allowance that refills evenly within a day, in the lowest 80 bits of a word: the time at which it is whole
/// again, in 2^-40 seconds since 1970. What is used counts as a share of the day, so that one bucket may be asked with several
/// sizes. In any 24 hours the shares that go through are together at most 2: at most twice the largest size.
/// A size below 2^56 counts to the last unit; of a larger one (72 billion CARBON) some units more may go through.
/// @dev OpenZeppelin's RateLimiter has one size for all of its buckets, more code and one more slot to read.
library DayBucket {
    /// @dev Of a second.
    uint256 private constant FRACTION_BITS = 40;
    /// @dev A whole allowance.
    uint256 private constant DAY = 1 days << FRACTION_BITS;

    /// @notice What is left of an allowance of this size now.
    function left(uint256 bucket, uint64 size) internal view returns (uint64) {
        bucket = uint80(bucket);
        uint256 time = block.timestamp << FRACTION_BITS;
        uint256 used = bucket > time ? bucket - time : 0;
        return uint64((size * (DAY - used)) / DAY);
    }

    /// @notice The bucket with one more amount used; 0 when it does not fit.
    function tryUse(uint256 bucket, uint64 size, uint64 amount) internal view returns (uint256 whole) {
        // Sizes, amounts and times have 64 bits.
        unchecked {
            bucket = uint80(bucket);
            uint256 time = block.timestamp << FRACTION_BITS;
            whole = bucket > time ? bucket : time;
            if (amount == 0) return whole;
            if (amount > size) return 0;
            whole += (amount * DAY) / size;
            if (whole > time + DAY) return 0;
        }
    }
}
