// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {SupplierDays} from "../../../contracts/pool/SupplierDays.sol";

/// @notice Two suppliers to a slot against every sale one by one.
contract SupplierDaysTest {
    using SupplierDays for SupplierDays.Store;

    struct Sale {
        uint32 supplier;
        uint256 time;
        uint64 amount;
    }

    uint64 private constant NONE = type(uint64).max;

    SupplierDays.Store private _days;
    Sale[] private _sales;

    error Failed(uint32 supplier, uint256 time, uint64 sold, uint256 expected);

    function testFuzzEachSupplierHasItsOwnBuckets(uint256[16] calldata sales) external {
        uint256 time = 1_750_000_000;
        for (uint256 i = 0; i < sales.length; ++i) {
            uint32 supplier = uint32(sales[i] % 5);
            if ((sales[i] >> 8) % 4 == 0) time += (sales[i] >> 16) % 60_000;
            uint64 amount = uint64(sales[i] >> 64) % 10_000_000_000_000;
            require(_days.add(supplier, time, amount, NONE) == NONE, "no bound");
            _sales.push(Sale(supplier, time, amount));
            for (uint32 other = 0; other < 5; ++other) _requireAgreement(other, time);
            _requireAgreement(supplier, time + 12 hours);
            _requireAgreement(supplier, time + 3 days);
        }
    }

    /// @dev If every sale is within what is left, no 24 hours exceed the cap, from any start.
    function testFuzzNoDayExceedsItsCap(uint256[16] calldata sales, uint64 cap) external {
        uint256 time = 1_750_000_000;
        for (uint256 i = 0; i < sales.length; ++i) {
            time += sales[i] % 50_000;
            uint64 left = _days.left(7, time, cap);
            uint64 amount = uint64(sales[i] >> 64);
            if (cap == NONE) amount = 0;
            require(_days.add(7, time, amount, cap) == left, "what is left");
            if (amount > left) amount = 0;
            _sales.push(Sale(7, time, amount));
            uint256 sum = 0;
            for (uint256 j = 0; j <= i; ++j) if (_sales[j].time + 1 days > time) sum += _sales[j].amount;
            if (sum > cap) revert Failed(7, time, cap, sum);
        }
    }

    /// @dev A sale that does not fit 39 bits fills its bucket and changes no other bucket.
    function testUnboundedSalesFillTheirBucket() external {
        uint256 time = 1_750_000_000;
        _days.add(0, time, 5, NONE);
        _days.add(1, time, NONE, NONE);
        _days.add(1, time, NONE, NONE);
        require(_days.left(0, time, 5_000) == 4_000, "the neighbour's sale, rounded up");
        require(_days.left(1, time, NONE) == NONE, "no bound");
        require(_days.left(1, time, NONE - 1) == 0, "the largest bound is reached");
        require(_days.left(1, time + 2 days, NONE - 1) == SupplierDays.LARGEST, "the largest bound");
    }

    /// @dev A supplier's debt affects no other supplier, and neither time nor sales change it.
    function testFuzzDebtStaysUntilItIsSet(uint32 supplier, uint64 amount, uint32 gap) external {
        uint32 neighbour = supplier ^ 1;
        uint256 time = 1_750_000_000;
        _days.setDebtor(supplier, true);
        _days.add(supplier, time, amount, NONE);
        _days.add(neighbour, time + gap, amount, NONE);
        require(_days.isDebtor(supplier) && !_days.isDebtor(neighbour), "the debtor");
        uint64 left = _days.left(neighbour, time + gap, 1e12);
        _days.setDebtor(supplier, false);
        require(!_days.isDebtor(supplier), "the debt is paid");
        require(_days.left(neighbour, time + gap, 1e12) == left, "the neighbour's sales");
    }

    function _requireAgreement(uint32 supplier, uint256 time) private view {
        uint64 cap = SupplierDays.LARGEST;
        uint64 sold = cap - _days.left(supplier, time, cap);
        uint256 expected = 0;
        for (uint256 i = 0; i < _sales.length; ++i) {
            Sale memory sale = _sales[i];
            bool isCovered = sale.time / 12 hours + 2 >= time / 12 hours;
            if (sale.supplier == supplier && isCovered) expected += uint256((sale.amount + 999) / 1_000) * 1_000;
        }
        if (sold != expected) revert Failed(supplier, time, sold, expected);
    }
}
