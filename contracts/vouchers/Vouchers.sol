// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {ICarbon} from "../carbon/ICarbon.sol";
import {ICertificates} from "../certificates/ICertificates.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {RedemptionCare} from "./RedemptionCare.sol";
import {VoucherRedeem} from "./VoucherRedeem.sol";
import {VoucherStore} from "./VoucherStore.sol";

/// @title Vouchers
/// @notice The voucher ledger, see IVouchers.
/// @dev
/// PARTS. VoucherStore: storage, permissions, proofs. VoucherIssue: issue and open. VoucherRedeem: rules and records.
/// VoucherCare: the states of a voucher. RedemptionCare: the states of a redemption.
///
/// ESCROW. The ledger's CARBON is at least `escrowed()`, the sum of all balances and of all redemptions that are
/// neither settled nor refunded. CARBON sent here by mistake stays here.
///
/// LIFECYCLE. A balance reaches the pool by a sweep alone: in whole days after the voucher's last day, and `SWEEP_GRACE`
/// days after it was issued or its certificate was suspended. Until then an expired voucher can be cancelled and reissued.
/// What is cancelled, reissued, swept and reversed by an operator is limited in a day, and is blocked while the pool is
/// paused. Time that a voucher loses, suspended, cancelled or in a redemption that fails, is given back.
///
/// TRUST. References are immutable. Participants, Certificates, Carbon, Claims and Pool are our own contracts; the only
/// foreign code that the ledger lets run is a household's contract wallet, statically and with bounded gas, called by `Consents`.
///
/// Warning: the timestamp of a block decides about dates and deadlines.
contract Vouchers is VoucherRedeem, RedemptionCare, Multicall {
    constructor(
        IParticipants participants,
        ICertificates certificates,
        ICarbon carbon,
        address claims,
        address pool,
        uint64 initialLifecycleCap,
        uint64 initialPinCap
    ) VoucherStore(participants, certificates, carbon, claims, pool, initialLifecycleCap, initialPinCap) {}
}
