// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {RedemptionRules} from "../shared/RedemptionRules.sol";

/// @title KnownVerdict
/// @notice What Participants last answered about a supplier's redemption, in the same word as the supplier's allowance. A
/// redemption reads and writes that word anyway, so the next one of the same product and plan saves looking them up.
/// @dev Kept only after a redemption that broke no rule: supplier and product were in order. Valid while Participants has the
/// same version. Bits, from the lowest: allowance 80 (see DayBucket), the plan's cap 32, the product's limit 48, version 32,
/// product 32, plan 32.
library KnownVerdict {
    uint256 private constant ALLOWANCE_BITS = 80;
    uint256 private constant VERSION_SHIFT = 160;
    uint256 private constant PARTIES_SHIFT = 192;
    /// @dev The cap and the limit.
    uint256 private constant ANSWER = type(uint80).max;

    /// @notice Whether a word has a verdict on this product and plan, of any version.
    function isOn(uint256 word, uint32 product, uint32 plan) internal pure returns (bool) {
        return word >> PARTIES_SHIFT == (uint256(plan) << 32) | product;
    }

    /// @notice Whether the verdict that a word has is of the version that Participants has now.
    /// @param terms See `IParticipants.redemptionTerms`; their version is never 0, which an empty word has.
    function isOfVersion(uint256 word, uint256 terms) internal pure returns (bool) {
        return uint32(word >> VERSION_SHIFT) == uint32(terms >> RedemptionRules.VERSION_SHIFT);
    }

    /// @notice The verdict that a word has, together with terms of the same version.
    function verdictOf(uint256 word, uint256 terms) internal pure returns (uint256) {
        return terms | (((word >> ALLOWANCE_BITS) & ANSWER) << RedemptionRules.UNCONSENTED_SHIFT);
    }

    /// @notice A word without its allowance.
    function known(uint256 word) internal pure returns (uint256) {
        return (word >> ALLOWANCE_BITS) << ALLOWANCE_BITS;
    }

    /// @notice A word that has a verdict and no allowance; 0 when the product's limit has no room in it.
    function keep(uint256 verdict, uint32 product, uint32 plan) internal pure returns (uint256) {
        uint256 answer = uint96(verdict >> RedemptionRules.UNCONSENTED_SHIFT);
        if (answer > ANSWER) return 0;
        uint256 version = uint32(verdict >> RedemptionRules.VERSION_SHIFT);
        uint256 parties = (uint256(plan) << 32) | product;
        return (parties << PARTIES_SHIFT) | (version << VERSION_SHIFT) | (answer << ALLOWANCE_BITS);
    }
}
