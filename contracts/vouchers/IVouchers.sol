// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ICarbon} from "../carbon/ICarbon.sol";

/// @title IVouchers
/// @notice The voucher ledger: issues vouchers against certificates, holds their CARBON in escrow, records redemptions.
/// @dev
/// IDS. A voucher's id is 64 bits: batch (32) then position in the batch (32). A redemption's id is 96 bits: voucher
/// (64) then the voucher's redemption number from 1 (32). A claim has its redemption's id. Batches count from 1;
/// vouchers issued alone or reissued belong to batch 0, in which positions count from 1 and which has no record.
///
/// UNOPENED VOUCHERS. A batch covers one recorded chunk of a certificate and keeps its Merkle root; its vouchers take
/// no storage until first use. `Opening` brings household, value and proof (see ICertificates) and opens the voucher
/// into one slot. Anyone may open. A voucher issued alone or reissued is opened at issue.
///
/// DATES are whole UTC days since 1970-01-01: a voucher works from the start of `startDay` to the end of `expiryDay`.
/// "Now" is the block's timestamp.
///
/// STATES. Active → Suspended → Active; Active or Suspended → Cancelled (rest burned and returned to the certificate)
/// → Reissued; Active, past `expiryDay` → Swept (rest to the pool's reserve). Active or Suspended, of a revoked certificate →
/// Revoked (rest burned). Exhausted (balance 0) and expired are derived.
///
/// SWEEP. Only from the day after `expiryDay` on, and when `SWEEP_GRACE` whole days have passed since the voucher was issued
/// or reissued, also with dates in the past. A suspended voucher is not swept. Nothing else moves a balance to the pool.
/// Of a revoked certificate it is burned instead, as by `burnRevoked`, which waits for no date.
///
/// LOST TIME is counted in midnights (UTC), so that no sequence of calls adds more days to a voucher than pass. A suspended
/// voucher's time is paused: reactivated, it is valid for as many more days as it was suspended. A cancelled voucher is
/// reissued for at least as many days as it had left when it stopped.
///
/// REFUNDS. A reversed, lapsed or rejected redemption gives its amount back: to the certificate (and the rest that can be
/// reissued) when the voucher is cancelled; burned when it is revoked; else to the voucher, whatever its date, and a swept or reissued one is active
/// again with that amount. Its last day is then at least that of the time of redemption, later by the midnights since then:
/// those until it was stopped, where it is suspended or cancelled, because what ends the stop counts the others.
///
/// CAP. What one account cancels and reissues, and what all accounts together sweep, is limited by `lifecycleCap`: a
/// bucket of that size each, which refills evenly within a day. None of the three works while the pool is paused.
///
/// CONSENT. Each redemption records how its household agreed to it:
/// - Signature: by its account, over the whole order. Checked here; anyone may send it.
/// - Code: by a one-time key that was committed when the voucher was issued, over the whole order. Checked here; anyone may
///   send it, and who sees it in the mempool can use it for nothing else. A code is a secret from which a private key is made;
///   what is committed and shown is the key's address, so that the code itself never reaches the chain. Each works once.
/// - Pin: an operator attests it, within `pinCap`.
/// - None: by an operator or the supplier, within the `unconsentedCap` of the voucher's plan, for each supplier. What a
///   supplier uses of its day under one plan is gone for the others: half of one plan's cap leaves half of each other's.
/// Where the scheme requires the household's authorisation, only Signature and Code will do.
///
/// CAPS are buckets that refill evenly within a day: for each account, or for each supplier.
///
/// Amounts are micro-CARBON.
interface IVouchers {
    enum Status {
        None,
        Active,
        Suspended,
        Cancelled,
        Reissued,
        Swept,
        Revoked
    }

    enum RedemptionStatus {
        None,
        Open,
        Reversed,
        Lapsed,
        UnderReview,
        Settled,
        Rejected,
        Disputed,
        Invalidated
    }

    enum Consent {
        None,
        Pin,
        Code,
        Signature
    }

    /// @dev One storage slot. `remaining` of a cancelled voucher is the rest that can be reissued.
    /// @param redemptions How many redemptions the voucher has had.
    /// @param claimWindowHours Of the certificate's monitoring plan, fixed at issue.
    struct Voucher {
        uint64 remaining;
        uint24 startDay;
        uint24 expiryDay;
        uint32 certificate;
        uint32 household;
        uint32 plan;
        uint24 redemptions;
        uint16 claimWindowHours;
        Status status;
    }

    struct Batch {
        uint32 certificate;
        uint32 plan;
        uint32 chunk;
        uint24 startDay;
        uint24 expiryDay;
        uint16 count;
        uint16 claimWindowHours;
        bytes32 root;
    }

    /// @param deadline A claim must be filed at or before it; seconds since 1970.
    /// @param flagged An evaluator wants its claim reviewed.
    /// @param expiryDay The voucher's last day when it was redeemed.
    struct Redemption {
        uint32 supplier;
        uint32 product;
        uint64 amount;
        uint40 deadline;
        RedemptionStatus status;
        bool flagged;
        uint24 expiryDay;
        Consent consent;
    }

    struct Opening {
        uint64 voucher;
        uint32 household;
        uint64 value;
        bytes32[] proof;
    }

    struct RedemptionOrder {
        uint64 voucher;
        uint32 supplier;
        uint32 product;
        uint64 amount;
    }

    /// @notice A household's EIP-712 consent to one order, by its own account (ERC-1271 too) or a one-time key; or an
    /// operator's word for a PIN, of which only `order` and `consent` count.
    /// @dev Type: RedemptionAuthorization(uint64 voucher,uint32 supplier,uint32 product,uint64 amount,uint256 nonce,
    /// uint64 deadline); domain name "Hearth Vouchers", version "1". `order` is the index of the order it belongs to;
    /// authorisations are given in ascending order of it. A nonce settles once for each household, in any order; a one-time
    /// key's is its address.
    /// @param proof Of a one-time key: leads to the root that was committed (see `CodesCommitted`).
    struct Authorization {
        uint32 order;
        Consent consent;
        uint64 deadline;
        uint256 nonce;
        bytes signature;
        bytes32[] proof;
    }

    /// @param leaf Position of the household in the allocation; ignored for an unallocated certificate.
    struct IssueOrder {
        uint32 certificate;
        uint32 leaf;
        uint32 household;
        uint64 value;
        uint24 startDay;
        uint24 expiryDay;
        string batchId;
        bytes32[] proof;
    }

    /// @notice Emitted for each chunk; voucher `i` is the chunk's leaf `i` (see ICertificates.AllocationRecorded).
    event BatchIssued(
        uint32 indexed batch,
        uint32 indexed certificate,
        uint32 indexed chunk,
        uint16 count,
        uint64 total,
        uint24 startDay,
        uint24 expiryDay,
        string batchId
    );
    /// @notice A voucher was issued to a household, micro-CARBON and days since 1970-01-01 UTC.
    /// @param replaces The cancelled voucher that a reissue replaces, else 0.
    event VoucherIssued(
        uint64 indexed voucher,
        uint32 indexed certificate,
        uint32 indexed household,
        uint64 value,
        uint24 startDay,
        uint24 expiryDay,
        string batchId,
        uint64 replaces
    );
    /// @notice One-time keys of a voucher that was issued alone or reissued, or of a batch, named by its first voucher.
    /// @dev The root of a tree over leaves (uint32 household, address key) as OpenZeppelin's `StandardMerkleTree` makes it.
    event CodesCommitted(uint64 indexed voucher, bytes32 root);
    /// @notice Emitted by `open`. A voucher that its first redemption opens is in its VoucherRedeemed; household
    /// and value are the leaf's.
    event VoucherOpened(uint64 indexed voucher, uint32 indexed household, uint64 value);
    /// @notice A voucher cannot be spent until it is reactivated.
    event VoucherSuspended(uint64 indexed voucher, string reason);
    /// @notice A suspended voucher works again, valid for as many more days as it was suspended.
    /// @param expiryDay The voucher's last day from now on.
    event VoucherReactivated(uint64 indexed voucher, uint24 expiryDay, string reason);
    /// @notice A voucher was cancelled, and its rest went back to its certificate, micro-CARBON.
    event VoucherCancelled(uint64 indexed voucher, uint64 rest, string reason);
    /// @notice What a voucher was not spent for went to the pool, micro-CARBON.
    event VoucherSwept(uint64 indexed voucher, uint64 rest);
    /// @notice The rest of a revoked certificate's voucher has been burned.
    event VoucherRevoked(uint64 indexed voucher, uint64 rest);
    /// @notice The vouchers of a certificate cannot be spent, or can be again.
    event CertificateHalted(uint32 indexed certificate, bool halted);
    /// @notice Whether redemptions need the household's signature.
    event HouseholdAuthorizationRequired(bool required);
    /// @notice What one account may cancel and reissue in a day, and all together sweep, micro-CARBON.
    event LifecycleCapChanged(uint64 cap);
    /// @notice What an operator may redeem by PINs in a day, micro-CARBON.
    event PinCapChanged(uint64 cap);

    /// @notice An amount of a voucher was redeemed at a supplier, micro-CARBON; a claim is due by the deadline.
    /// @param remaining The voucher's balance afterwards.
    /// @param consent How the household agreed to it.
    event VoucherRedeemed(
        uint96 indexed redemption,
        uint32 indexed supplier,
        uint32 indexed product,
        uint64 amount,
        uint64 remaining,
        uint40 deadline,
        Consent consent
    );
    /// @notice Emitted for an order of a batch that breaks rules; the others of the batch stand.
    /// @dev In one transaction the ledger emits VoucherRedeemed or RedemptionRefused for each order, in order.
    /// @param order Index in the batch.
    /// @param rules Broken rules, see RedemptionRules.
    event RedemptionRefused(uint256 indexed order, uint64 indexed voucher, uint16 rules);
    /// @notice Nothing that the household signed with this nonce can redeem any more.
    event AuthorizationCancelled(uint32 indexed household, uint256 nonce);
    /// @notice A household's consent was used for a redemption.
    event AuthorizationSettled(uint32 indexed household, uint256 nonce, uint96 indexed redemption);
    /// @notice An evaluator or the registrar flagged a redemption, so that its claim is held.
    event RedemptionFlagged(uint96 indexed redemption, string reason);
    /// @notice The supplier or the operator took a redemption back.
    event RedemptionReversed(uint96 indexed redemption, uint64 amount, string reason);
    /// @notice No claim came by the deadline, and the amount went back.
    event RedemptionLapsed(uint96 indexed redemption, uint64 amount);
    /// @notice Where a refund went: to the voucher, or to the certificate of a cancelled or revoked one.
    /// @param remaining The voucher's balance from now on; of a cancelled one, the rest that can be reissued.
    /// @param expiryDay The voucher's last day from now on.
    event RedemptionRefunded(
        uint96 indexed redemption,
        uint64 amount,
        Refund refund,
        uint64 remaining,
        uint24 expiryDay
    );

    enum Refund {
        Voucher,
        Certificate
    }

    /// @notice The caller is not the claims contract.
    error OnlyClaims(address caller);
    /// @notice The caller is not the certificates contract.
    error OnlyCertificates(address caller);
    /// @notice The certificate is not revoked, or its revocation is not final yet.
    error CertificateNotRevoked(uint32 certificate);
    /// @notice The first day is after the last, days since 1970-01-01 UTC.
    error DatesNotOrdered(uint24 startDay, uint24 expiryDay);
    /// @notice No voucher has that id.
    error UnknownVoucher(uint64 voucher);
    /// @notice The voucher was issued in a chunk and not opened yet.
    error VoucherNotOpened(uint64 voucher);
    /// @notice The proof does not hold, or the voucher is of another certificate than the call names.
    error OpeningInvalid(uint64 voucher);
    /// @notice The voucher's status does not allow this.
    error VoucherStatusNotAllowed(uint64 voucher, Status status);
    /// @notice The voucher's last day is over, days since 1970-01-01 UTC.
    error VoucherExpired(uint64 voucher, uint24 expiryDay);
    /// @notice The voucher's last day, or its grace, is not over, days since 1970-01-01 UTC.
    error VoucherNotExpired(uint64 voucher, uint24 expiryDay);
    /// @notice The voucher has no rest.
    error VoucherExhausted(uint64 voucher);
    /// @notice The grace after the voucher's issue is not over.
    error VoucherNotSweepable(uint64 voucher, uint24 firstDay);
    /// @notice The new voucher would begin later or end earlier than the cancelled one's rest.
    error ReissueTooShort(uint64 voucher, uint24 latestStart, uint24 earliestExpiry);
    /// @notice Nothing is cancelled, reissued or swept while the pool is paused.
    error LifecyclePaused();
    /// @notice The account has no room for the amount now, micro-CARBON.
    error LifecycleCapExceeded(uint64 left, uint64 amount);
    /// @notice This transaction has issued nothing, or the root is committed.
    error NothingToCommitTo();
    /// @notice The guardian may only lower a cap.
    error CapNotLowered(uint64 cap, uint64 newCap);
    /// @notice The cancelled voucher left nothing.
    error NothingToReissue(uint64 voucher);
    /// @notice The redemption breaks these rules; see RedemptionRules.
    error RedemptionRuleBroken(uint64 voucher, uint16 rules);
    /// @notice The household's nonce has settled a redemption.
    error AuthorizationUsed(uint32 household, uint256 nonce, uint96 redemption);
    /// @notice The consent's deadline is over, seconds since 1970.
    error AuthorizationExpired(uint64 deadline);
    /// @notice No redemption has that id.
    error UnknownRedemption(uint96 redemption);
    /// @notice The redemption's status does not allow this.
    error RedemptionStatusNotAllowed(uint96 redemption, RedemptionStatus status);
    /// @notice The claim is too late, seconds since 1970.
    error ClaimDeadlinePassed(uint96 redemption, uint40 deadline);
    /// @notice The claim may still come, seconds since 1970.
    error ClaimDeadlineNotPassed(uint96 redemption, uint40 deadline);
    /// @notice The caller may not do this: it is neither the party that it concerns nor holds a role for it.
    error NotPermitted(address caller);
    /// @notice Consents are not in the order of the orders that they are for, or one is given twice.
    error AuthorizationsNotAscending(uint32 order);
    /// @notice Too little gas is left to let a household's contract wallet check a signature.
    error InsufficientGas();

    // Issue. Operator.

    /// @notice Issues one voucher, opened. Value must equal the allocation (or the whole unallocated reduction).
    function issue(IssueOrder calldata order) external returns (uint64 voucher);
    /// @notice Issues several vouchers, all or none. Operator.
    function issueMany(IssueOrder[] calldata orders) external returns (uint64[] memory vouchers);
    /// @notice Issues whole chunks, a batch each; chunks issued before are skipped, so that a repeat is harmless.
    function issueChunks(
        uint32 certificate,
        uint32 firstChunk,
        uint32 chunkCount,
        uint24 startDay,
        uint24 expiryDay,
        string calldata batchId
    ) external returns (uint32 issuedCount);

    /// @notice Commits the one-time keys of what this transaction issued last: a voucher issued alone, or all batches since
    /// the last such voucher or commitment. Operator, by `multicall`.
    /// @dev At no other time: who could would consent for every household. A reissued voucher has the keys of the one that it
    /// replaces. Emits CodesCommitted, for each of the batches.
    function commitCodes(bytes32 root) external;

    // Redeem. An operator for any supplier, a supplier's account for itself, anyone with the household's authorisation.

    /// @notice Opens a voucher into storage. Anyone.
    function open(Opening calldata opening) external;
    /// @notice Redeems one order; reverts with every broken rule.
    function redeem(RedemptionOrder calldata order) external returns (uint96 redemption);
    /// @notice Opens the order's voucher if it is not open, and redeems; reverts with what is wrong.
    function redeemOpening(
        RedemptionOrder calldata order,
        uint32 household,
        uint64 value,
        bytes32[] calldata proof
    ) external returns (uint96 redemption);
    /// @notice Redeems one order of an open voucher with its household's consent; reverts with what is wrong. Anyone.
    /// @param authorization Its `order` is ignored.
    function redeemAuthorized(
        RedemptionOrder calldata order,
        Authorization calldata authorization
    ) external returns (uint96 redemption);
    /// @notice Redeems many, and opens what their vouchers need; an order that breaks rules is refused by event and
    /// does not affect the others. An opening of a voucher that is open already, that does not hold, or whose orders are
    /// all refused is skipped. Called without a transaction (`eth_call`) it checks the orders in advance.
    /// @return rules Of each order the broken rules, 0 for none.
    function redeemMany(
        Opening[] calldata openings,
        RedemptionOrder[] calldata orders,
        Authorization[] calldata authorizations
    ) external returns (uint16[] memory rules);
    /// @notice Invalidates a nonce of the household and everything that was signed with it. The nonce of a one-time key is its
    /// address. The household's account. Emits AuthorizationCancelled.
    function cancelAuthorization(uint32 household, uint256 nonce) external;

    // Care of vouchers.

    /// @notice Registrar or evaluator.
    function suspend(uint64 voucher, string calldata reason) external;
    /// @notice Makes a suspended voucher active again, valid for as long as when it was suspended.
    function reactivate(uint64 voucher, string calldata reason) external;
    /// @notice Operator or the certificate's implementer; an expired voucher only while it is suspended or nobody may sweep it
    /// yet.
    function cancel(uint64 voucher, string calldata reason) external;
    /// @notice One new voucher of exactly the rest for the same household, with the same one-time keys. Operator or the
    /// implementer.
    /// @param startDay At most today, or the cancelled voucher's own where that is later.
    /// @param expiryDay At least `reissueExpiry`.
    function reissue(
        uint64 voucher,
        uint24 startDay,
        uint24 expiryDay,
        string calldata batchId
    ) external returns (uint64 replacement);
    /// @notice Moves the rest of an expired voucher to the pool's reserve, from `sweepableFrom` on. Anyone.
    function sweep(uint64 voucher) external;
    /// @notice Burns the rest of vouchers of a revoked certificate, expired or suspended ones too, once the revocation is final.
    /// Anyone.
    /// @dev A cancelled, reissued, swept or burned voucher is skipped, so that a repeat is harmless.
    /// @param openings Of an opened voucher only the id is read.
    function burnRevoked(uint32 certificate, Opening[] calldata openings) external;

    // Care of redemptions.

    /// @notice Gives an open redemption back. The supplier's account, or an operator within what all may reverse in a day.
    function reverse(uint96 redemption, string calldata reason) external;
    /// @notice Gives back a redemption without an approved claim after its deadline (a claim under review: 30 days
    /// after it). Anyone.
    function lapse(uint96 redemption) external;
    /// @notice Holds the redemption's claim for review. Evaluator.
    function flagRedemption(uint96 redemption, string calldata reason) external;

    // Claims contract only.

    /// @notice Settles an open redemption in time, or one under review, and sends its CARBON. What the pool would get of a
    /// certificate whose revocation is final is burned and charged to the certificate's implementer.
    /// @param to Gets what is not set off.
    /// @param setOff Goes to the pool in any case.
    /// @return isBurned Whether `to` is the pool and all was burned.
    function settle(uint96 redemption, address to, uint64 setOff) external returns (bool isBurned);
    /// @notice Moves a redemption between the states of its claim: Open → UnderReview (in time), UnderReview → Rejected,
    /// Settled → Disputed, Disputed → Settled or Invalidated.
    function setRedemptionStatus(uint96 redemption, RedemptionStatus status) external;

    // Certificates contract only.
    /// @notice Halts the vouchers of a certificate, or ends that. Certificates only.
    /// @param revoked Begins the days in which the guardian can veto the revocation.
    function setCertificateHalted(uint32 certificate, bool halted, bool revoked) external;

    // Scheme. Registrar may require, only the council may cease to.
    /// @notice Says whether redemptions need the household's signature. Registrar; council to end it.
    function setHouseholdAuthorizationRequired(bool required) external;

    /// @notice Changes how much one account may cancel and reissue, and all together sweep, in a day. Council.
    function setLifecycleCap(uint64 cap) external;
    /// @notice The same, only downwards and immediately; 0 stops all three. Guardian.
    function lowerLifecycleCap(uint64 cap) external;
    /// @notice Changes how much one operator may redeem on PINs in a day. Council.
    function setPinCap(uint64 cap) external;
    /// @notice The same, only downwards and immediately; 0 forbids PINs. Guardian.
    function lowerPinCap(uint64 cap) external;

    /// @notice The CARBON token.
    function CARBON() external view returns (ICarbon);
    /// @notice Where CARBON goes that is swept or settled.
    function POOL() external view returns (address);
    /// @notice A voucher that is open; all zero for none.
    function voucherOf(uint64 voucher) external view returns (Voucher memory);
    /// @notice A batch of vouchers that were issued in a chunk; all zero for none.
    function batchOf(uint32 batch) external view returns (Batch memory);
    /// @notice Batches that were ever issued; their numbers are 1 to this.
    function batchCount() external view returns (uint32);
    /// @notice A redemption; all zero for none.
    function redemptionOf(uint96 redemption) external view returns (Redemption memory);
    /// @notice The redemption that a household's nonce settled, 0 if unused, the highest number if cancelled.
    function authorizationUsed(uint32 household, uint256 nonce) external view returns (uint96);
    /// @notice Whether redemptions need the household's signature.
    function householdAuthorizationRequired() external view returns (bool);
    /// @notice Micro-CARBON.
    function lifecycleCap() external view returns (uint64);
    /// @notice What an account may still cancel and reissue now; for the zero address, what may still be swept; for this
    /// contract's own, what operators may still reverse.
    function lifecycleLeft(address account) external view returns (uint64);
    /// @notice Micro-CARBON.
    function pinCap() external view returns (uint64);
    /// @notice What an operator may still redeem on PINs now.
    function pinLeft(address operator) external view returns (uint64);
    /// @notice What a supplier may still redeem now under a plan without a household's consent.
    function unconsentedLeft(uint32 plan, uint32 supplier) external view returns (uint64);
    /// @notice Root of the one-time keys of a voucher's batch, or of a voucher issued alone or reissued; 0 for none.
    function codeRootOf(uint64 voucher) external view returns (bytes32);
    /// @notice First day on which an active voucher may be swept if it has a balance; the last day that fits into the number
    /// while its certificate is suspended.
    function sweepableFrom(uint64 voucher) external view returns (uint24);
    /// @notice First day on which a certificate's revocation is final; 0 for one that is not revoked.
    function revocationFinalFrom(uint32 certificate) external view returns (uint24);
    /// @notice First last day that a reissue of a cancelled voucher may have now: today or later.
    function reissueExpiry(uint64 voucher) external view returns (uint24);
    /// @notice Whether the vouchers of a certificate cannot be spent.
    function certificateHalted(uint32 certificate) external view returns (bool);
    /// @notice Sum of what the ledger holds in escrow: remaining balances of vouchers and redemptions not yet settled.
    function escrowed() external view returns (uint256);
}
