// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title RedemptionRules
/// @notice One bit for each rule that a redemption can break. A verdict of 0 means that none is broken.
library RedemptionRules {
    /// @notice No voucher has this id.
    uint16 internal constant VOUCHER_EXISTS = 1 << 0;
    /// @notice No supplier has this index.
    uint16 internal constant SUPPLIER_EXISTS = 1 << 1;
    /// @notice The supplier is suspended.
    uint16 internal constant SUPPLIER_AUTHORISED = 1 << 2;
    /// @notice The voucher is suspended, cancelled, swept or exhausted, or its certificate is halted.
    uint16 internal constant VOUCHER_ACTIVE = 1 << 3;
    /// @notice The voucher's last day is over.
    uint16 internal constant VOUCHER_NOT_EXPIRED = 1 << 4;
    /// @notice The voucher's first day has not begun.
    uint16 internal constant VOUCHER_STARTED = 1 << 5;
    /// @notice The amount exceeds the voucher's balance.
    uint16 internal constant AMOUNT_WITHIN_BALANCE = 1 << 6;
    /// @notice The amount is zero.
    uint16 internal constant AMOUNT_POSITIVE = 1 << 7;
    /// @notice The product is unknown, not approved, or not in the monitoring plan's list.
    uint16 internal constant PRODUCT_APPROVED = 1 << 8;
    /// @notice The amount exceeds what the product allows in one redemption.
    uint16 internal constant PRODUCT_LIMIT = 1 << 9;
    /// @notice The scheme requires a consent that the chain can check, or the consent given does not hold.
    uint16 internal constant HOUSEHOLD_AUTHORISED = 1 << 10;
    /// @notice The caller is neither an operator nor the supplier's own account.
    uint16 internal constant CALLER_AUTHORISED = 1 << 11;

    /// @notice The amount exceeds what the plan still lets the supplier redeem without a household's consent.
    uint16 internal constant UNCONSENTED_WITHIN_CAP = 1 << 12;
    /// @notice The amount exceeds what the operator may still redeem on PINs.
    uint16 internal constant PIN_WITHIN_CAP = 1 << 13;

    /// @notice The rule when it is broken, else 0.
    /// @dev Without a jump: a redemption checks a dozen rules.
    function ruleIf(uint256 rule, bool isBroken) internal pure returns (uint256 broken) {
        assembly ("memory-safe") {
            broken := mul(rule, isBroken)
        }
    }

    // What Participants answers has broken rules in the lowest 16 bits, and above them:

    /// @notice Set while any certificate is halted.
    uint256 internal constant ANY_HALTED = 1 << 16;
    /// @notice Lowest of the 32 bits of the plan's cap on redemptions without consent, whole CARBON.
    uint256 internal constant UNCONSENTED_SHIFT = 24;
    /// @notice Lowest of the 64 bits of the product's limit, micro-CARBON, 0 for none.
    uint256 internal constant LIMIT_SHIFT = 56;
    /// @notice Lowest of the 32 bits of the version, see `IParticipants.redemptionTerms`.
    uint256 internal constant VERSION_SHIFT = 120;
    /// @notice How many bits a verdict has. Bits above are free.
    uint256 internal constant VERDICT_BITS = 152;
}
