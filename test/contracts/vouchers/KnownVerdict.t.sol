// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {RedemptionRules} from "../../../contracts/shared/RedemptionRules.sol";
import {KnownVerdict} from "../../../contracts/vouchers/KnownVerdict.sol";

/// @title KnownVerdictTest
/// @notice The verdict that is cached next to an allowance equals that of Participants, and does not change the
/// allowance.
contract KnownVerdictTest {
    function testFuzzKeepsAVerdictBesideAnAllowance(
        uint80 allowance,
        uint32 cap,
        uint48 limit,
        uint32 version,
        uint32 product,
        uint32 plan
    ) public pure {
        uint256 known = KnownVerdict.keep(verdictOf(cap, limit, version), product, plan);
        uint256 word = known | allowance;
        require(uint80(word) == allowance && KnownVerdict.known(word) == known, "allowance");
        require(KnownVerdict.isOn(word, product, plan), "parties");
        require(KnownVerdict.isOfVersion(word, verdictOf(0, 0, version)), "version");
        uint256 terms = verdictOf(0, 0, version) | RedemptionRules.ANY_HALTED | RedemptionRules.HOUSEHOLD_AUTHORISED;
        uint256 again =
            verdictOf(cap, limit, version) | RedemptionRules.ANY_HALTED | RedemptionRules.HOUSEHOLD_AUTHORISED;
        require(KnownVerdict.verdictOf(word, terms) == again, "verdict");
    }

    function testFuzzKnowsNothingOfOtherPartiesOrVersions(
        uint32 version,
        uint32 product,
        uint32 plan,
        uint32 otherVersion,
        uint32 otherProduct,
        uint32 otherPlan
    ) public pure {
        uint256 word = KnownVerdict.keep(verdictOf(1, 1, version), product, plan);
        bool isSame = otherProduct == product && otherPlan == plan;
        require(KnownVerdict.isOn(word, otherProduct, otherPlan) == isSame, "parties");
        require(!KnownVerdict.isOn(word, product ^ 1, plan) && !KnownVerdict.isOn(word, product, plan ^ 1), "one bit");
        bool isOfVersion = KnownVerdict.isOfVersion(word, verdictOf(9, 9, otherVersion));
        require(isOfVersion == (otherVersion == version), "version");
    }

    function testFuzzKeepsNoLimitThatHasNoRoom(uint64 limit, uint32 product, uint32 plan) public pure {
        uint256 known = KnownVerdict.keep(verdictOf(type(uint32).max, limit, 1), product, plan);
        require((known == 0) == (limit > type(uint48).max), "limit");
    }

    function testKeepsTheGreatestLimitThatHasRoom() public pure {
        require(KnownVerdict.keep(verdictOf(1, type(uint48).max, 1), 1, 0) != 0, "room");
        require(KnownVerdict.keep(verdictOf(1, uint64(type(uint48).max) + 1, 1), 1, 0) == 0, "no room");
    }

    function verdictOf(uint32 cap, uint64 limit, uint32 version) private pure returns (uint256) {
        return
            (uint256(cap) << RedemptionRules.UNCONSENTED_SHIFT) |
            (uint256(limit) << RedemptionRules.LIMIT_SHIFT) |
            (uint256(version) << RedemptionRules.VERSION_SHIFT);
    }
}
