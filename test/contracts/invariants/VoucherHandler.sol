// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {IParticipants} from "../../../contracts/participants/IParticipants.sol";
import {RedemptionRules} from "../../../contracts/shared/RedemptionRules.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {HandlerState} from "./HandlerState.sol";

/// @title VoucherHandler
/// @notice Fuzzed actions on certificates and vouchers. An action that reverts changes nothing here either.
abstract contract VoucherHandler is HandlerState {
    uint256 private constant MAX_CERTIFICATES = 6;

    function register(uint256 seed, uint64 amount, bool allocated, bool planned) public tracked("register") {
        vm.assume(_certificates.length < MAX_CERTIFICATES);
        uint256 number = _certificates.length + 1;
        uint32 count = allocated ? uint32(bound(seed, 1, HOUSEHOLDS)) : 0;
        uint64 each = uint64(bound(amount, UNIT, 400 * UNIT));
        bytes memory leaves;
        uint64 sum = count == 0 ? each : 0;
        for (uint32 i = 1; i <= count; ++i) {
            leaves = abi.encodePacked(leaves, i, each + i);
            sum += each + i;
        }
        ICertificates.Registration memory entry = registration(number, planned ? 1 : 0, sum, count);
        vm.prank(registrar);
        uint32 index =
            count == 0 ? certificates.registerCertificate(entry) : certificates.registerAllocated(entry, leaves);
        _certificates.push(CertificateItem(index, leaves, sum, count == 0));
    }

    function setCertificateStatus(uint256 seed, uint8 status) external tracked("certificate status") {
        CertificateItem storage item = pickCertificate(seed);
        vm.prank(registrar);
        // What ends or stops much is rare, here and below, so that the fuzzer gets further.
        ICertificates.Status to = status % 8 == 0 ? ICertificates.Status.Suspended : ICertificates.Status.Valid;
        if (status < 2) to = ICertificates.Status.Revoked;
        certificates.setCertificateStatus(item.index, to, "");
    }

    function issueChunk(uint256 seed, uint8 start, uint8 length) public tracked("issue chunk") {
        CertificateItem storage item = pickCertificate(seed);
        (uint24 startDay, uint24 expiryDay) = dates(start, length);
        vm.prank(operator);
        uint32 count = vouchers.issueChunks(item.index, 0, 1, startDay, expiryDay, "B");
        rememberBatch(certificateAt(seed), count);
    }

    function issueOne(
        uint256 seed,
        uint256 position,
        uint8 start,
        uint8 length,
        bool wrong
    ) external tracked("issue one") {
        CertificateItem storage item = pickCertificate(seed);
        IVouchers.IssueOrder memory order;
        (order.startDay, order.expiryDay) = dates(start, length);
        (order.certificate, order.household, order.value) = (item.index, 1, item.verified);
        if (!item.whole) {
            order.leaf = uint32(position % (item.leaves.length / 12));
            (order.household, order.value) = leafAt(item.leaves, order.leaf);
            order.proof = proofOf(item.leaves, order.leaf);
        }
        if (wrong) ++order.value;
        vm.prank(operator);
        uint64 id = vouchers.issue(order);
        remember(VoucherItem(id, certificateAt(seed), order.household, order.value, 0, false));
    }

    function redeem(
        uint256 seed,
        uint256 amount,
        uint8 supplier,
        uint8 product,
        uint8 caller
    ) external tracked("redeem") {
        (uint256 at, IVouchers.RedemptionOrder memory order) = pickOrder(seed, amount, supplier, product);
        IVouchers.RedemptionOrder[] memory orders = new IVouchers.RedemptionOrder[](2);
        // The first order can never stand and must never spoil the second.
        orders[0] = IVouchers.RedemptionOrder(type(uint64).max, 1, 1, 1);
        orders[1] = order;
        Sight memory sight = see(at, order);
        address sender = caller < 192 ? operator : [suppliers[1], suppliers[2], stranger][caller % 3];
        vm.prank(sender);
        vouchers.redeemMany(openingsOf(at), orders, new IVouchers.Authorization[](0));
        bool permitted = sender == operator || sender == suppliers[order.supplier % 3];
        observe(at, order, sight, permitted && !authorizationRequired);
    }

    /// @dev Orders that nothing but the voucher's own state can stop, one for each of three vouchers.
    function redeemPlainly(uint256 seed, uint256 amount) external tracked("redeem plainly") {
        for (uint256 i = 0; i < 3; ++i) {
            (uint256 at, IVouchers.RedemptionOrder memory order) = pickOrder(seed / (i + 1), amount, 1, 1);
            order.supplier = 1 + uint32((seed + i) % 2);
            order.amount = uint64(bound(amount, 1, 1 + _vouchers[at].value / 8));
            Sight memory sight = see(at, order);
            IVouchers.RedemptionOrder[] memory orders = new IVouchers.RedemptionOrder[](1);
            orders[0] = order;
            vm.prank(operator);
            vouchers.redeemMany(openingsOf(at), orders, new IVouchers.Authorization[](0));
            observe(at, order, sight, !authorizationRequired);
        }
    }

    function redeemByHousehold(
        uint256 seed,
        uint256 amount,
        uint8 supplier,
        uint8 product,
        uint256 nonce,
        bool forged
    ) external tracked("redeem by household") {
        (uint256 at, IVouchers.RedemptionOrder memory order) = pickOrder(seed, amount, supplier, product);
        Sight memory sight = see(at, order);
        IVouchers.RedemptionOrder[] memory orders = new IVouchers.RedemptionOrder[](1);
        orders[0] = order;
        IVouchers.Authorization[] memory consents = new IVouchers.Authorization[](1);
        nonce %= 12;
        consents[0] = consentTo(order, nonce, HOUSEHOLD_KEY + (forged ? 99 : _vouchers[at].household - 1));
        vm.prank(stranger);
        vouchers.redeemMany(openingsOf(at), orders, consents);
        uint96 redemption = observe(at, order, sight, !forged);
        if (redemption == 0) return;
        uint32 household = _vouchers[at].household;
        if (settledNonce[household][nonce] != 0) violate("V10: a nonce settled twice");
        settledNonce[household][nonce] = redemption;
    }

    function suspend(uint256 seed) external tracked("suspend") {
        vm.assume(seed % 4 == 0);
        uint64 id = pickOpen(seed);
        vm.prank(evaluator);
        vouchers.suspend(id, "");
    }

    function reactivate(uint256 seed) external tracked("reactivate") {
        uint64 id = pickOpen(seed);
        vm.prank(registrar);
        vouchers.reactivate(id, "");
    }

    function cancel(uint256 seed) external tracked("cancel") {
        vm.assume(seed % 3 == 0);
        uint64 id = pickOpen(seed);
        vm.prank(implementer);
        vouchers.cancel(id, "");
    }

    function reissue(uint256 seed, uint8 start, uint8 length) external tracked("reissue") {
        uint64 id = pickOpen(seed);
        VoucherItem memory item = _vouchers[seed % _vouchers.length];
        uint64 rest = vouchers.voucherOf(id).remaining;
        (uint24 startDay, uint24 expiryDay) = dates(start, length);
        vm.prank(operator);
        uint64 replacement = vouchers.reissue(id, startDay, expiryDay, "R");
        --vouchersOf[item.certificate][item.household];
        remember(VoucherItem(replacement, item.certificate, item.household, rest, 0, false));
    }

    function sweep(uint256 seed) external tracked("sweep") {
        uint64 id = pickOpen(seed);
        uint256 held = carbon.balanceOf(address(pool));
        vouchers.sweep(id);
        swept += carbon.balanceOf(address(pool)) - held;
    }

    function reverse(uint256 seed, bool bySupplier) external tracked("reverse") {
        vm.assume(seed % 4 == 0);
        uint96 id = pickRedemption(seed);
        uint256 held = carbon.balanceOf(address(pool));
        vm.prank(bySupplier ? suppliers[vouchers.redemptionOf(id).supplier] : operator);
        vouchers.reverse(id, "");
        swept += carbon.balanceOf(address(pool)) - held;
    }

    function lapse(uint256 seed) external tracked("lapse") {
        (, uint96 id) = pickIn(
            seed,
            seed % 4 == 0 ? IVouchers.RedemptionStatus.Rejected : IVouchers.RedemptionStatus.Open
        );
        uint256 held = carbon.balanceOf(address(pool));
        vouchers.lapse(id);
        swept += carbon.balanceOf(address(pool)) - held;
    }

    function flag(uint256 seed) external tracked("flag") {
        uint96 id = pickRedemption(seed);
        vm.prank(evaluator);
        vouchers.flagRedemption(id, "");
    }

    function setSupplier(uint8 seed) external tracked("supplier status") {
        uint32 supplier = 1 + (seed % 2);
        vm.prank(registrar);
        participants.setSupplierStatus(supplier, seed % 16 != 0, "");
        vm.prank(evaluator);
        participants.setSupplierFlag(supplier, seed % 8 == 0, "");
    }

    function setProduct(uint8 seed) external tracked("product status") {
        vm.prank(registrar);
        participants.setProductStatus(
            1 + (seed % 2),
            seed % 8 == 0 ? IParticipants.ProductStatus.Withdrawn : IParticipants.ProductStatus.Approved
        );
    }

    function requireAuthorization(uint8 seed) external tracked("require authorisation") {
        vm.assume(seed % 16 == 0);
        vm.prank(registrar);
        vouchers.setHouseholdAuthorizationRequired(true);
        authorizationRequired = true;
    }

    function pass(uint256 time, uint8 kind) external tracked("pass") {
        uint256 most =
            kind < 220
                ? 3 hours
                : kind < 250
                    ? 1 days
                    : 20 days;
        clock += bound(time, 1, most);
        vm.warp(clock);
    }

    // What the actions share.

    function rememberBatch(uint256 certificate, uint32 count) private {
        uint64 first = uint64(vouchers.batchCount()) << 32;
        for (uint32 i = 0; i < count; ++i) {
            (uint32 household, uint64 value) = leafAt(_certificates[certificate].leaves, i);
            remember(VoucherItem(first | i, certificate, household, value, i, true));
        }
    }

    function remember(VoucherItem memory item) private {
        _vouchers.push(item);
        if (++vouchersOf[item.certificate][item.household] > 1)
            violate("V6: two vouchers of one certificate and household");
    }

    /// @dev After an attempt: remembers a redemption that was made, and checks that it was allowed.
    function observe(
        uint256 at,
        IVouchers.RedemptionOrder memory order,
        Sight memory sight,
        bool permitted
    ) private returns (uint96 redemption) {
        uint24 count = vouchers.voucherOf(order.voucher).redemptions;
        if (count == sight.voucher.redemptions) return 0;
        redemption = (uint96(order.voucher) << 32) | count;
        IVouchers.Redemption memory record = vouchers.redemptionOf(redemption);
        _redemptions.push(RedemptionItem(redemption, at, record.amount, record.deadline, 1, 0));
        uint256 today = block.timestamp / 1 days;
        bool inDate = today >= sight.voucher.startDay && today <= sight.voucher.expiryDay;
        bool active = sight.voucher.status == IVouchers.Status.Active && sight.spendable;
        bool covered = order.amount > 0 && order.amount <= sight.voucher.remaining;
        if (!permitted) violate("V11: a redemption that nobody entitled asked for");
        if (!inDate || !active || !covered) violate("V11: a redemption of a voucher that could not be spent");
        if (sight.partyRules != 0) violate("V11: a redemption with parties that are not approved");
        if (record.deadline != block.timestamp + uint256(sight.voucher.claimWindowHours) * 1 hours) {
            violate("V8: a deadline that is not the plan's");
        }
    }

    /// @dev The voucher as it is, or as its leaf says while it is not open.
    function see(uint256 at, IVouchers.RedemptionOrder memory order) private view returns (Sight memory sight) {
        VoucherItem memory item = _vouchers[at];
        sight.voucher = vouchers.voucherOf(item.id);
        if (sight.voucher.status == IVouchers.Status.None) {
            IVouchers.Batch memory batch = vouchers.batchOf(uint32(item.id >> 32));
            sight.voucher.remaining = item.value;
            (sight.voucher.startDay, sight.voucher.expiryDay) = (batch.startDay, batch.expiryDay);
            (sight.voucher.plan, sight.voucher.claimWindowHours) = (batch.plan, batch.claimWindowHours);
            sight.voucher.status = IVouchers.Status.Active;
        }
        sight.spendable = certificates.isSpendable(_certificates[item.certificate].index);
        uint256 verdict = participants.redemptionParties(order.supplier, order.product, sight.voucher.plan, operator);
        uint64 most = uint64(verdict >> RedemptionRules.LIMIT_SHIFT);
        // Who may ask, and with what consent, is judged by `permitted`.
        uint16 rules = uint16(verdict) & ~(RedemptionRules.CALLER_AUTHORISED | RedemptionRules.HOUSEHOLD_AUTHORISED);
        sight.partyRules = most != 0 && order.amount > most ? rules | 1 : rules;
    }

    function pickOrder(
        uint256 seed,
        uint256 amount,
        uint8 supplier,
        uint8 product
    ) private view returns (uint256 at, IVouchers.RedemptionOrder memory order) {
        vm.assume(_vouchers.length > 0);
        at = seed % _vouchers.length;
        order.voucher = _vouchers[at].id;
        order.supplier = supplier % 16 == 0 ? 9 : 1 + (supplier % 2);
        order.product = product % 16 == 0 ? 9 : 1 + (product % 2);
        uint64 value = _vouchers[at].value;
        // Mostly parts that fit, sometimes nothing or too much.
        order.amount = uint64(amount % 8 == 0 ? bound(amount, 0, value + value / 8) : bound(amount, 1, value / 4));
    }

    function openingsOf(uint256 at) private view returns (IVouchers.Opening[] memory openings) {
        VoucherItem memory item = _vouchers[at];
        if (!item.inBatch) return openings;
        openings = new IVouchers.Opening[](1);
        bytes32[] memory proof = proofOf(_certificates[item.certificate].leaves, item.position);
        openings[0] = IVouchers.Opening(item.id, item.household, item.value, proof);
    }

    function consentTo(
        IVouchers.RedemptionOrder memory order,
        uint256 nonce,
        uint256 key
    ) private view returns (IVouchers.Authorization memory consent) {
        uint64 deadline = uint64(block.timestamp + 1);
        bytes32 typeHash = keccak256(
            "RedemptionAuthorization(uint64 voucher,uint32 supplier,uint32 product,uint64 amount,uint256 nonce,uint64 deadline)"
        );
        bytes32 content = keccak256(
            abi.encode(typeHash, order.voucher, order.supplier, order.product, order.amount, nonce, deadline)
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked("\x19\x01", domain(), content)));
        return IVouchers.Authorization(0, deadline, nonce, abi.encodePacked(r, s, v));
    }

    function domain() private view returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                    keccak256("Hearth Vouchers"),
                    keccak256("1"),
                    block.chainid,
                    address(vouchers)
                )
            );
    }

    /// @dev A voucher's id, opened if it was not.
    function pickOpen(uint256 seed) private returns (uint64 id) {
        vm.assume(_vouchers.length > 0);
        uint256 at = seed % _vouchers.length;
        id = _vouchers[at].id;
        if (vouchers.voucherOf(id).status == IVouchers.Status.None) vouchers.open(openingsOf(at)[0]);
    }

    function pickRedemption(uint256 seed) internal view returns (uint96) {
        vm.assume(_redemptions.length > 0);
        return _redemptions[seed % _redemptions.length].id;
    }

    function certificateAt(uint256 seed) private view returns (uint256) {
        return seed % _certificates.length;
    }

    function pickCertificate(uint256 seed) private view returns (CertificateItem storage) {
        vm.assume(_certificates.length > 0);
        return _certificates[certificateAt(seed)];
    }

    function dates(uint8 start, uint8 length) private view returns (uint24 startDay, uint24 expiryDay) {
        startDay = uint24(block.timestamp / 1 days) + (start % 8 == 0 ? 1 : 0);
        expiryDay = startDay + length / 2;
    }

    function leafAt(bytes memory leaves, uint256 i) private pure returns (uint32 household, uint64 value) {
        uint256 word;
        assembly ("memory-safe") {
            word := shr(160, mload(add(add(leaves, 0x20), mul(i, 12))))
        }
        return (uint32(word >> 64), uint64(word));
    }
}
