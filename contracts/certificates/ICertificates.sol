// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title ICertificates
/// @notice Verified emission reductions, what of them is allocated to which household, and what has been issued.
/// @dev Amounts are micro-CARBON (1 CARBON = 1 kg CO2e).
///
/// ALLOCATION. A leaf is 12 bytes: household index (4) then amount (8), big-endian. Leaves are recorded in order, in
/// chunks of 256 (the last may be shorter). Households must ascend strictly over all chunks, so that none can appear
/// twice; each must be registered; the sum must equal the verified reduction. When the last leaf is in and the sum
/// holds, the certificate becomes valid. A leaf's hash is keccak256 of its 12 bytes; a node's is
/// keccak256(left ‖ right); each level is filled up with the level's zero hash (0 at the leaves, keccak256(z ‖ z)
/// above) to an even count until one root is left, so a chunk of n leaves has ceil(log2 n) levels.
/// The position in the chunk decides left or right at each level (bit k of the position at level k).
///
/// ISSUE. Only the voucher ledger calls it. A chunk is issued whole or leaf by leaf, never a leaf twice.
///
/// REVOCATION. Immediately no voucher of the certificate can be spent, and the CARBON that it has issued becomes a debt of its
/// implementer. A revocation is final when two UTC midnights have passed, so after a day at least, and then it is permanent. Until
/// then the guardian can veto it, each time again, and nothing is burned: the certificate is suspended then, and the debt is gone.
/// The debt falls by what is burned: vouchers by `IVouchers.burnRevoked`, redemptions when they are refunded or paid. The
/// implementer, or anyone for it, burns other CARBON for the rest by `repayDebt`. What is burned or vetoed after a payment leaves
/// a credit, which counts for the implementer's next debt.
/// A redemption is still paid when it was made before the revocation. When that is final, the pool gets no CARBON for it, so
/// the implementer owes the pool as much: `replacementOf`, until `replaceCarbon`.
/// No conversion of an implementer that owes either becomes final; see `IItmo`.
///
/// LOTS. A certificate's lot is the CARBON of it that has left the voucher ledger, paid for a claim or swept, less what
/// conversions into ITMOs have taken. CARBON is fungible, so a conversion takes lots of its vintage: first in, first out. A
/// lot that is filled after it was empty joins its vintage's queue at the end. Lots of certificates that are not valid are
/// skipped, and keep their place. A conversion that does not become final returns exactly the lots that it took. So neither
/// a certificate nor a vintage yields more ITMOs than CARBON was released of it.
interface ICertificates {
    enum Status {
        None,
        Pending,
        Valid,
        Suspended,
        Revoked
    }

    /// @param vintage Calendar year of the reduction.
    /// @param verifiedReduction Micro-CARBON.
    /// @param registry Name of the registry of the underlying units; serial ranges are disjoint within one. Case,
    /// blanks and punctuation make no other registry.
    /// @param verifier keccak-256 of the verifier's DID, trusted for EmissionReductionCredential when it was issued.
    /// @param credentialIssuedAt Seconds since 1970.
    /// @param allocationCount Number of leaves; 0 for a certificate that serves one household.
    /// @param predecessor Index of a certificate of the same registry that lies before the range, 0 for the list's
    /// head. A hint: the contract walks on from it, at most 64 steps.
    struct Registration {
        string certificateId;
        string activityId;
        uint32 implementer;
        uint32 plan;
        uint16 vintage;
        uint24 periodStart;
        uint24 periodEnd;
        uint64 verifiedReduction;
        string registry;
        uint64 firstSerial;
        uint64 lastSerial;
        bytes32 verifier;
        uint64 credentialIssuedAt;
        bytes32 credentialHash;
        uint32 allocationCount;
        uint32 predecessor;
    }

    /// @param issued Net of what cancellations returned.
    /// @param allocated Sum of the leaves recorded so far.
    struct Certificate {
        uint32 implementer;
        uint32 plan;
        Status status;
        uint64 verifiedReduction;
        uint64 issued;
        uint32 allocationCount;
        uint32 recordedCount;
        uint64 allocated;
        uint64 firstSerial;
        uint64 lastSerial;
    }

    /// @notice What a conversion took of a certificate's lot, micro-CARBON.
    struct Lot {
        uint32 certificate;
        uint64 amount;
    }

    /// @notice The registrar registered a certificate.
    event CertificateRegistered(uint32 indexed certificate, uint32 indexed implementer, Registration registration);
    /// @notice The leaves of a chunk were recorded. `total` is micro-CARBON.
    /// @param leaves The chunk's leaves, 12 bytes each.
    event AllocationRecorded(
        uint32 indexed certificate,
        uint32 indexed chunk,
        bytes32 root,
        uint64 total,
        bytes leaves
    );
    /// @notice A certificate became valid, the registrar suspended, reinstated or revoked it, or the guardian vetoed its
    /// revocation.
    event CertificateStatusChanged(uint32 indexed certificate, Status status, string reason);

    /// @notice The debt of a certificate's implementer after the certificate was revoked, or CARBON of it burned, or its
    /// revocation vetoed.
    /// @param debt What it owes now, for all its certificates.
    event DebtChanged(uint32 indexed implementer, uint32 indexed certificate, uint256 debt);
    /// @notice Somebody burned CARBON for an implementer's debt.
    /// @param debt What the implementer still owes.
    event DebtRepaid(uint32 indexed implementer, address indexed payer, uint256 amount, uint256 debt);
    /// @notice A redemption of a revoked certificate was paid, and its CARBON burned.
    /// @param replacement What the implementer owes the pool now.
    event ReplacementOwed(uint32 indexed implementer, uint32 indexed certificate, uint64 amount, uint256 replacement);
    /// @notice Somebody gave the pool CARBON for what an implementer owes it.
    /// @param replacement What the implementer still owes the pool.
    event CarbonReplaced(uint32 indexed implementer, address indexed payer, uint256 amount, uint256 replacement);

    /// @notice A conversion took lots of its vintage.
    /// @param lots In the order of the queue.
    event LotsTaken(address indexed converter, uint32 indexed conversion, uint16 vintage, Lot[] lots);
    /// @notice A conversion returned all lots that it had taken.
    event LotsReturned(address indexed converter, uint32 indexed conversion, Lot[] lots);

    /// @notice The caller is not the voucher ledger.
    error OnlyVouchers(address caller);
    /// @notice The id is empty.
    error EmptyId();
    /// @notice The credential's hash is zero.
    error EmptyCredentialHash();
    /// @notice No implementer has that index.
    error UnknownImplementer(uint32 implementer);
    /// @notice No monitoring plan has that index.
    error UnknownPlan(uint32 plan);
    /// @notice The first day is after the last, days since 1970-01-01 UTC.
    error InvalidPeriod(uint24 startDay, uint24 endDay);
    /// @notice The id is taken.
    error AlreadyRegistered(bytes32 idHash, uint32 certificate);
    /// @notice No certificate has that index.
    error UnknownCertificate(uint32 certificate);
    /// @notice The certificate's status does not allow this.
    error CertificateNotValid(uint32 certificate, Status status);
    /// @notice A certificate cannot have that status now.
    error StatusNotAllowed(uint32 certificate, Status from, Status to);
    /// @notice The certificate is revoked for ever: nobody can veto or change that any more.
    /// @param finalFrom First day on which it was final, days since 1970-01-01 UTC.
    error RevocationFinal(uint32 certificate, uint24 finalFrom);
    /// @notice The verifier is not trusted now, or was not when it issued, seconds since 1970.
    error VerifierNotTrusted(bytes32 verifier, uint64 issuedAt);
    /// @notice The credential has registered another certificate.
    error CredentialAlreadyUsed(bytes32 credentialHash, uint32 certificate);
    /// @notice The serials begin with 0 or are not ordered.
    error InvalidSerials(uint64 firstSerial, uint64 lastSerial);
    /// @notice The name has no letter or digit, or a character that is not printable ASCII.
    error RegistryNameInvalid(string registry);
    /// @notice The registry has a certificate already, which spells its name differently.
    error RegistrySpelledDifferently(string registry);
    /// @notice The serials overlap those of a certificate of the same registry.
    error SerialsOverlap(string registry, uint64 firstSerial, uint64 lastSerial, uint32 certificate);
    /// @notice An amount is zero or more than 64 bits hold, micro-CARBON.
    error InvalidAmount();
    /// @notice The bytes are not leaves, or not whole chunks where they must be.
    error InvalidLeaves(uint256 length);
    /// @notice There are more leaves than the allocation has.
    error TooManyLeaves(uint32 certificate, uint256 count, uint32 allocationCount);
    /// @notice Households do not ascend strictly.
    error HouseholdsNotAscending(uint32 previous, uint32 household);
    /// @notice The last household's index belongs to nobody.
    error HouseholdNotRegistered(uint32 household);
    /// @notice The leaves do not add up to the verified reduction, micro-CARBON.
    error AllocationSumMismatch(uint32 certificate, uint64 allocated, uint64 verifiedReduction);
    /// @notice The certificate has an allocation.
    error NotUnallocated(uint32 certificate);
    /// @notice The certificate has no such chunk.
    error ChunkNotRecorded(uint32 certificate, uint32 chunk);
    /// @notice The leaf was issued before.
    error LeafAlreadyIssued(uint32 certificate, uint32 leaf);
    /// @notice The proof does not lead from the leaf to its chunk's root.
    error ProofInvalid(uint32 certificate, uint32 leaf);
    /// @notice The certificate has less left than is to be issued, micro-CARBON.
    error IssueExceedsReduction(uint32 certificate, uint64 issued, uint64 amount, uint64 verifiedReduction);
    /// @notice Nothing, or more than the implementer owes.
    error AmountNotOwed(uint32 implementer, uint256 amount, uint256 owed);
    /// @notice The implementer owes CARBON for revoked certificates.
    error ImplementerOwes(uint32 implementer, uint256 debt, uint256 replacement);
    /// @notice The lots of a vintage's valid certificates have less than the amount, micro-CARBON.
    error LotsTooSmall(uint16 vintage, uint64 amount, uint64 available);
    /// @notice The amount is spread over too many lots for one conversion. Convert less.
    /// @param reachable What one conversion can take now, micro-CARBON.
    error TooManyLots(uint16 vintage, uint64 amount, uint64 reachable);
    /// @notice A conversion took CARBON of a certificate that is now suspended or revoked.
    error LotNotValid(uint32 certificate, Status status);

    /// @notice Registers a certificate. Registrar. Pending while its allocation is incomplete.
    function registerCertificate(Registration calldata registration) external returns (uint32 certificate);

    /// @notice Records the next leaves of an allocation. Registrar. All calls but the last bring whole chunks.
    function recordAllocation(uint32 certificate, bytes calldata leaves) external;

    /// @notice Registers and records in one call, so that a certificate of one transaction is never half there.
    function registerAllocated(
        Registration calldata registration,
        bytes calldata leaves
    ) external returns (uint32 certificate);

    /// @notice Suspends, reinstates or revokes. Registrar. Vouchers of a certificate that is not valid cannot be spent.
    function setCertificateStatus(uint32 certificate, Status status, string calldata reason) external;
    /// @notice Takes back a revocation that is not final, see `IVouchers.revocationFinalFrom`. The certificate is suspended
    /// then, or pending while its allocation is incomplete. Guardian.
    /// @dev Emits `CertificateStatusChanged` and `DebtChanged`.
    function vetoRevocation(uint32 certificate, string calldata reason) external;

    // Debts of revoked certificates.

    /// @notice Burns CARBON of the caller for an implementer's debt. Anyone, after approving this contract.
    function repayDebt(uint32 implementer, uint256 amount) external;
    /// @notice Moves CARBON of the caller to the pool's reserve for what an implementer owes it. Anyone, after approving
    /// this contract.
    function replaceCarbon(uint32 implementer, uint256 amount) external;

    // Issue accounting; voucher ledger only.

    /// @notice Marks a whole chunk as issued; count 0 when it has been before.
    function issueChunk(
        uint32 certificate,
        uint32 chunk
    ) external returns (bytes32 root, uint16 count, uint64 total, uint32 plan);
    /// @notice Marks one leaf as issued. Voucher ledger.
    function issueLeaf(
        uint32 certificate,
        uint32 leaf,
        uint32 household,
        uint64 amount,
        bytes32[] calldata proof
    ) external returns (uint32 plan);
    /// @notice Issues the whole of an unallocated certificate to one household.
    function issueWhole(uint32 certificate, uint32 household, uint64 amount) external returns (uint32 plan);
    /// @notice Takes back what has been burned of a certificate's issue, micro-CARBON. Voucher ledger.
    function returnRest(uint32 certificate, uint64 amount) external;
    /// @notice Charges the implementer of a revoked certificate with CARBON that the pool paid for and did not get. Voucher
    /// ledger.
    function oweReplacement(uint32 certificate, uint64 amount) external;
    /// @notice Issues again what came back, micro-CARBON. Voucher ledger.
    function reissueRest(uint32 certificate, uint64 amount) external;

    // Lots.

    /// @notice Adds what has left the voucher ledger to a certificate's lot, micro-CARBON. Voucher ledger.
    function releaseLot(uint32 certificate, uint64 amount) external;
    /// @notice Takes lots of a vintage for a conversion, micro-CARBON. Converter.
    /// @param conversion Number that the caller chooses. It must not have taken lots for it before.
    function takeLots(uint32 conversion, uint16 vintage, uint64 amount) external;
    /// @notice Returns the lots that a conversion of the caller took. Changes nothing if it took none.
    function returnLots(uint32 conversion) external;

    /// @notice The lots that a converter's conversion took, in the order of the queue; none after they were returned.
    function lotsOf(address converter, uint32 conversion) external view returns (Lot[] memory);
    /// @notice Reverts unless a conversion of the caller can become final: its implementer owes nothing, and all certificates
    /// that it took from are valid.
    function requireConvertible(uint32 conversion, uint32 implementer) external view;
    /// @notice A certificate's vintage, the CARBON released of it and the part that conversions have taken, micro-CARBON.
    function lotOf(uint32 certificate) external view returns (uint16 vintage, uint64 released, uint64 taken);
    /// @notice The current queue of a vintage, with what is left of each lot; 0 for a certificate that is not valid.
    /// @dev For calls without a transaction: reads every lot of the vintage.
    function queueOf(uint16 vintage) external view returns (Lot[] memory lots);

    /// @notice CARBON of its revoked certificates that still exists, less what has been repaid, micro-CARBON.
    function debtOf(uint32 implementer) external view returns (uint256);
    /// @notice CARBON that an implementer owes the pool's reserve, micro-CARBON.
    function replacementOf(uint32 implementer) external view returns (uint256);
    /// @notice A certificate's index by the keccak-256 of its id; 0 for none.
    function certificateIndex(bytes32 certificateIdHash) external view returns (uint32);
    /// @notice A certificate; all zero for none.
    function certificateOf(uint32 certificate) external view returns (Certificate memory);
    /// @notice A certificate's implementer, and how many leaves its allocation has; both zero for none.
    function allocationOf(uint32 certificate) external view returns (uint32 implementer, uint32 allocationCount);
    /// @notice The Merkle root of a chunk of an allocation; zero when it was not recorded.
    function chunkRoot(uint32 certificate, uint32 chunk) external view returns (bytes32);
    /// @notice Whether a leaf was issued.
    function isLeafIssued(uint32 certificate, uint32 leaf) external view returns (bool);
    /// @notice The certificate's Merkle root: the tree over its chunks' roots, filled up like a chunk's.
    function allocationRoot(uint32 certificate) external view returns (bytes32);
    /// @notice The certificate of a registry with the greatest first serial not above the given one, 0 if none.
    function serialPredecessor(string calldata registry, uint64 serial) external view returns (uint32);

    /// @notice Hash of a registry's name as its first certificate spelled it; zero when it has no certificate.
    function registryNameHash(string calldata registry) external view returns (bytes32);
    /// @notice Whether vouchers of the certificate may be spent.
    function isSpendable(uint32 certificate) external view returns (bool);
}
