// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title SupplierDays
/// @notice What suppliers have sold in a UTC day, three suppliers to a slot.
/// @dev A slot's bits, from the lowest: 64 for each of its three suppliers, and the day, common to them. The first sale
/// of a day begins the slot anew, so that a supplier's first payment seldom pays for a new slot.
library SupplierDays {
    struct Store {
        mapping(uint256 group => uint256 word) words;
    }

    uint256 private constant SUPPLIERS = 3;
    uint256 private constant DAY_SHIFT = 192;

    /// @notice What a supplier has sold on a day, 0 on any other day than the slot's.
    function soldOn(Store storage store, uint32 supplier, uint256 day) internal view returns (uint64) {
        return uint64(_wordOn(store, supplier, day) >> _shiftOf(supplier));
    }

    /// @notice Adds a sale. The caller knows that the supplier's sum stays within 64 bits, and that days do not go back.
    function add(Store storage store, uint32 supplier, uint256 day, uint64 amount) internal {
        uint256 word = _wordOn(store, supplier, day);
        store.words[supplier / SUPPLIERS] = word + (uint256(amount) << _shiftOf(supplier));
    }

    function _wordOn(Store storage store, uint32 supplier, uint256 day) private view returns (uint256 word) {
        word = store.words[supplier / SUPPLIERS];
        if (word >> DAY_SHIFT != day) word = day << DAY_SHIFT;
    }

    function _shiftOf(uint32 supplier) private pure returns (uint256) {
        return 64 * (supplier % SUPPLIERS);
    }
}
