// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title SupplierDays
/// @notice What suppliers have sold in the last 24 hours, and whether they are in debt; two suppliers to a slot.
/// @dev Kept like `Flows.Window` in buckets of half a day: the present one and the two before it always cover the last 24
/// hours. A slot's bits, from the lowest: 38 for each of the three buckets of each of its two suppliers, the newest first;
/// one for each of the two that says whether it is in debt; and the number of the newest bucket, common to them. The
/// first sale of half a day moves both suppliers' buckets along, so that a supplier's first payment seldom pays for a new
/// slot.
///
/// A sale is counted in milli-CARBON, rounded up: `LARGEST` is the most that 38 bits can say.
library SupplierDays {
    struct Store {
        mapping(uint256 group => uint256 word) words;
    }

    /// @notice Micro-CARBON of the largest cap that is a bound; type(uint64).max says that there is none.
    uint64 internal constant LARGEST = uint64(BUCKET_MAX * UNIT);

    uint256 private constant SUPPLIERS = 2;
    uint256 private constant BUCKET_BITS = 38;
    uint256 private constant BUCKET_MAX = (1 << BUCKET_BITS) - 1;
    uint256 private constant SUPPLIER_BITS = 3 * BUCKET_BITS;
    uint256 private constant DEBT_SHIFT = SUPPLIERS * SUPPLIER_BITS;
    uint256 private constant NUMBER_SHIFT = DEBT_SHIFT + SUPPLIERS;
    uint256 private constant BUCKET_LENGTH = 12 hours;
    /// @dev Micro-CARBON of what is counted.
    uint256 private constant UNIT = 1_000;
    /// @dev The newest bucket of both suppliers, the newest two, and the bits of debt.
    uint256 private constant NEWEST = BUCKET_MAX * (1 + (1 << SUPPLIER_BITS));
    uint256 private constant NEWER = ((1 << (2 * BUCKET_BITS)) - 1) * (1 + (1 << SUPPLIER_BITS));
    uint256 private constant DEBTS = ((1 << SUPPLIERS) - 1) << DEBT_SHIFT;

    /// @notice What a cap leaves a supplier now; the largest uint64 says that there is no bound.
    function left(Store storage store, uint32 supplier, uint256 time, uint64 cap) internal view returns (uint64) {
        return _left(_wordAt(store, supplier, time), supplier, cap);
    }

    /// @notice Adds a sale, unless it is more than the cap leaves.
    /// @return rest What the cap left before it.
    function add(
        Store storage store,
        uint32 supplier,
        uint256 time,
        uint64 amount,
        uint64 cap
    ) internal returns (uint64 rest) {
        uint256 word = _wordAt(store, supplier, time);
        rest = _left(word, supplier, cap);
        if (amount > rest) return rest;
        uint256 shift = _shiftOf(supplier);
        // Without a bound a bucket that is full stays full, so that nothing overflows.
        unchecked {
            uint256 room = BUCKET_MAX - ((word >> shift) & BUCKET_MAX);
            uint256 counted = (uint256(amount) + UNIT - 1) / UNIT;
            store.words[supplier / SUPPLIERS] = word + ((counted < room ? counted : room) << shift);
        }
    }

    function isDebtor(Store storage store, uint32 supplier) internal view returns (bool) {
        return store.words[supplier / SUPPLIERS] & _debtOf(supplier) != 0;
    }

    function setDebtor(Store storage store, uint32 supplier, bool inDebt) internal {
        uint256 word = store.words[supplier / SUPPLIERS];
        store.words[supplier / SUPPLIERS] = inDebt ? word | _debtOf(supplier) : word & ~_debtOf(supplier);
    }

    function _left(uint256 word, uint32 supplier, uint64 cap) private pure returns (uint64) {
        if (cap == type(uint64).max) return cap;
        if (cap > LARGEST) cap = LARGEST;
        uint256 buckets = word >> _shiftOf(supplier);
        // Three numbers of 38 bits.
        unchecked {
            uint256 sold = (buckets & BUCKET_MAX) + ((buckets >> BUCKET_BITS) & BUCKET_MAX);
            sold = (sold + ((buckets >> (2 * BUCKET_BITS)) & BUCKET_MAX)) * UNIT;
            return sold < cap ? cap - uint64(sold) : 0;
        }
    }

    /// @dev The slot with its buckets moved along to a time, which never goes back.
    function _wordAt(Store storage store, uint32 supplier, uint256 time) private view returns (uint256 word) {
        word = store.words[supplier / SUPPLIERS];
        uint256 number = time / BUCKET_LENGTH;
        uint256 last = word >> NUMBER_SHIFT;
        if (number == last) return word;
        uint256 kept = word & DEBTS;
        if (number == last + 1) kept |= (word & NEWER) << BUCKET_BITS;
        else if (number == last + 2) kept |= (word & NEWEST) << (2 * BUCKET_BITS);
        return kept | (number << NUMBER_SHIFT);
    }

    function _shiftOf(uint32 supplier) private pure returns (uint256) {
        return SUPPLIER_BITS * (supplier % SUPPLIERS);
    }

    function _debtOf(uint32 supplier) private pure returns (uint256) {
        return 1 << (DEBT_SHIFT + (supplier % SUPPLIERS));
    }
}
