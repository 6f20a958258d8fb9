// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// @title ICampaigns
/// @notice Kitchen performance test (KPT) campaigns: two committed frames of households, a sample drawn from later block
/// randomness, every replacement, one record for each verified measurement, and the hash of the result.
/// @dev
/// FRAMES. A household is its keyed hash, as in `IParticipants`; it need not be registered. A frame's root is that of
/// OpenZeppelin's `SimpleMerkleTree` over its hashes in ascending order, none twice, none in both frames. The chain
/// sees only the roots; anyone who has the frames can check them.
///
/// DRAW. A second party, a registrar, an evaluator or the guardian, commits to a secret by `joinDraw`; then the operator commits to its
/// own by `openDraw`. The second block after that draws. Then both reveal their secrets within a day:
/// `seed = keccak256(abi.encode(blockhash(drawBlock), campaign, referenceRoot, interventionRoot, operatorSecret,
/// partySecret))`. A commitment is `keccak256(abi.encode(secret, account))`; a secret is 32 random bytes. Without a second
/// party `partySecret` is zero, one party alone could have chosen the draw, and its result never has a certificate. A
/// group's draw order is its frame ascending by `keccak256(seed ‖ group ‖ household)` (32, 1 and 32 bytes; the reference group
/// is 0, the intervention 1); a position is the rank in it, from 0. The first `sampleSize` are the sample, the next
/// ones its replacements, in order.
///
/// SAMPLE. Every drawn position ends: it is measured (it has a claim that stands), dropped for a replacement, or missing.
/// A campaign closes when none is open. A certificate needs at most one missing position in ten of each group's sample.
///
/// CLAIMS. A claim's id is campaign (32 bits), group (1 bit, 1 for intervention), position (31 bits), and the number of
/// the household's claim in the campaign from 1 (32 bits).
interface ICampaigns {
    enum Status {
        None,
        Committed,
        Drawn,
        Closed,
        Abandoned
    }

    enum Group {
        Reference,
        Intervention
    }

    enum DropReason {
        Other,
        Refused,
        Absent,
        Moved,
        Ineligible,
        Incomplete
    }

    /// @dev Why a draw that was open is not the one that counts: a party did not reveal its secret in time, nobody revealed
    /// one while the block's hash was in reach, or the campaign was abandoned.
    enum DiscardReason {
        SecretWithheld,
        BlockLost,
        CampaignAbandoned
    }

    /// @param size Households in the frame, less than 2^31.
    struct Frame {
        bytes32 root;
        uint32 size;
    }

    /// @param startDay First day of the test period, days since 1970-01-01 UTC.
    /// @param endDay Last day, inclusive.
    /// @param sampleSize Households to draw from each frame.
    /// @param terms Canonical JSON of what the API checks and the chain need not: season, factors, confidence, emissions.
    struct NewCampaign {
        string campaignId;
        uint32 plan;
        uint24 startDay;
        uint24 endDay;
        uint32 sampleSize;
        Frame referenceFrame;
        Frame interventionFrame;
        string terms;
    }

    /// @param drawBlock The block whose hash draws; 0 before the draw is open.
    /// @param seed Zero before the draw.
    /// @param drawnTo By group, the first position that is neither in the sample nor a replacement.
    /// @param referenceClaims Claims recorded and not revoked.
    /// @param interventionClaims The same, of the intervention group.
    /// @param openPositions Drawn positions that have not ended; 0 before the draw.
    /// @param missing By group, positions that ended as missing.
    /// @param termsVersion 1, and one more with each amendment.
    /// @param twoParties Whether two parties drew, and the operator withheld its secret in no round.
    /// @param resultHash Zero before the close.
    /// @param certificate Zero before the certificate.
    struct Campaign {
        uint32 plan;
        uint24 startDay;
        uint24 endDay;
        uint32 sampleSize;
        Status status;
        uint64 drawBlock;
        bytes32 seed;
        Frame referenceFrame;
        Frame interventionFrame;
        uint32[2] drawnTo;
        uint32 referenceClaims;
        uint32 interventionClaims;
        uint32 openPositions;
        uint32[2] missing;
        uint32 termsVersion;
        bool twoParties;
        bytes32 resultHash;
        uint32 certificate;
    }

    /// @param operator Who opened the draw; zero before.
    /// @param round 0, and one more with each repetition.
    /// @param deadline Until when secrets can be revealed, unix seconds; 0 before the draw is open.
    /// @param party The second party; zero for none.
    /// @param operatorWithheld Whether the operator withheld its secret in an earlier round.
    /// @param operatorSecret Zero until it is revealed.
    /// @param partySecret The same.
    /// @param blockHash Of the draw's block; zero until the first secret is revealed.
    struct Draw {
        address operator;
        uint32 round;
        uint64 deadline;
        address party;
        bool operatorWithheld;
        bytes32 operatorCommitment;
        bytes32 partyCommitment;
        bytes32 operatorSecret;
        bytes32 partySecret;
        bytes32 blockHash;
    }

    /// @param claimHash SHA-256 digest in the CID of the claim's file, which holds a random salt.
    /// @param credentialHash SHA-256 of the compact credential.
    struct ClaimRecord {
        uint96 claim;
        bytes32 claimHash;
        bytes32 credentialHash;
    }

    /// @notice An operator committed a campaign with the roots of its two frames.
    event CampaignCommitted(uint32 indexed campaign, uint32 indexed plan, NewCampaign registration);
    /// @notice The terms of a campaign were replaced before its draw.
    event CampaignAmended(uint32 indexed campaign, uint32 version, string terms, string reason);
    /// @notice A campaign is abandoned: it never has a result.
    event CampaignAbandoned(uint32 indexed campaign, string reason);
    /// @notice A second party committed to its secret.
    event DrawJoined(uint32 indexed campaign, uint32 round, address party, bytes32 commitment);
    /// @notice The operator committed to its secret; the draw's block is fixed, and no party can join any more.
    /// @param party Zero when there is no second party.
    event DrawOpened(
        uint32 indexed campaign,
        uint32 round,
        address operator,
        bytes32 commitment,
        address party,
        uint64 drawBlock,
        uint64 deadline
    );
    /// @notice Nobody revealed a secret while the block's hash was in reach: another block will draw.
    event DrawPostponed(uint32 indexed campaign, uint64 drawBlock, uint64 deadline);
    /// @notice A party revealed its secret.
    event SecretRevealed(uint32 indexed campaign, uint32 round, address party, bytes32 secret);
    /// @notice A party did not reveal its secret in time: the draw is repeated.
    event SecretWithheld(uint32 indexed campaign, uint32 round, address party);
    /// @notice A draw was discarded after it was open, known or not: somebody may get another one.
    /// @param party Zero when there was no second party.
    /// @param drawBlock The block that drew or was to draw. Anyone who had the secrets could know the draw after it.
    /// @param seed Zero when the draw was not complete.
    event DrawDiscarded(
        uint32 indexed campaign,
        uint32 round,
        DiscardReason reason,
        address operator,
        address party,
        uint64 drawBlock,
        bytes32 seed
    );
    /// @notice The seed of a campaign is known.
    event CampaignDrawn(uint32 indexed campaign, uint64 drawBlock, bytes32 blockHash, bytes32 seed, bool twoParties);
    /// @notice A household of the sample gave way to the next one of its group's draw order.
    event HouseholdReplaced(
        uint32 indexed campaign,
        Group group,
        uint32 dropped,
        uint32 replacement,
        DropReason reason,
        bytes32 evidenceHash
    );
    /// @notice A drawn household is not measured and not replaced.
    event PositionMissing(
        uint32 indexed campaign,
        Group group,
        uint32 position,
        DropReason reason,
        bytes32 evidenceHash
    );
    /// @notice A verified measurement was recorded by its hash.
    event KptClaimRecorded(uint96 indexed claim, uint32 indexed campaign, bytes32 claimHash, bytes32 credentialHash);
    /// @notice Emitted for a record of a batch that is refused; the others of the batch stand.
    /// @param reason Selector of the refusing error, see `record`.
    event KptClaimRefused(uint256 indexed order, uint96 indexed claim, bytes4 reason);
    /// @notice An evaluator revoked a measurement.
    event KptClaimRevoked(uint96 indexed claim, uint32 indexed campaign, string reason);
    /// @notice A campaign was closed with the hash of its result.
    event CampaignClosed(uint32 indexed campaign, bytes32 resultHash);
    /// @notice The registrar linked a closed campaign to the certificate made of it.
    event CampaignCertified(uint32 indexed campaign, uint32 indexed certificate);

    /// @notice The campaign has no id.
    error EmptyCampaignId();
    /// @notice The campaign's id is taken.
    error CampaignExists(bytes32 idHash, uint32 campaign);
    /// @notice The first day is after the last, or outside the plan's period. Days since 1970-01-01 UTC.
    error CampaignPeriodInvalid(uint24 startDay, uint24 endDay);
    /// @notice A frame has no root or no household.
    error FrameInvalid(Group group, bytes32 root, uint32 size);
    /// @notice Both frames have the same root.
    error FramesEqual(bytes32 root);
    /// @notice The sample is empty, or larger than a frame.
    error SampleSizeInvalid(uint32 sampleSize, uint32 smallestFrame);
    /// @notice No campaign has that number.
    error UnknownCampaign(uint32 campaign);
    /// @notice The campaign's status does not allow this.
    error CampaignStatusNotAllowed(uint32 campaign, Status status);
    /// @notice A commitment is zero.
    error EmptyCommitment(uint32 campaign);
    /// @notice The account holds no role of a second party, or is an operator, or withheld its secret before.
    error SecondPartyNotAllowed(uint32 campaign, address party);
    /// @notice The time for the signature is over. Unix seconds.
    error DrawSignatureExpired(uint64 deadline);
    /// @notice The party did not sign this commitment for this round of this campaign's draw.
    error DrawSignatureInvalid(address party);
    /// @notice The draw has a second party already.
    error DrawHasSecondParty(uint32 campaign, address party);
    /// @notice The draw is open: no party can join, and no term can change.
    error DrawIsOpen(uint32 campaign);
    /// @notice The draw is not open.
    error DrawNotOpen(uint32 campaign);
    /// @notice The secret is neither the operator's nor the second party's.
    error SecretWrong(uint32 campaign);
    /// @notice The party has revealed its secret already.
    error SecretAlreadyRevealed(uint32 campaign, address party);
    /// @notice The hash of the draw's block is out of reach: the draw must be postponed.
    error DrawBlockLost(uint32 campaign, uint64 drawBlock);
    /// @notice The draw's block is not over, or its hash is in reach or was kept.
    error DrawBlockNotLost(uint32 campaign, uint64 drawBlock);
    /// @notice The time to reveal is not over. Unix seconds.
    error RevealNotOver(uint32 campaign, uint64 deadline);
    /// @notice The time to reveal is over: the draw must be repeated. Unix seconds.
    error RevealOver(uint32 campaign, uint64 deadline);
    /// @notice One party alone could have chosen the draw.
    error DrawnByOneParty(uint32 campaign);
    /// @notice The block that draws is not over yet.
    error DrawTooEarly(uint32 campaign, uint64 drawBlock);
    /// @notice The position is neither in the sample nor a replacement.
    error PositionNotDrawn(uint32 campaign, Group group, uint32 position, uint32 drawnTo);
    /// @notice The household of the position was replaced.
    error PositionDropped(uint32 campaign, Group group, uint32 position);
    /// @notice The position ended as missing.
    error PositionIsMissing(uint32 campaign, Group group, uint32 position);
    /// @notice A replacement, and the reason "other" of a missing position, need the hash of evidence.
    error EvidenceMissing();
    /// @notice Drawn positions are neither measured nor replaced nor missing.
    error SampleIncomplete(uint32 campaign, uint32 openPositions);
    /// @notice More than a tenth of a group's sample is missing.
    error TooManyMissing(uint32 campaign, Group group, uint32 missing, uint32 sampleSize);
    /// @notice The household of the position was measured, so it can neither be replaced nor be missing.
    error PositionHasClaim(uint32 campaign, Group group, uint32 position);
    /// @notice The group has no further household.
    error FrameExhausted(uint32 campaign, Group group, uint32 size);
    /// @notice A household's claims are numbered from 1.
    error KptClaimNumberZero(uint96 claim);
    /// @notice The hash of the measurement or of its credential is zero.
    error KptClaimHashEmpty(uint96 claim);
    /// @notice The measurement was recorded before.
    error KptClaimExists(uint96 claim);
    /// @notice The credential was recorded for another measurement.
    error KptCredentialUsed(bytes32 credentialHash, uint96 claim);
    /// @notice The campaign's last day is not over. Days since 1970-01-01 UTC.
    error CampaignPeriodNotOver(uint32 campaign, uint24 endDay);
    /// @notice The reference group has no standing measurement yet.
    error NoReferenceClaims(uint32 campaign);
    /// @notice The measurement was not recorded.
    error UnknownKptClaim(uint96 claim);
    /// @notice The measurement was revoked before.
    error KptClaimAlreadyRevoked(uint96 claim);
    /// @notice A reason has no bytes, or more than allowed.
    error ReasonInvalid(uint256 length, uint256 limit);
    /// @notice The result's hash is zero.
    error EmptyResultHash(uint32 campaign);
    /// @notice The campaign has a certificate.
    error CampaignAlreadyCertified(uint32 campaign, uint32 certificate);
    /// @notice The certificate belongs to another campaign.
    error CertificateLinked(uint32 certificate, uint32 campaign);
    /// @notice The certificate is of another plan than the campaign.
    error CertificatePlanDiffers(uint32 certificate, uint32 certificatePlan, uint32 campaignPlan);

    /// @notice Commits a campaign's frames before its draw.
    /// @dev Emits `CampaignCommitted`. Requirements:
    /// - the caller is an operator
    /// - the id is new and not empty, the plan registered (or 0, the default), the period in order
    /// - no frame is empty, their roots differ, and the sample fits into the smaller of them
    function commit(NewCampaign calldata registration) external returns (uint32 campaign);

    /// @notice Replaces the terms of a campaign before its draw. Operator.
    /// @dev Emits `CampaignAmended`. The campaign is committed and its draw is not open.
    /// @param terms As in `NewCampaign`, whole.
    /// @param reason 1 to 256 bytes, public; nothing about persons.
    /// @return version Of the terms; the committed ones have 1.
    function amend(uint32 campaign, string calldata terms, string calldata reason) external returns (uint32 version);

    /// @notice Gives up a campaign for ever. Operator.
    /// @dev Emits `CampaignAbandoned`, and `DrawDiscarded` when its draw is open or done. The campaign is committed or drawn.
    /// @param reason 1 to 256 bytes, public; nothing about persons.
    function abandon(uint32 campaign, string calldata reason) external;

    /// @notice Commits the caller's secret as the second party of a draw.
    /// @dev Emits `DrawJoined`. Requirements:
    /// - the campaign is committed, its draw is not open and has no second party in this round
    /// - the caller is a registrar, an evaluator or a guardian, not an operator, and never withheld a secret of this
    ///   campaign
    /// - the commitment is not zero
    /// @param commitment `keccak256(abi.encode(secret, caller))`
    function joinDraw(uint32 campaign, bytes32 commitment) external;

    /// @notice The same for a party that signed `DrawParty` (EIP-712, domain "Hearth Campaigns" version 1). Anyone.
    /// @param deadline Of the signature, unix seconds.
    /// @param signature Of the party; a contract's by ERC-1271.
    function joinDrawFor(
        uint32 campaign,
        address party,
        bytes32 commitment,
        uint64 deadline,
        bytes calldata signature
    ) external;

    /// @notice Commits the operator's secret and fixes the block that draws: the second after this one. Operator.
    /// @dev Emits `DrawOpened`. Requirements:
    /// - the campaign is committed and its draw is not open
    /// - the commitment is not zero
    /// @param commitment `keccak256(abi.encode(secret, caller))`
    function openDraw(uint32 campaign, bytes32 commitment) external;

    /// @notice Reveals a party's secret; the last one draws the sample. Anyone who knows it.
    /// @dev Emits `SecretRevealed`, and `CampaignDrawn` with the last secret. The first reveal keeps the hash of the
    /// draw's block, which is in reach for 8191 blocks (EIP-2935), for 256 on chains without. Requirements:
    /// - the campaign is committed, its draw is open, and the time to reveal is not over
    /// - the draw's block lies before this one, and its hash is in reach or was kept
    /// - the secret is that of a commitment, and was not revealed before
    /// @return drawn Whether this was the last secret.
    function reveal(uint32 campaign, bytes32 secret) external returns (bool drawn);

    /// @notice Sets another block for a draw whose block's hash went out of reach before a secret was revealed. Anyone.
    /// @dev Emits `DrawDiscarded` for the block that was lost, and `DrawPostponed`. The time to reveal begins again.
    function postponeDraw(uint32 campaign) external;

    /// @notice Ends a round of the draw in which a secret was not revealed within a day. Anyone.
    /// @dev Emits `SecretWithheld` for each party that withheld, and `DrawDiscarded`. Both parties commit again. A second party
    /// that withheld cannot join again; after an operator that withheld, no draw of the campaign counts as one of two parties.
    function repeatDraw(uint32 campaign) external;

    /// @notice Drops a drawn household and takes the next one of the draw order.
    /// @dev Emits `HouseholdReplaced`. Requirements:
    /// - the caller is an operator
    /// - the campaign is drawn and not closed
    /// - the dropped position is in the sample, was not dropped before, is not missing, and never had a claim: who has
    ///   measured a household cannot choose another for its result, revoked or not
    /// - the frame has a household left
    /// - there is evidence, whatever the reason, because a replaced household leaves no trace in the result
    /// @param evidenceHash SHA-256 of the evidence's URI.
    function replace(
        uint32 campaign,
        Group group,
        uint32 dropped,
        DropReason reason,
        bytes32 evidenceHash
    ) external returns (uint32 replacement);

    /// @notice Ends a drawn position as missing: its household is neither measured nor replaced. Operator.
    /// @dev Emits `PositionMissing`. It cannot be undone. Requirements:
    /// - the campaign is drawn and not closed
    /// - the position is in the sample, was not dropped, is not missing, and has no standing claim
    /// - the reason `Other` comes with evidence
    /// @param evidenceHash SHA-256 of the evidence's URI; zero for none.
    function markMissing(
        uint32 campaign,
        Group group,
        uint32 position,
        DropReason reason,
        bytes32 evidenceHash
    ) external;

    /// @notice Records a verified claim.
    /// @dev Emits `KptClaimRecorded`. Requirements:
    /// - the caller is an operator
    /// - the campaign is drawn and not closed
    /// - the claim's number and both hashes are not zero
    /// - the position is in the sample, not dropped and not missing
    /// - the claim was not recorded before
    /// - the credential was never recorded, for this claim or another, in this campaign or another, revoked or not
    /// - an intervention claim needs a standing reference claim
    function record(uint96 claim, bytes32 claimHash, bytes32 credentialHash) external;

    /// @notice Records many; a refused one does not affect the others.
    /// @dev Emits `KptClaimRecorded` or `KptClaimRefused` for each.
    function recordMany(ClaimRecord[] calldata records) external;

    /// @notice Revokes a recorded claim, of a closed campaign too. Evaluator.
    /// @dev Emits `KptClaimRevoked`.
    /// @param reason A public code, 1 to 64 bytes; nothing about persons.
    function revoke(uint96 claim, string calldata reason) external;

    /// @notice Closes a drawn campaign by the hash of its result; nothing is replaced or recorded afterwards. Operator.
    /// @dev Emits `CampaignClosed`. Its last day is over, and every drawn position has ended.
    function close(uint32 campaign, bytes32 resultHash) external;

    /// @notice Links a closed campaign and the certificate made of its result, each once. Registrar.
    /// @dev Emits `CampaignCertified`. The certificate exists and is of the campaign's plan, no measured position has lost
    /// its claims since, two parties drew, and at most a tenth of each group's sample is missing.
    function certify(uint32 campaign, uint32 certificate) external;

    /// @notice Campaigns committed so far; their indexes are 1 to this.
    function campaignCount() external view returns (uint32);
    /// @notice Index of a campaign by the keccak-256 of its id; 0 if unknown.
    function campaignIndex(bytes32 campaignIdHash) external view returns (uint32);
    /// @notice A campaign; status `None` and all zero if unknown.
    function campaignOf(uint32 campaign) external view returns (Campaign memory);
    /// @notice The campaign that a certificate was made of; 0 if none.
    function certificateCampaign(uint32 certificate) external view returns (uint32);
    /// @notice The parties of a campaign's draw in its current round.
    function drawOf(uint32 campaign) external view returns (Draw memory);
    /// @notice Whether a second party withheld its secret in a round of a campaign's draw.
    function hasWithheld(uint32 campaign, address party) external view returns (bool);
    /// @notice Whether a claim was recorded, and revoked since. Its hashes are in `KptClaimRecorded`.
    function recordOf(uint96 claim) external view returns (bool recorded, bool revoked);
    /// @notice The claim that a credential was recorded for, in any campaign; 0 if none.
    function credentialClaim(bytes32 credentialHash) external view returns (uint96);
    /// @notice Whether a position was dropped, whether it ever had a claim, and whether it ended as missing.
    function positionOf(
        uint32 campaign,
        Group group,
        uint32 position
    ) external view returns (bool dropped, bool hasClaim, bool missing);
}
