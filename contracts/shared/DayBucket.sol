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

    /// @notice The bucket with one more amount used; 0 when it does not fit.
    function tryUse(uint256 bucket, uint64 size, uint64 amount) internal view returns (uint256) {
        // Sizes and amounts have 64 bits, and so have times.
        unchecked {
            uint256 used = _used(bucket, size) + amount;
            return used > size ? 0 : (block.timestamp << 128) | used;
        }
    }

    function _used(uint256 bucket, uint256 size) private view returns (uint256) {
        uint256 used = uint128(bucket);
        unchecked {
            uint256 refilled = (size * (block.timestamp - (bucket >> 128))) / 1 days;
            return used > refilled ? used - refilled : 0;
        }
    }
}
