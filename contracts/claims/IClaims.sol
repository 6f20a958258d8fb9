// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title IClaims
/// @notice Delivery claims: a verified credential's hash settles one redemption, once, and pays in the same transaction; in a
/// later one where the plan's review share must draw first.
/// @dev A claim's id is its redemption's. The payment is the pool's stablecoin; when the pool does not pay (paused,
/// capped, dry, or the token refuses), the supplier gets the CARBON itself and the claim still stands. What a supplier
/// owes from claims found invalid is set off first, in CARBON, to the pool's reserve.
interface IClaims {
    /// @param credentialHash SHA-256 of the compact credential.
    struct ClaimOrder {
        uint96 redemption;
        bytes32 credentialHash;
    }

    /// @param drawBlock The block whose hash draws; 0 for none.
    /// @param payer Whose cap the payment was counted against.
    struct Draw {
        uint64 drawBlock;
        address payer;
    }

    struct Dispute {
        address challenger;
        uint64 stake;
        uint40 openedAt;
    }

    /// @notice A credential was claimed for a redemption.
    event ClaimFiled(uint96 indexed redemption, uint32 indexed supplier, bytes32 indexed credentialHash);
    /// @notice The claim is recorded; its payment waits for the hash of a block that nobody knows yet. Then `settleDrawn`.
    event ClaimAwaitsDraw(uint96 indexed redemption, uint64 drawBlock);
    /// @notice The claim is recorded and its payment held. `drawn` when the plan's review share drew it.
    event ClaimHeld(uint96 indexed redemption, bool drawn);
    /// @notice An evaluator released a held claim; ClaimPaid follows.
    event ClaimApproved(uint96 indexed redemption, address indexed evaluator, string reason);
    /// @notice A redemption was settled: its CARBON went to the pool or to the supplier.
    /// @param carbonAmount What the redemption was worth.
    /// @param setOff Part of it that went to the pool's reserve against the supplier's debt.
    /// @param stablecoinAmount Paid in stablecoin for the rest; 0 when CARBON was paid instead.
    /// @param fallbackReason Selector of the pool's or token's refusal when CARBON was paid (0xffffffff when it gave
    /// none); 0 otherwise.
    event ClaimPaid(
        uint96 indexed redemption,
        uint32 indexed supplier,
        address indexed account,
        uint64 carbonAmount,
        uint64 setOff,
        uint64 stablecoinAmount,
        bytes4 fallbackReason
    );
    /// @notice An operator withdrew an attestation that it had signed.
    event AttestationCancelled(address indexed operator, bytes32 indexed attestation);
    /// @notice An evaluator rejected a held claim; the redemption lapses.
    event ClaimRejected(uint96 indexed redemption, string reason);
    /// @notice A settled claim is disputed. `stake` is micro-CARBON, 0 of an evaluator or the registrar.
    event ClaimDisputed(uint96 indexed redemption, address indexed challenger, uint64 stake, string reason);
    /// @notice An evaluator decided a dispute. Upheld: the claim was invalid and the supplier owes its amount.
    event DisputeResolved(uint96 indexed redemption, bool upheld, string reason);
    /// @notice What a supplier owes now, micro-CARBON.
    event SupplierDebtChanged(uint32 indexed supplier, uint64 debt);
    /// @notice The council waived a part of what a supplier owed, micro-CARBON. SupplierDebtChanged comes just before.
    event SupplierDebtWaived(uint32 indexed supplier, uint64 amount, string reason);
    /// @notice Emitted for an order of a batch that is refused; the others of the batch stand.
    /// @param reason Selector of the refusing error, see `claim`.
    event ClaimRefused(uint256 indexed order, uint96 indexed redemption, bytes4 reason);
    /// @notice What one operator or evaluator may pay out in any 24 hours, micro-CARBON.
    event OperatorCapChanged(uint64 cap);
    /// @notice What a dispute costs, micro-CARBON.
    event DisputeStakeChanged(uint64 stake);

    /// @notice The credential has settled another redemption.
    error CredentialUsed(bytes32 credentialHash, uint96 redemption);
    /// @notice The credential's hash is zero.
    error EmptyCredentialHash();
    /// @notice The payer has no room for the amount in these 24 hours, or has none any more. All in micro-CARBON.
    error OperatorCapExceeded(address operator, uint64 spent, uint64 amount, uint64 cap);
    /// @notice The signer of the attestation is not an operator.
    error AttestationInvalid(address signer);
    /// @notice The attestation was valid until that time, seconds since 1970.
    error AttestationExpired(uint64 validUntil);
    /// @notice The operator that signed the attestation has cancelled it.
    error AttestationWithdrawn(bytes32 attestation);
    /// @notice The function is for the contract's own calls.
    error OnlySelf();
    /// @notice The caller is not the pool.
    error OnlyPool(address caller);
    /// @notice The caller may not do this: it is neither the party that it concerns nor holds a role for it.
    error NotPermitted(address caller);
    /// @notice The redemption waits for no draw.
    error NoDraw(uint96 redemption);
    /// @notice The block that draws is not over yet.
    error DrawTooEarly(uint96 redemption, uint64 drawBlock);
    /// @notice The redemption is not in dispute.
    error NoDispute(uint96 redemption);
    /// @notice The supplier owes nothing, or nothing is to be waived.
    error NothingToWaive(uint32 supplier);
    /// @notice Less gas is left than the inner call and its fallback may need.
    error InsufficientGas();
    /// @notice The guardian may only lower a cap.
    error CapNotLowered(uint64 current, uint64 cap);

    /// @notice Files a claim and pays. Operator. The credential has been verified by the caller.
    function claim(uint96 redemption, bytes32 credentialHash) external;
    /// @notice Files many; a refused one does not affect the others.
    function claimMany(ClaimOrder[] calldata orders) external;
    /// @notice The supplier's own transaction with an operator's EIP-712 word that the credential verifies.
    /// @dev Type: ClaimAttestation(uint96 redemption,bytes32 credentialHash,uint64 validUntil); domain "Hearth Claims", "1".
    function claimWithAttestation(
        uint96 redemption,
        bytes32 credentialHash,
        uint64 validUntil,
        bytes calldata signature
    ) external;
    /// @notice Pays or holds a claim of a plan with a review share, by the hash of its draw's block. Anyone.
    /// @dev The redemption was bound to that block when the claim was filed, and takes no second claim: neither who files
    /// nor who calls this chooses. A block out of the chain's reach holds the claim. While a cap that was lowered since no
    /// longer covers the payment it reverts with OperatorCapExceeded, and the claim waits.
    function settleDrawn(uint96 redemption) external;
    /// @notice Takes an attestation back, so that no claim is filed by it. Who signed it.
    /// @param attestation Its EIP-712 digest.
    function cancelAttestation(bytes32 attestation) external;
    /// @notice Pays a held claim. Evaluator.
    function approve(uint96 redemption, string calldata reason) external;
    /// @notice Rejects a held claim, within the evaluator's cap; the redemption lapses at its deadline. Evaluator.
    function reject(uint96 redemption, string calldata reason) external;
    /// @notice Disputes a paid claim. An evaluator or registrar without stake, anyone else with the stake in CARBON
    /// (approved before).
    function dispute(uint96 redemption, string calldata reason) external;
    /// @notice Adjudicates. Evaluator, but never the account that raised the dispute. Upheld: claim invalidated, the amount
    /// becomes the supplier's debt, within the evaluator's cap, stake returned. Not upheld: claim stands, stake goes to the pool's reserve.
    function resolve(uint96 redemption, bool upheld, string calldata reason) external;
    /// @notice Waives what a supplier owes for a decision that was wrong: this much at most, and no more than the debt. Council.
    /// @dev Emits SupplierDebtChanged and SupplierDebtWaived. What was set off before stays in the pool's reserve, from where
    /// the council can pay it back.
    function waiveDebt(uint32 supplier, uint64 amount, string calldata reason) external;
    /// @notice Lowers a supplier's debt by CARBON that it sells to the pool, which pays for the rest only. Pool.
    /// @return setOff What the pool keeps unpaid.
    function setOffDebt(uint32 supplier, uint64 amount) external returns (uint64 setOff);

    /// @notice What one operator may pay out in any 24 hours, micro-CARBON. Guardian may lower, council sets.
    function setOperatorCap(uint64 cap) external;
    /// @notice Lowers the cap, micro-CARBON in any 24 hours. Guardian.
    function lowerOperatorCap(uint64 cap) external;
    /// @notice What a dispute costs from now on, micro-CARBON. Council.
    function setDisputeStake(uint64 stake) external;

    /// @notice The redemption that a credential has settled; 0 for none.
    function credentialRedemption(bytes32 credentialHash) external view returns (uint96);
    /// @notice What a supplier owes for claims that were found invalid, micro-CARBON.
    function supplierDebt(uint32 supplier) external view returns (uint64);
    /// @notice The draw that a claim waits for; all zero for none.
    function drawOf(uint96 redemption) external view returns (Draw memory);
    /// @notice The open dispute of a redemption; all zero for none.
    function disputeOf(uint96 redemption) external view returns (Dispute memory);
    /// @notice What one operator or evaluator may pay out in any 24 hours, micro-CARBON.
    function operatorCap() external view returns (uint64);
    /// @notice Seconds since a moment in which nothing could be claimed because the cap was zero. A redemption's deadline
    /// is extended by that time: otherwise the guardian could make every claim late by lowering the cap.
    function stoppedSince(uint256 time) external view returns (uint256);

    /// @notice What an operator or evaluator has paid out in the last 24 hours; it is kept by half days, so up to 36.
    function operatorSpent(address operator) external view returns (uint64);
}
