// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IParticipants
/// @notice Who and what takes part in the scheme: households as keyed hashes, implementers, suppliers, products,
/// monitoring plans and trusted credential issuers. The contract is also the access manager of all the others.
/// @dev Every participant has a 32-bit index, counted from 1; 0 is "none". Names and DIDs of public participants are
/// in events only. Registering something twice reverts, except for households, which are skipped (see there).
interface IParticipants {
    enum ProductStatus {
        None,
        Pending,
        Approved,
        Withdrawn
    }

    /// @notice Who has an account that can be changed.
    enum Party {
        Implementer,
        Supplier,
        Household
    }

    /// @notice An account that is to replace the current one.
    /// @param from First second at which it can be activated.
    /// @param confirmed Whether an evaluator has confirmed it (households).
    /// @param byOwner Whether the current account proposed it.
    struct PendingAccount {
        address account;
        uint40 from;
        bool confirmed;
        bool byOwner;
    }

    /// @param account Acts for the implementer.
    /// @param authorised False while the regulator has suspended the implementer.
    struct Implementer {
        address account;
        bool authorised;
    }

    /// @param account Receives payments and may act for the supplier.
    /// @param authorised False while the regulator has suspended the supplier.
    /// @param flagged True while an evaluator wants every claim of the supplier reviewed.
    struct Supplier {
        address account;
        bool authorised;
        bool flagged;
    }

    /// @param implementer Index of the implementer that owns the product, 0 for the scheme's own.
    /// @param maxAmountPerRedemption Micro-CARBON, 0 for no limit.
    struct Product {
        ProductStatus status;
        uint32 implementer;
        uint64 maxAmountPerRedemption;
    }

    /// @param startDay First day, days since 1970-01-01 UTC.
    /// @param endDay Last day, inclusive.
    /// @param claimWindowHours Hours from redemption to the claim's deadline.
    /// @param reviewShare Share of claims drawn for review, in ten-thousandths.
    /// @param supplierMayIssue Whether a supplier may issue its own delivery credentials.
    /// @param listsProducts Whether only listed products may be redeemed.
    /// @param unconsentedCap Whole CARBON that one supplier may redeem in a day without a household's consent; 0 forbids.
    struct Plan {
        uint32 implementer;
        uint24 startDay;
        uint24 endDay;
        uint16 claimWindowHours;
        uint16 reviewShare;
        bool supplierMayIssue;
        bool listsProducts;
        bool exists;
        uint32 unconsentedCap;
    }

    /// @param terms Canonical JSON of what the API checks and the chain need not: regions, evidence, season, factors.
    struct PlanRegistration {
        string planId;
        uint32 implementer;
        uint24 startDay;
        uint24 endDay;
        uint16 claimWindowHours;
        uint16 reviewShare;
        bool supplierMayIssue;
        uint32 unconsentedCap;
        uint32[] products;
        string[] trustedIssuers;
        string terms;
    }

    /// @notice Emitted for each import; `households[i]` has index `firstHousehold + i`.
    event HouseholdsRegistered(uint32 indexed firstHousehold, bytes32[] households);
    /// @notice Emitted when a household of an import was registered before, so it was skipped.
    event HouseholdSkipped(bytes32 indexed householdHash, uint32 indexed household);
    /// @notice A household has a new account.
    event HouseholdAccountSet(uint32 indexed household, address indexed account);
    /// @notice The registrar registered an implementer.
    event ImplementerRegistered(uint32 indexed implementer, address indexed account, string did, string name);
    /// @notice The registrar registered a supplier.
    event SupplierRegistered(uint32 indexed supplier, address indexed account, string did, string name, string region);
    /// @notice The registrar suspended a supplier, or reinstated it.
    event SupplierStatusChanged(uint32 indexed supplier, bool authorised, string reason);
    /// @notice An evaluator flagged a supplier, so that its claims are held, or took the flag off.
    event SupplierFlagChanged(uint32 indexed supplier, bool flagged, string reason);
    /// @notice A supplier has a new account.
    event SupplierAccountChanged(uint32 indexed supplier, address indexed account);
    /// @notice The registrar suspended an implementer, or reinstated it.
    event ImplementerStatusChanged(uint32 indexed implementer, bool authorised, string reason);
    /// @notice An implementer has a new account.
    event ImplementerAccountChanged(uint32 indexed implementer, address indexed account);
    /// @notice A new account waits until `from`, seconds since 1970; it replaces one that waited.
    event AccountProposed(
        Party indexed kind,
        uint32 indexed party,
        address indexed account,
        uint40 from,
        address proposer
    );
    /// @notice An evaluator confirmed that the account is the household's.
    event AccountConfirmed(uint32 indexed household, address indexed account, address evaluator);
    /// @notice An account that waited will not come into force.
    event AccountDropped(Party indexed kind, uint32 indexed party, address indexed account, address by);
    /// @notice A product was registered. The limit is micro-CARBON in one redemption, 0 for none.
    event ProductRegistered(
        uint32 indexed product,
        uint32 indexed implementer,
        string productId,
        string name,
        string category,
        string unit,
        uint64 maxAmountPerRedemption,
        ProductStatus status
    );
    /// @notice A product was approved or withdrawn.
    event ProductStatusChanged(uint32 indexed product, ProductStatus status);
    /// @notice A monitoring plan was registered.
    event PlanRegistered(uint32 indexed plan, uint32 indexed implementer, PlanRegistration registration);
    /// @notice What a supplier may redeem in a day without consent under a plan, whole CARBON.
    event UnconsentedCapChanged(uint32 indexed plan, uint32 unconsentedCap);
    /// @notice `validFrom` 0 means open-ended backwards, `validUntil` 0 forwards; seconds since 1970.
    event IssuerTrusted(
        bytes32 indexed issuerHash,
        string did,
        string[] credentialTypes,
        uint64 validFrom,
        uint64 validUntil
    );
    /// @notice An issuer's credentials count no more.
    event IssuerTrustEnded(bytes32 indexed issuerHash, string did, uint64 validUntil);

    /// @notice The account does not hold the role now.
    error MissingRole(address account, uint64 role);
    /// @notice The id is taken.
    error AlreadyRegistered(bytes32 idHash, uint32 index);
    /// @notice No household has that index.
    error UnknownHousehold(uint32 household);
    /// @notice No implementer has that index.
    error UnknownImplementer(uint32 implementer);
    /// @notice No supplier has that index.
    error UnknownSupplier(uint32 supplier);
    /// @notice No product has that index.
    error UnknownProduct(uint32 product);
    /// @notice No monitoring plan has that index.
    error UnknownPlan(uint32 plan);
    /// @notice The issuer is not trusted.
    error UnknownIssuer(bytes32 issuerHash);
    /// @notice The account may not do this.
    error NotPermitted(address account);
    /// @notice No new account waits for this party.
    error NoAccountPending(Party kind, uint32 party);
    /// @notice Another account waits than the one that was to be confirmed.
    error OtherAccountPending(uint32 household, address account);
    /// @notice An evaluator has to confirm the household's account first.
    error AccountNotConfirmed(uint32 household);
    /// @notice The new account can be activated from this second on.
    error AccountDelayNotOver(uint40 from);
    /// @notice A product cannot have that status now.
    error ProductStatusNotAllowed(uint32 product, ProductStatus from, ProductStatus to);
    /// @notice The first day is after the last, days since 1970-01-01 UTC.
    error InvalidPeriod(uint24 startDay, uint24 endDay);
    /// @notice A share is above the whole, ten-thousandths.
    error InvalidShare(uint16 reviewShare);
    /// @notice A plan is registered with at most the default plan's cap, whole CARBON; the council can raise it then.
    error UnconsentedCapTooHigh(uint32 unconsentedCap, uint32 highest);
    /// @notice The claim window is zero.
    error InvalidClaimWindow();
    /// @notice The period of trust ends before it begins, or is over, seconds since 1970.
    error InvalidTrustPeriod(uint64 validFrom, uint64 validUntil);
    /// @notice Two lists that belong together have different lengths.
    error LengthMismatch(uint256 households, uint256 accounts);
    /// @notice The id is empty.
    error EmptyId();
    /// @notice The account is zero.
    error ZeroAccount();

    /// @notice Registers households by keyed hash. Operator. A hash that is registered already is skipped with an event.
    /// @param accounts Empty, or one account (or zero) for each household. It waits until an evaluator confirms it.
    /// @return firstHousehold Index of the first new household.
    /// @return registered How many were new.
    function registerHouseholds(
        bytes32[] calldata households,
        address[] calldata accounts
    ) external returns (uint32 firstHousehold, uint32 registered);

    /// @notice Proposes a party's new account. The current account, unless the party is suspended; the registrar; and the
    /// operator for a household that has none. It replaces a proposal that waits, and the delay begins again; a
    /// household's first account has no delay.
    function proposeAccount(Party kind, uint32 party, address account) external;

    /// @notice Confirms that the account that waits is the household's. Evaluator. Activates it when no delay is left.
    function confirmAccount(uint32 household, address account) external;

    /// @notice Drops the account that waits. The guardian; the registrar; the current account, unless its party is
    /// suspended or an evaluator has confirmed the household's new one; and the operator for a household that has none.
    function dropAccount(Party kind, uint32 party) external;

    /// @notice Activates the account that waits once its delay is over. Anyone. A household's must have been proposed
    /// by its own account or confirmed by an evaluator.
    function finaliseAccount(Party kind, uint32 party) external;

    /// @notice Registers an implementer, authorised from the start. Registrar.
    function registerImplementer(string calldata did, address account, string calldata name) external returns (uint32);

    /// @notice Suspends or authorises an implementer. Registrar. While suspended its account can do nothing, and a new
    /// account that waits is dropped.
    function setImplementerStatus(uint32 implementer, bool authorised, string calldata reason) external;

    /// @notice Registers a supplier, authorised from the start. Registrar.
    function registerSupplier(
        string calldata did,
        address account,
        string calldata name,
        string calldata region
    ) external returns (uint32);

    /// @notice Authorises or suspends a supplier. Registrar. A suspension drops a new account that waits.
    function setSupplierStatus(uint32 supplier, bool authorised, string calldata reason) external;

    /// @notice Marks a supplier so that its claims are held for review. Evaluator.
    function setSupplierFlag(uint32 supplier, bool flagged, string calldata reason) external;

    /// @notice Registers a product. By the registrar it starts approved, by an operator for an implementer pending.
    function registerProduct(
        string calldata productId,
        string calldata name,
        string calldata category,
        string calldata unit,
        uint64 maxAmountPerRedemption,
        uint32 implementer
    ) external returns (uint32);

    /// @notice Approves (registrar) or withdraws (registrar or operator) a product.
    function setProductStatus(uint32 product, ProductStatus status) external;

    /// @notice Registers a monitoring plan. Registrar or operator. Plan 0 is the scheme's default: 336 hours, every
    /// approved product, registry-wide issuers. Its `unconsentedCap` is the highest that a plan is registered with.
    function registerPlan(PlanRegistration calldata registration) external returns (uint32);

    /// @notice Changes how much one supplier may redeem in a day under a plan without a household's consent. The council;
    /// the guardian may lower it.
    /// @dev Emits UnconsentedCapChanged. Reverts with UnknownPlan.
    function setUnconsentedCap(uint32 plan, uint32 unconsentedCap) external;

    /// @notice Trusts an issuer for credential types. Registrar. While a period runs, calling again changes the period and
    /// adds types. Once it is over a new one starts, now at the earliest, for the types given alone; `IssuerTrusted` tells
    /// when it starts.
    function trustIssuer(
        string calldata did,
        string[] calldata credentialTypes,
        uint64 validFrom,
        uint64 validUntil
    ) external;

    /// @notice Ends the trust in an issuer immediately: nothing that it issued counts from this second on. Registrar. What was
    /// recorded before stays.
    function endIssuerTrust(string calldata did) external;

    // Index of a participant by the keccak-256 of its DID or id (for a household: by its keyed hash); 0 if unknown.
    /// @notice A household's index by its keyed hash; 0 for none.
    function householdIndex(bytes32 householdHash) external view returns (uint32);
    /// @notice An implementer's index by the keccak-256 of its DID; 0 for none.
    function implementerIndex(bytes32 didHash) external view returns (uint32);
    /// @notice A supplier's index by the keccak-256 of its DID; 0 for none.
    function supplierIndex(bytes32 didHash) external view returns (uint32);
    /// @notice A product's index by the keccak-256 of its id; 0 for none.
    function productIndex(bytes32 productIdHash) external view returns (uint32);
    /// @notice A monitoring plan's index by the keccak-256 of its id; 0 for none, and for the scheme's default plan.
    function planIndex(bytes32 planIdHash) external view returns (uint32);

    /// @notice Registered households; their indexes are 1 to this.
    function householdCount() external view returns (uint32);
    /// @notice The account by which a household consents; zero for none.
    function householdAccount(uint32 household) external view returns (address);
    /// @notice An implementer; all zero for none.
    function implementerOf(uint32 implementer) external view returns (Implementer memory);
    /// @notice The account that may act for an implementer now; zero while it is suspended.
    function implementerAccount(uint32 implementer) external view returns (address);
    /// @notice The account that waits for a party; all zero when there is none.
    function pendingAccount(Party kind, uint32 party) external view returns (PendingAccount memory);
    /// @notice Seconds that a new account waits.
    function ACCOUNT_DELAY() external view returns (uint40);
    /// @notice A supplier; all zero for none.
    function supplierOf(uint32 supplier) external view returns (Supplier memory);
    /// @notice A product; all zero for none.
    function productOf(uint32 product) external view returns (Product memory);
    /// @notice A monitoring plan; 0 is the scheme's default plan.
    function planOf(uint32 plan) external view returns (Plan memory);
    /// @notice Whether a plan's list names a product.
    function planListsProduct(uint32 plan, uint32 product) external view returns (bool);

    /// @notice Whether a credential counts that says it was issued at a time: its issuer is trusted for its type now, and
    /// was then, in one and the same period.
    /// @param issuerHash keccak-256 of the issuer's DID.
    /// @param typeHash keccak-256 of the credential type's name.
    function isTrusted(bytes32 issuerHash, bytes32 typeHash, uint64 time) external view returns (bool);

    /// @notice Keeps what a voucher ledger says of every redemption: whether the household must have signed it, and
    /// whether any certificate is halted. Ledger. What any ledger demands holds for all, so that an old one runs off next
    /// to its successor.
    function setRedemptionTerms(bool consentRequired, bool anyHalted) external;

    /// @notice What the voucher ledger must know of a redemption besides the voucher, in one call.
    /// @param caller Who would redeem without the household's consent.
    /// @return verdict In one word (see RedemptionRules): broken rules among SUPPLIER_EXISTS, SUPPLIER_AUTHORISED,
    /// PRODUCT_APPROVED, and of a redemption without consent CALLER_AUTHORISED and HOUSEHOLD_AUTHORISED; whether any
    /// certificate is halted; the product's limit in micro-CARBON, 0 for none; the plan's `unconsentedCap`; the version.
    function redemptionParties(
        uint32 supplier,
        uint32 product,
        uint32 plan,
        address caller
    ) external view returns (uint256 verdict);

    /// @notice The part of `redemptionParties` that can change while the version stays the same, and the version. Everything
    /// else in an earlier answer with the same version is still right.
    /// @param supplier The supplier whose own account may be the caller; 0 to accept operators alone.
    /// @param caller Who would redeem without the household's consent.
    /// @return verdict HOUSEHOLD_AUTHORISED, CALLER_AUTHORISED, whether any certificate is halted, the version.
    function redemptionTerms(uint32 supplier, address caller) external view returns (uint256 verdict);

    /// @notice Reverts with `MissingRole` unless the account holds the role now.
    function requireRole(uint64 role, address account) external view;
}
