// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {SupplierDays} from "../../../contracts/pool/SupplierDays.sol";

/// @notice Three suppliers to a slot against a slot for each supplier and day.
contract SupplierDaysTest {
    using SupplierDays for SupplierDays.Store;

    SupplierDays.Store private _days;
    mapping(uint32 supplier => mapping(uint256 day => uint64 sold)) private _plain;

    error Failed(uint32 supplier, uint256 day, uint64 sold, uint64 expected);

    function testFuzzEachSupplierHasItsOwnDay(uint256[24] calldata sales) external {
        uint256 day = 20_000;
        for (uint256 i = 0; i < sales.length; ++i) {
            uint32 supplier = uint32(sales[i] % 8);
            if ((sales[i] >> 8) % 8 == 0) ++day;
            uint64 amount = uint64(sales[i] >> 64);
            // The pool's cap keeps a supplier's day within 64 bits.
            if (amount > type(uint64).max - _plain[supplier][day]) amount = type(uint64).max - _plain[supplier][day];
            _days.add(supplier, day, amount);
            _plain[supplier][day] += amount;
            for (uint32 other = 0; other < 8; ++other) _requireAgreement(other, day);
            _requireAgreement(supplier, day + 1);
        }
    }

    function _requireAgreement(uint32 supplier, uint256 day) private view {
        uint64 sold = _days.soldOn(supplier, day);
        uint64 expected = _plain[supplier][day];
        require(sold == expected, Failed(supplier, day, sold, expected));
    }
}
