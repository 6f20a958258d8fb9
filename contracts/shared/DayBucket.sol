// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title DayBucket
/// @notice What is used of an allowance that refills evenly within a day, in one word: the used part in the lowest 128 bits,
/// above it when it was that. In any 24 hours at most twice the allowance goes through.
/// @dev OpenZeppelin's RateLimiter does the same with one size for all of its buckets, more code and one more slot to read;
/// here each bucket's size is given when it is asked.
library DayBucket {
    /// @notice What is left of an allowance of this size now.
    function left(uint256 bucket, uint64 size) internal view returns (uint64) {
        uint256 used = _used(bucket, size);
        return used < size ? uint64(size - used) : 0;
    }

    /// @notice The bucket with one more amount used. The caller knows that it fits.
    function use(uint256 bucket, uint64 size, uint64 amount) internal view returns (uint256) {
        return (block.timestamp << 128) | (_used(bucket, size) + amount);
    }

    function _used(uint256 bucket, uint256 size) private view returns (uint256) {
        uint256 refilled = (size * (block.timestamp - (bucket >> 128))) / 1 days;
        uint256 used = uint128(bucket);
        return used > refilled ? used - refilled : 0;
    }
}
