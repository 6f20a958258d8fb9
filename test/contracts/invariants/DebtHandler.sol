// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {VoucherHandler} from "./VoucherHandler.sol";

/// @title DebtHandler
/// @notice Fuzzed burning of a revoked certificate's vouchers, and payments of its implementer's debts by anyone.
abstract contract DebtHandler is VoucherHandler {
    /// @dev Up to four vouchers of a certificate.
    function burnRevoked(uint256 seed, uint256 from) public tracked {
        vm.assume(_vouchers.length > 0);
        uint256 certificate = seed % _certificates.length;
        IVouchers.Opening[] memory openings = new IVouchers.Opening[](4);
        uint256 count = 0;
        for (uint256 i = 0; i < _vouchers.length && count < 4; ++i) {
            uint256 at = ((from % _vouchers.length) + i) % _vouchers.length;
            if (_vouchers[at].certificate != certificate) continue;
            IVouchers.Opening[] memory found = openingsOf(at);
            if (found.length == 1) openings[count] = found[0];
            openings[count++].voucher = _vouchers[at].id;
        }
        assembly ("memory-safe") {
            mstore(openings, count)
        }
        vm.prank(stranger);
        vouchers.burnRevoked(_certificates[certificate].index, openings);
        uint256 finalFrom = _finalFrom[_certificates[certificate].index];
        if (block.timestamp < finalFrom) violate("R5: vouchers were burned before the revocation was final");
        for (uint256 i = 0; i < count; ++i) requireOver(openings[i].voucher);
    }

    function repayDebt(uint256 amount, uint8 payer) public tracked {
        amount = approved(amount, certificates.debtOf(1), payer);
        vm.prank(implementers[1 + (payer % 3)]);
        certificates.repayDebt(1, amount);
        repaid += amount;
    }

    function replaceCarbon(uint256 amount, uint8 payer) public tracked {
        amount = approved(amount, certificates.replacementOf(1), payer);
        vm.prank(implementers[1 + (payer % 3)]);
        certificates.replaceCarbon(1, amount);
        replaced += amount;
    }

    /// @dev A payer's balance, up to a little more than is owed.
    function approved(uint256 amount, uint256 owed, uint8 payer) private returns (uint256) {
        address account = implementers[1 + (payer % 3)];
        uint256 held = carbon.balanceOf(account);
        vm.assume(owed > 0 && held > 0);
        // Sometimes more than is owed, which must be refused.
        uint256 most = payer % 16 == 15 ? owed + 1 : owed;
        amount = bound(amount, 1, held < most ? held : most);
        vm.prank(account);
        carbon.approve(address(certificates), amount);
        return amount;
    }

    function requireOver(uint64 voucher) private {
        IVouchers.Status status = vouchers.voucherOf(voucher).status;
        bool isAlive = status == IVouchers.Status.None || status == IVouchers.Status.Active;
        if (isAlive || status == IVouchers.Status.Suspended) violate("R4: a voucher outlived its burning");
    }
}
