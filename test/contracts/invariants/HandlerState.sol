// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ICertificates} from "../../../contracts/certificates/ICertificates.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {IPool} from "../../../contracts/pool/IPool.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {SchemeBase} from "./SchemeBase.sol";

/// @title HandlerState
/// @notice The handler's own records, which are compared with the contracts, and the checks around each action.
/// @dev A broken property is kept in `violation`; the invariants demand that there is none.
abstract contract HandlerState is SchemeBase {
    struct CertificateItem {
        uint32 index;
        bytes leaves;
        uint64 verified;
        bool whole;
    }

    struct VoucherItem {
        uint64 id;
        uint256 certificate;
        uint32 household;
        uint64 value;
        uint256 position;
        bool inBatch;
    }

    /// @dev What counts against a cap that refills within a day.
    struct CappedFlow {
        bytes32 key;
        uint256 time;
        uint256 amount;
    }

    struct RedemptionItem {
        uint96 id;
        uint256 voucher;
        uint64 amount;
        uint40 deadline;
        uint8 status;
        bytes32 credential;
    }

    /// @dev CARBON that came into the pool; less than 0 when it was bought from it.
    struct Sale {
        uint256 time;
        uint32 supplier;
        int256 amount;
    }

    /// @dev What a payer paid out, or the registrar (as itself) moved.
    struct Counted {
        uint256 time;
        address by;
        uint256 amount;
    }

    /// @dev Terms of the invalidation buffer, from a conversion on. Share in ten-thousandths.
    struct BufferTerms {
        uint32 firstConversion;
        uint16 share;
    }

    /// @dev State that is read before an action.
    struct Before {
        bool paused;
        uint256 carbonHeld;
        uint256 stableHeld;
        uint256 carbonReserve;
        uint256 stableReserve;
        uint256 replacement;
        uint64 bid;
        uint64 ask;
        uint16 fee;
        IPool.Caps caps;
    }

    /// @dev State of a voucher before a redemption, for the rules.
    struct Sight {
        IVouchers.Voucher voucher;
        bool spendable;
        uint16 partyRules;
    }

    /// @dev A serial that was used, cancelled or transferred, and its expected state.
    struct Witness {
        uint32 conversion;
        uint64 serial;
        IItmo.BlockStatus status;
        IItmo.ActionSubtype mark;
        bytes3 party;
    }

    /// @dev When a household's account was proposed, and whether the household or an evaluator agreed.
    struct AccountProposal {
        uint256 time;
        bool consented;
    }

    /// @dev A time in which the cap of ITMOs was zero. `end` 0: it still is.
    struct Stoppage {
        uint256 from;
        uint256 end;
    }

    string public violation;
    /// @notice Chain time. The runner forgets a warp after each call, so that each action begins with one.
    uint256 public clock = 1_750_000_000;

    CertificateItem[] internal _certificates;
    VoucherItem[] internal _vouchers;
    RedemptionItem[] internal _redemptions;
    Sale[] internal _sales;
    mapping(uint256 certificate => mapping(uint32 household => uint256 count)) public vouchersOf;
    mapping(uint32 household => mapping(uint256 nonce => uint96 redemption)) public settledNonce;
    /// @dev How often a household's account was changed: each account has a different key.
    mapping(uint32 household => uint256 count) internal _accountChanges;
    mapping(uint32 household => AccountProposal proposal) internal _accountProposals;
    mapping(bytes32 credential => uint96 redemption) public settledCredential;
    Counted[] private _counted;
    /// @notice Actions that went through.
    uint256 public actions;

    uint256 public swept;
    /// @dev When the last revocation of a certificate becomes final.
    mapping(uint32 certificate => uint256 time) internal _finalFrom;
    mapping(uint64 voucher => uint256 day) public issuedDay;
    /// @notice A voucher's last day when it was issued.
    mapping(uint64 voucher => uint256 day) public firstExpiry;
    CappedFlow[] private _flows;
    /// @notice What was sent to the conversions' escrow without a request.
    uint256 public donatedToItmo;
    /// @notice What was burned by `repayDebt`, and what went to the pool by `replaceCarbon`.
    uint256 public repaid;
    uint256 public replaced;
    uint256 public stakes;
    uint256 public debtMade;
    uint256 public debtSetOff;
    mapping(uint32 supplier => uint256 debt) public debtOf;
    bool internal _isWithdrawal;
    /// @dev What the pool keeps of the action's sale against the supplier's debt.
    uint256 internal _kept;
    /// @dev What the action's claim brought against the supplier's debt.
    uint256 internal _setOff;
    uint32 internal _seller;

    // Expected parameters: only allowed actions change them.
    uint64 public price = 20_000;
    /// @dev The price before the block of the last change.
    uint64 private _previousPrice = 20_000;
    uint256 private _priceChangedAt;
    /// @dev In the block of `_quotedAt`: the highest price that the pool paid and the lowest that it
    /// charged for one CARBON.
    uint256 private _quotedAt;
    uint64 private _highestBid;
    uint64 private _lowestAsk;
    uint16 public fee;
    uint64 public operatorCap = 150 * TONNE;
    uint64 public disputeStake = 10 * TONNE;
    uint64 public itmoCap = ITMO_CAP;
    Stoppage[] internal _itmoStoppages;
    bool public paused;
    bool public authorizationRequired;
    IPool.Caps internal _caps = IPool.Caps(20 * TONNE, 25 * TONNE, 60 * TONNE, 600 * TONNE, 40 * TONNE);

    modifier tracked() {
        vm.warp(clock);
        Before memory before = look();
        _isWithdrawal = false;
        _kept = 0;
        _setOff = 0;
        _;
        compare(before);
        ++actions;
    }

    function violate(string memory what) internal {
        if (bytes(violation).length == 0) violation = what;
    }

    function expectItmoCap(uint64 cap) internal {
        if (itmoCap == 0 && cap != 0) _itmoStoppages[_itmoStoppages.length - 1].end = block.timestamp;
        if (itmoCap != 0 && cap == 0) _itmoStoppages.push(Stoppage(block.timestamp, 0));
        itmoCap = cap;
    }

    function look() internal view returns (Before memory) {
        uint64 priceBefore = block.timestamp > _priceChangedAt ? price : _previousPrice;
        return
            Before({
                paused: pool.paused(),
                carbonHeld: carbon.balanceOf(address(pool)),
                stableHeld: stablecoin.balanceOf(address(pool)),
                carbonReserve: pool.carbonReserve(),
                stableReserve: pool.stablecoinReserve(),
                replacement: certificates.replacementOf(1),
                bid: priceBefore < price ? priceBefore : price,
                ask: priceBefore > price ? priceBefore : price,
                fee: pool.fee(),
                caps: pool.caps()
            });
    }

    function compare(Before memory before) private {
        uint256 stableHeld = stablecoin.balanceOf(address(pool));
        uint256 carbonHeld = carbon.balanceOf(address(pool));
        bool flowedOut = stableHeld < before.stableHeld || carbonHeld < before.carbonHeld;
        checkSpread();
        if (stablecoin.reentered()) violate("P6: the pool was entered again in the middle of a payment");
        if (before.paused && flowedOut && !_isWithdrawal) violate("P2: outflow while paused");
        if (!_isWithdrawal && stableHeld < before.stableHeld) {
            uint256 sold = pool.carbonReserve() + unreceived(before) - before.carbonReserve - _kept;
            uint256 out = before.stableHeld - stableHeld;
            uint256 bid = uint256(before.bid) * (10_000 - before.fee);
            if (out != (sold * bid) / (UNIT * 10_000)) violate("P4: a sale did not pay the price, rounded down");
            _sales.push(Sale(block.timestamp, _seller, int256(sold)));
            checkCaps(before.caps, int256(sold));
        } else if (!_isWithdrawal && carbonHeld < before.carbonHeld) {
            uint256 paid = pool.stablecoinReserve() - before.stableReserve;
            uint256 out = before.carbonHeld - carbonHeld;
            uint256 ask = uint256(before.ask) * (10_000 + before.fee);
            if (out != (paid * UNIT * 10_000) / ask) violate("P4: a purchase did not cost the price, rounded up");
            if (out != before.carbonReserve - pool.carbonReserve()) violate("P1: a purchase is not counted");
            _sales.push(Sale(block.timestamp, 0, -int256(out)));
            checkCaps(before.caps, -int256(out));
        }
        checkRedemptions();
    }

    /// @dev CARBON that the pool paid for and did not receive, because its certificate is revoked.
    function unreceived(Before memory before) private view returns (uint256) {
        uint256 replacement = certificates.replacementOf(1);
        return replacement > before.replacement ? replacement - before.replacement - _setOff : 0;
    }

    /// @dev P7: whatever is executed between two swaps of one block, buying and selling makes no gain.
    function checkSpread() private {
        (uint64 bid, uint64 ask) = (pool.quoteSell(uint64(UNIT)), pool.quoteBuyFor(uint64(UNIT)));
        if (_quotedAt != block.timestamp) (_quotedAt, _highestBid, _lowestAsk) = (block.timestamp, bid, ask);
        if (bid > _highestBid) _highestBid = bid;
        if (ask < _lowestAsk) _lowestAsk = ask;
        if (_highestBid > _lowestAsk) violate("P7: a change of price in one block leaves a gain");
    }

    function expectPrice(uint64 newPrice) internal {
        if (block.timestamp > _priceChangedAt) _previousPrice = price;
        (price, _priceChangedAt) = (newPrice, block.timestamp);
    }

    /// @dev P3, from the swaps themselves, in the direction of the last one.
    function checkCaps(IPool.Caps memory caps, int256 flow) private {
        int256 side = flow > 0 ? int256(1) : int256(-1);
        int256 ever = 0;
        int256 bySupplier = 0;
        int256[3] memory since;
        int256[3] memory daySince;
        for (uint256 i = 0; i < _sales.length; ++i) {
            Sale memory sale = _sales[i];
            int256 amount = sale.amount * side;
            ever += amount;
            if (sale.time + 1 days > block.timestamp && sale.supplier == _seller) bySupplier += amount;
            for (uint256 back = 0; back < 3; ++back) {
                if (sale.time / 30 minutes + back >= block.timestamp / 30 minutes) since[back] += amount;
                if (sale.time / 12 hours + back >= block.timestamp / 12 hours) daySince[back] += amount;
            }
        }
        if (flow * side > wide(caps.perTransaction)) violate("P3: a swap above the transaction's cap");
        for (uint256 back = 0; back < 3; ++back) {
            if (since[back] > wide(caps.perWindow)) violate("P3: flow of a window above its cap");
            if (daySince[back] > wide(caps.perDay)) violate("P3: flow of 24 hours above its cap");
        }
        if (ever > wide(caps.lifetime)) violate("P3: flow of a lifetime above its cap");
        if (side > 0 && bySupplier > wide(caps.perSupplierDay)) violate("P3: a supplier's 24 hours above its cap");
    }

    /// @dev Count what an account paid out or moved; return the sum of the last 24 hours.
    function countOf(address by, uint256 amount) internal returns (uint256 sum) {
        _counted.push(Counted(block.timestamp, by, amount));
        for (uint256 i = 0; i < _counted.length; ++i)
            if (_counted[i].by == by && _counted[i].time + 1 days > block.timestamp) sum += _counted[i].amount;
    }

    function wide(uint64 cap) private pure returns (int256) {
        return int256(uint256(cap));
    }

    /// @dev Before a sale: the part that is set off against the supplier's debt.
    function foreseeKept(uint256 amount) internal returns (uint256) {
        _kept = debtOf[_seller] < amount ? debtOf[_seller] : amount;
        return amount - _kept;
    }

    /// @dev After the sale.
    function countKept() internal {
        debtOf[_seller] -= _kept;
        debtSetOff += _kept;
    }

    /// @dev V13: a bucket that refills within a day lets out at most twice its size in a day.
    function flow(address account, uint256 amount) internal {
        if (paused) violate("V13: cancelled, reissued, swept or reversed while paused");
        uint256 sum = flowSince(bytes32(uint256(uint160(account))), amount);
        if (sum > 2 * uint256(LIFECYCLE_CAP))
            violate("V13: more was cancelled, reissued, swept or reversed than the cap");
    }

    /// @dev Add an amount, and return the flow under the key in the last 24 hours.
    function flowSince(bytes32 key, uint256 amount) internal returns (uint256 sum) {
        _flows.push(CappedFlow(key, block.timestamp, amount));
        for (uint256 i = 0; i < _flows.length; ++i) {
            if (_flows[i].time + 1 days > block.timestamp && _flows[i].key == key) sum += _flows[i].amount;
        }
    }

    /// @dev Check V7, V8 and V9 with the record of each redemption.
    function checkRedemptions() private {
        for (uint256 i = 0; i < _redemptions.length; ++i) {
            RedemptionItem storage item = _redemptions[i];
            IVouchers.Redemption memory record = vouchers.redemptionOf(item.id);
            if (record.deadline < item.deadline) violate("V8: a deadline moved earlier");
            if (record.amount != item.amount) violate("V8: an amount changed");
            uint8 status = uint8(record.status);
            if (status != item.status && !mayFollow(item.status, status))
                violate("V9: a transition that is not allowed");
            item.status = status;
        }
    }

    function mayFollow(uint8 from, uint8 to) private pure returns (bool) {
        // Open 1, Reversed 2, Lapsed 3, UnderReview 4, Settled 5, Rejected 6, Disputed 7, Invalidated 8.
        if (from == 1) return to == 2 || to == 3 || to == 4 || to == 5;
        if (from == 4) return to == 3 || to == 5 || to == 6;
        if (from == 5) return to == 7;
        if (from == 6) return to == 3;
        return from == 7 && (to == 5 || to == 8);
    }

    /// @dev The first redemption in a status, starting at the seed's.
    function pickIn(uint256 seed, IVouchers.RedemptionStatus status) internal returns (uint256 at, uint96 id) {
        uint256 count = _redemptions.length;
        for (uint256 i = 0; i < count; ++i) {
            at = ((seed % count) + i) % count;
            id = _redemptions[at].id;
            if (vouchers.redemptionOf(id).status != status) continue;
            _seller = vouchers.redemptionOf(id).supplier;
            return (at, id);
        }
        vm.assume(false);
    }

    /// @dev Whole tonnes that an account has, a few at most.
    function amountOf(address account, uint256 tonnes) internal view returns (uint64) {
        uint256 most = carbon.balanceOf(account) / TONNE;
        vm.assume(most > 0);
        return uint64(bound(tonnes, 1, most < 40 ? most : 40)) * TONNE;
    }

    // Signatures.

    function householdKey(uint32 household, uint256 change) internal pure returns (uint256) {
        return HOUSEHOLD_KEY + household - 1 + 20 * change;
    }

    function signed(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    /// @dev The hash of EIP-712 content for one of the contracts, on this chain.
    function typedHash(string memory name, address verifier, bytes32 content) internal view returns (bytes32) {
        return typedHashOn(block.chainid, name, verifier, content);
    }

    function typedHashOn(
        uint256 chainId,
        string memory name,
        address verifier,
        bytes32 content
    ) internal pure returns (bytes32) {
        bytes32 domainType = keccak256(
            "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
        );
        bytes32 domain = keccak256(abi.encode(domainType, keccak256(bytes(name)), keccak256("1"), chainId, verifier));
        return keccak256(abi.encodePacked("\x19\x01", domain, content));
    }

    // Views for the invariants.

    function certificateCount() external view returns (uint256) {
        return _certificates.length;
    }

    function voucherCount() external view returns (uint256) {
        return _vouchers.length;
    }

    function redemptionCount() external view returns (uint256) {
        return _redemptions.length;
    }

    function certificateItem(uint256 i) external view returns (CertificateItem memory) {
        return _certificates[i];
    }

    function voucherItem(uint256 i) external view returns (VoucherItem memory) {
        return _vouchers[i];
    }

    function redemptionItem(uint256 i) external view returns (RedemptionItem memory) {
        return _redemptions[i];
    }

    function caps() external view returns (IPool.Caps memory) {
        return _caps;
    }

    /// @dev Every account that can hold CARBON.
    function holders() external view returns (address[] memory list) {
        list = new address[](11);
        (list[0], list[1], list[2], list[3]) = (address(vouchers), address(claims), address(pool), address(itmo));
        (list[4], list[5], list[6]) = (suppliers[1], suppliers[2], suppliers[3]);
        (list[7], list[8], list[9], list[10]) = (implementers[1], implementers[2], stranger, treasury);
    }

    BufferTerms[] private _bufferTerms;

    function expectBufferTerms(uint16 share) internal {
        _bufferTerms.push(BufferTerms(itmo.conversionCount() + 1, share));
    }

    /// @dev Ten-thousandths of a conversion that the buffer holds.
    function bufferShareOf(uint32 conversion) internal view returns (uint16 share) {
        for (uint256 i = 0; i < _bufferTerms.length; ++i)
            if (_bufferTerms[i].firstConversion <= conversion) share = _bufferTerms[i].share;
    }
}
