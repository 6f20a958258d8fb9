// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {RedemptionRules} from "../shared/RedemptionRules.sol";
import {Roles} from "../shared/Roles.sol";
import {IParticipants} from "./IParticipants.sol";
import {PartyAccounts} from "./PartyAccounts.sol";
import {SchemeRoles} from "./SchemeRoles.sol";
import {TrustedIssuers} from "./TrustedIssuers.sol";

/// @title Participants
/// @notice See `IParticipants`.
/// @dev
/// PARTS. `SchemeRoles` knows who holds a role, `PartyAccounts` the accounts of implementers, suppliers and households and
/// how they change, `TrustedIssuers` whose credentials count.
///
/// STORAGE. Suppliers, products and plans take one slot each; a household one (hash to index) and one more only when
/// it has its own account.
///
/// CURRENT OPERATOR. Most redemptions are sent by an operator. The account that was granted the role last is kept with the
/// terms, which every redemption reads; granting and revoking the role keep it right. Other accounts are looked up.
///
/// VERSION. A ledger may reuse what `redemptionParties` answered about a supplier, a product and a plan while the version
/// stays the same. So every change of such an answer must call `_outdateVerdicts`, which changes the version.
contract Participants is PartyAccounts, TrustedIssuers {
    using SafeCast for uint256;

    /// @notice Hours from redemption to claim under the scheme's default plan (14 days).
    uint16 public constant DEFAULT_CLAIM_WINDOW_HOURS = 336;
    /// @notice Ten-thousandths in a whole.
    uint16 private constant WHOLE_SHARE = 10_000;

    /// @dev The last index given to each kind. One slot.
    struct Counts {
        uint32 households;
        uint32 implementers;
        uint32 suppliers;
        uint32 products;
        uint32 plans;
    }

    /// @dev What every redemption reads. One slot.
    /// @param operator Holds the operator's role now, without a delay; zero when the last one granted does not.
    /// @param defaultUnconsentedCap Of plan 0, whose own slot redemptions need not read.
    /// @param consentLedgers Voucher ledgers that require consent.
    /// @param haltedLedgers Voucher ledgers that have halted certificates.
    /// @param version Counts the changes of suppliers, products and plans after which an earlier verdict may be wrong. Starts at
    /// 1: a ledger that has kept no verdict has version 0.
    struct Terms {
        address operator;
        uint8 consentLedgers;
        uint8 haltedLedgers;
        uint32 defaultUnconsentedCap;
        uint32 version;
    }

    /// @dev What one ledger asked for. An old one runs off next to its successor, and neither loosens the other's terms.
    struct LedgerTerms {
        bool consentRequired;
        bool anyHalted;
    }

    Counts private _counts;
    Terms private _terms;
    mapping(address ledger => LedgerTerms) private _ledgerTerms;

    /// @inheritdoc IParticipants
    mapping(bytes32 householdHash => uint32 household) public householdIndex;
    /// @inheritdoc IParticipants
    mapping(bytes32 didHash => uint32 implementer) public implementerIndex;
    /// @inheritdoc IParticipants
    mapping(bytes32 didHash => uint32 supplier) public supplierIndex;
    /// @inheritdoc IParticipants
    mapping(bytes32 productIdHash => uint32 product) public productIndex;
    /// @inheritdoc IParticipants
    mapping(bytes32 planIdHash => uint32 plan) public planIndex;

    mapping(uint32 product => Product) private _products;
    mapping(uint32 plan => Plan) private _plans;
    /// @inheritdoc IParticipants
    mapping(uint32 plan => mapping(uint32 product => bool listed)) public planListsProduct;

    /// @param initialAdmin Holds the council's role until deployment hands it to the timelock.
    constructor(address initialAdmin) SchemeRoles(initialAdmin) {
        _plans[0].claimWindowHours = DEFAULT_CLAIM_WINDOW_HOURS;
        _plans[0].exists = true;
        _terms.version = 1;
    }

    // Households

    /// @inheritdoc IParticipants
    function registerHouseholds(
        bytes32[] calldata households,
        address[] calldata accounts
    ) external onlyRole(Roles.OPERATOR) returns (uint32 firstHousehold, uint32 registered) {
        bool withAccounts = accounts.length != 0;
        require(
            !withAccounts || accounts.length == households.length,
            LengthMismatch(households.length, accounts.length)
        );
        uint256 next = uint256(_counts.households) + 1;
        // Checked before any index is used, so that the casts below cannot truncate.
        (next + households.length).toUint32();
        firstHousehold = uint32(next);
        bytes32[] memory fresh = new bytes32[](households.length);

        for (uint256 i = 0; i < households.length; ++i) {
            bytes32 hash = households[i];
            require(hash != 0, EmptyId());
            uint32 known = householdIndex[hash];
            if (known != 0) {
                emit HouseholdSkipped(hash, known);
                continue;
            }
            uint32 household = firstHousehold + registered;
            householdIndex[hash] = household;
            fresh[registered++] = hash;
            if (withAccounts && accounts[i] != address(0)) _propose(Party.Household, household, accounts[i], 0, false);
        }

        if (registered == 0) return (firstHousehold, 0);
        _counts.households = firstHousehold + registered - 1;
        // The array was sized for the worst case; only what was filled is emitted.
        assembly ("memory-safe") {
            mstore(fresh, registered)
        }
        emit HouseholdsRegistered(firstHousehold, fresh);
    }

    // Implementers and suppliers

    /// @inheritdoc IParticipants
    function registerImplementer(
        string calldata did,
        address account,
        string calldata name
    ) external onlyRole(Roles.REGISTRAR) returns (uint32 implementer) {
        require(account != address(0), ZeroAccount());
        implementer = ++_counts.implementers;
        _claimId(implementerIndex, did, implementer);
        _implementers[implementer] = Implementer({account: account, authorised: true});
        emit ImplementerRegistered(implementer, account, did, name);
    }

    /// @inheritdoc IParticipants
    function registerSupplier(
        string calldata did,
        address account,
        string calldata name,
        string calldata region
    ) external onlyRole(Roles.REGISTRAR) returns (uint32 supplier) {
        require(account != address(0), ZeroAccount());
        supplier = ++_counts.suppliers;
        _claimId(supplierIndex, did, supplier);
        _suppliers[supplier] = Supplier({account: account, authorised: true, flagged: false});
        emit SupplierRegistered(supplier, account, did, name, region);
    }

    /// @inheritdoc IParticipants
    function setSupplierFlag(uint32 supplier, bool flagged, string calldata reason) external onlyRole(Roles.EVALUATOR) {
        _requireSupplier(supplier);
        _suppliers[supplier].flagged = flagged;
        emit SupplierFlagChanged(supplier, flagged, reason);
    }

    // Products

    /// @inheritdoc IParticipants
    function registerProduct(
        string calldata productId,
        string calldata name,
        string calldata category,
        string calldata unit,
        uint64 maxAmountPerRedemption,
        uint32 implementer
    ) external returns (uint32 product) {
        ProductStatus status = ProductStatus.Approved;
        if (!_holds(Roles.REGISTRAR, msg.sender)) {
            requireRole(Roles.OPERATOR, msg.sender);
            require(implementer != 0, UnknownImplementer(implementer));
            status = ProductStatus.Pending;
        }
        if (implementer != 0) _requireImplementer(implementer);
        product = ++_counts.products;
        _claimId(productIndex, productId, product);
        _products[product] = Product({
            status: status,
            implementer: implementer,
            maxAmountPerRedemption: maxAmountPerRedemption
        });
        emit ProductRegistered(product, implementer, productId, name, category, unit, maxAmountPerRedemption, status);
    }

    /// @inheritdoc IParticipants
    function setProductStatus(uint32 product, ProductStatus status) external {
        ProductStatus current = _products[product].status;
        require(current != ProductStatus.None, UnknownProduct(product));
        bool approves = status == ProductStatus.Approved;
        require(
            current != status && (approves || status == ProductStatus.Withdrawn),
            ProductStatusNotAllowed(product, current, status)
        );
        if (approves || !_holds(Roles.OPERATOR, msg.sender)) requireRole(Roles.REGISTRAR, msg.sender);
        _products[product].status = status;
        _outdateVerdicts();
        emit ProductStatusChanged(product, status);
    }

    // Monitoring plans

    /// @inheritdoc IParticipants
    function registerPlan(PlanRegistration calldata registration) external returns (uint32 plan) {
        if (!_holds(Roles.REGISTRAR, msg.sender)) requireRole(Roles.OPERATOR, msg.sender);
        _requireImplementer(registration.implementer);
        require(
            registration.startDay <= registration.endDay,
            InvalidPeriod(registration.startDay, registration.endDay)
        );
        require(registration.claimWindowHours != 0, InvalidClaimWindow());
        require(registration.reviewShare <= WHOLE_SHARE, InvalidShare(registration.reviewShare));
        uint32 highest = _terms.defaultUnconsentedCap;
        require(registration.unconsentedCap <= highest, UnconsentedCapTooHigh(registration.unconsentedCap, highest));
        plan = ++_counts.plans;
        _claimId(planIndex, registration.planId, plan);
        _plans[plan] = Plan({
            implementer: registration.implementer,
            startDay: registration.startDay,
            endDay: registration.endDay,
            claimWindowHours: registration.claimWindowHours,
            reviewShare: registration.reviewShare,
            supplierMayIssue: registration.supplierMayIssue,
            listsProducts: registration.products.length != 0,
            exists: true,
            unconsentedCap: registration.unconsentedCap
        });
        for (uint256 i = 0; i < registration.products.length; ++i) {
            uint32 product = registration.products[i];
            require(_products[product].status != ProductStatus.None, UnknownProduct(product));
            planListsProduct[plan][product] = true;
        }
        emit PlanRegistered(plan, registration.implementer, registration);
    }

    /// @inheritdoc IParticipants
    function setUnconsentedCap(uint32 plan, uint32 unconsentedCap) external {
        require(_plans[plan].exists, UnknownPlan(plan));
        bool isLower = unconsentedCap < _plans[plan].unconsentedCap;
        if (!isLower || !_holds(Roles.GUARDIAN, msg.sender)) requireRole(Roles.COUNCIL, msg.sender);
        _plans[plan].unconsentedCap = unconsentedCap;
        if (plan == 0) _terms.defaultUnconsentedCap = unconsentedCap;
        _outdateVerdicts();
        emit UnconsentedCapChanged(plan, unconsentedCap);
    }

    // What redemptions ask

    /// @inheritdoc IParticipants
    function setRedemptionTerms(bool consentRequired, bool anyHalted) external onlyRole(Roles.LEDGER) {
        LedgerTerms memory before = _ledgerTerms[msg.sender];
        _ledgerTerms[msg.sender] = LedgerTerms(consentRequired, anyHalted);
        _terms.consentLedgers = _recount(_terms.consentLedgers, before.consentRequired, consentRequired);
        _terms.haltedLedgers = _recount(_terms.haltedLedgers, before.anyHalted, anyHalted);
    }

    /// @inheritdoc IParticipants
    function redemptionParties(
        uint32 supplier,
        uint32 product,
        uint32 plan,
        address caller
    ) external view returns (uint256 verdict) {
        (uint256 party, uint256 goods, uint256 terms) = _redemptionWords(supplier, product);
        address account = address(uint160(party));
        if (account == address(0)) verdict = RedemptionRules.SUPPLIER_EXISTS;
        else if (uint8(party >> 160) == 0) verdict = RedemptionRules.SUPPLIER_AUTHORISED;

        // The default plan lists no products.
        bool unlisted = plan != 0 && !planListsProduct[plan][product] && _plans[plan].listsProducts;
        if (uint8(goods) != uint256(ProductStatus.Approved) || unlisted) verdict |= RedemptionRules.PRODUCT_APPROVED;
        verdict |= uint256(uint64(goods >> 40)) << RedemptionRules.LIMIT_SHIFT;
        uint32 unconsentedCap = plan == 0 ? uint32(terms >> 176) : _plans[plan].unconsentedCap;
        verdict |= uint256(unconsentedCap) << RedemptionRules.UNCONSENTED_SHIFT;
        return verdict | _verdictOn(terms, caller, account);
    }

    /// @inheritdoc IParticipants
    function redemptionTerms(uint32 supplier, address caller) external view returns (uint256 verdict) {
        uint256 terms = _termsWord();
        // The operator's redemptions, which are most, need not read the supplier.
        bool isOperator = caller == address(uint160(terms));
        return _verdictOn(terms, caller, isOperator ? address(0) : _suppliers[supplier].account);
    }

    // Views

    /// @inheritdoc IParticipants
    function householdCount() public view override(IParticipants, PartyAccounts) returns (uint32) {
        return _counts.households;
    }

    /// @inheritdoc IParticipants
    function productOf(uint32 product) external view returns (Product memory) {
        return _products[product];
    }

    /// @inheritdoc IParticipants
    function planOf(uint32 plan) external view returns (Plan memory) {
        return _plans[plan];
    }

    // Internals

    /// @dev Of how many something holds, when it held of one before and holds of it now.
    function _recount(uint8 count, bool before, bool present) private pure returns (uint8) {
        if (before == present) return count;
        return present ? count + 1 : count - 1;
    }

    /// @dev The part of a verdict that is the same for every product and plan, and the version.
    /// @param account The supplier's; zero when there is no such supplier, or when the caller is the operator.
    function _verdictOn(uint256 terms, address caller, address account) private view returns (uint256 verdict) {
        verdict = uint256(uint32(terms >> 208)) << RedemptionRules.VERSION_SHIFT;
        if (uint8(terms >> 160) != 0) verdict |= RedemptionRules.HOUSEHOLD_AUTHORISED;
        if (uint8(terms >> 168) != 0) verdict |= RedemptionRules.ANY_HALTED;
        // Nobody is neither the account of no supplier nor the operator while there is none.
        bool known = caller != address(0) && (caller == account || caller == address(uint160(terms)));
        if (!known && !_holds(Roles.OPERATOR, caller)) verdict |= RedemptionRules.CALLER_AUTHORISED;
    }

    /// @dev Makes every verdict that a ledger has kept invalid. The version wraps round after 2^32 changes.
    function _outdateVerdicts() internal override {
        unchecked {
            ++_terms.version;
        }
    }

    /// @dev The slots of a supplier, a product and the terms, each read once. Members lie from the lowest bit upwards
    /// as they are declared.
    function _redemptionWords(
        uint32 supplier,
        uint32 product
    ) private view returns (uint256 party, uint256 goods, uint256 terms) {
        Supplier storage supplierSlot = _suppliers[supplier];
        Product storage productSlot = _products[product];
        assembly ("memory-safe") {
            party := sload(supplierSlot.slot)
            goods := sload(productSlot.slot)
        }
        terms = _termsWord();
    }

    function _termsWord() private view returns (uint256 terms) {
        assembly ("memory-safe") {
            terms := sload(_terms.slot)
        }
    }

    /// @dev Keeps the current operator. Who gets the role later, or with a delay, is looked up when it acts.
    function _grantRole(
        uint64 role,
        address account,
        uint32 grantDelay,
        uint32 executionDelay
    ) internal override returns (bool isNew) {
        isNew = super._grantRole(role, account, grantDelay, executionDelay);
        if (role != Roles.OPERATOR) return isNew;
        if (_holds(role, account)) _terms.operator = account;
        else _dropOperator(account);
    }

    function _revokeRole(uint64 role, address account) internal override returns (bool) {
        if (role == Roles.OPERATOR) _dropOperator(account);
        return super._revokeRole(role, account);
    }

    function _dropOperator(address account) private {
        if (_terms.operator == account) _terms.operator = address(0);
    }

    /// @dev Gives a participant's id its index; an id has one participant for ever.
    function _claimId(
        mapping(bytes32 idHash => uint32 index) storage indexes,
        string calldata id,
        uint32 index
    ) private {
        require(bytes(id).length != 0, EmptyId());
        bytes32 idHash = keccak256(bytes(id));
        require(indexes[idHash] == 0, AlreadyRegistered(idHash, indexes[idHash]));
        indexes[idHash] = index;
    }
}
