// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ICarbon} from "../carbon/ICarbon.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {IPool} from "../pool/IPool.sol";
import {IVouchers} from "../vouchers/IVouchers.sol";
import {CertificateStore} from "./CertificateStore.sol";
import {ICertificates} from "./ICertificates.sol";

/// @title ImplementerDebts
/// @notice What implementers owe for their revoked certificates; see `ICertificates`.
abstract contract ImplementerDebts is CertificateStore {
    using SafeERC20 for ICarbon;

    /// @dev One slot, which every finalisation of a conversion reads. No member can overflow: 2^80 micro-CARBON are 10^15 t.
    /// @param outstanding CARBON of revoked certificates that still exists.
    /// @param repaid CARBON burned by `repayDebt`. More than `outstanding` when vouchers are burned after a payment.
    /// @param replacement What is owed to the pool.
    struct Account {
        uint88 outstanding;
        uint88 repaid;
        uint80 replacement;
    }

    mapping(uint32 implementer => Account) private _accounts;

    /// @param vouchers The voucher ledger, by its predicted address when it is deployed later.
    constructor(IParticipants participants, IVouchers vouchers) CertificateStore(participants, vouchers) {}

    /// @inheritdoc ICertificates
    function repayDebt(uint32 implementer, uint256 amount) external {
        uint256 debt = debtOf(implementer);
        require(amount != 0 && amount <= debt, AmountNotOwed(implementer, amount, debt));
        // Fits: the debt does.
        _accounts[implementer].repaid += uint88(amount);
        emit DebtRepaid(implementer, msg.sender, amount, debt - amount);
        ICarbon carbon = VOUCHERS.CARBON();
        carbon.safeTransferFrom(msg.sender, address(this), amount);
        carbon.burn(amount);
    }

    /// @inheritdoc ICertificates
    function replaceCarbon(uint32 implementer, uint256 amount) external {
        uint80 owed = _accounts[implementer].replacement;
        require(amount != 0 && amount <= owed, AmountNotOwed(implementer, amount, owed));
        // Fits: the amount is at most what is owed.
        _accounts[implementer].replacement = owed - uint80(amount);
        emit CarbonReplaced(implementer, msg.sender, amount, owed - amount);
        address pool = VOUCHERS.POOL();
        VOUCHERS.CARBON().safeTransferFrom(msg.sender, pool, amount);
        IPool(pool).takeIn();
    }

    /// @inheritdoc ICertificates
    function oweReplacement(uint32 certificate, uint64 amount) external onlyVouchers {
        uint32 implementer = _records[certificate].implementer;
        uint80 owed = _accounts[implementer].replacement + amount;
        _accounts[implementer].replacement = owed;
        emit ReplacementOwed(implementer, certificate, amount, owed);
    }

    /// @inheritdoc ICertificates
    function replacementOf(uint32 implementer) public view returns (uint256) {
        return _accounts[implementer].replacement;
    }

    /// @inheritdoc ICertificates
    function debtOf(uint32 implementer) public view returns (uint256) {
        Account storage account = _accounts[implementer];
        (uint256 outstanding, uint256 repaid) = (account.outstanding, account.repaid);
        return outstanding > repaid ? outstanding - repaid : 0;
    }

    /// @dev A certificate that has issued this amount is revoked.
    function _addOutstanding(uint32 certificate, uint32 implementer, uint64 amount) internal {
        _accounts[implementer].outstanding += amount;
        emit DebtChanged(implementer, certificate, debtOf(implementer));
    }

    /// @dev This amount of a revoked certificate's CARBON has been burned.
    function _removeOutstanding(uint32 certificate, uint32 implementer, uint64 amount) internal {
        _accounts[implementer].outstanding -= amount;
        emit DebtChanged(implementer, certificate, debtOf(implementer));
    }
}
