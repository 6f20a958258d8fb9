// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ICarbon} from "../carbon/ICarbon.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {IPool} from "../pool/IPool.sol";
import {BlockHashes} from "../shared/BlockHashes.sol";
import {Flows} from "../shared/Flows.sol";
import {Members} from "../shared/Members.sol";
import {Roles} from "../shared/Roles.sol";
import {Stoppages} from "../shared/Stoppages.sol";
import {IVouchers} from "../vouchers/IVouchers.sol";
import {IClaims} from "./IClaims.sol";

/// @title Claims
/// @notice Delivery claims, see IClaims.
/// @dev
/// REVIEW. A claim is held when its redemption or its supplier is flagged, when its supplier has been suspended since,
/// or when the plan's review share draws it: by the hash of the block after the claim's, which nobody knows when the claim
/// is sent. Until then it is under review like a held one. Without a share it is paid in its own transaction.
///
/// PAYMENT. The pool is paid and pays in one inner call, so that either both happen or neither; when it fails, the
/// supplier gets the CARBON. The inner call's gas is bounded, and a sender who leaves less than the bound is refused:
/// neither a token that burns gas nor a sender who saves it can choose the fallback for somebody else.
///
/// REVOKED. What was redeemed of a certificate before it was revoked is paid as ever: the supplier delivered in good faith.
/// The ledger burns what the pool would have got. CARBON that a supplier gets instead stays.
///
/// CAP. What an operator's claims and attestations pay out in any 24 hours is capped, and so is what an evaluator decides:
/// approvals, which take from the pool, with rejections and disputes upheld, which take from suppliers. What waits for a
/// draw was counted when it was claimed, and is paid only while the current cap still covers it: a cap that the guardian
/// lowers stops it too.
///
/// DEBT. A supplier's debt from invalidated claims is set off in CARBON before it is paid anything, for claims and for
/// CARBON that it sells to the pool. A debt that was wrong is waived by the council.
contract Claims is IClaims, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for ICarbon;
    using Flows for Flows.Window;
    using Stoppages for Stoppages.Store;

    bytes32 private constant ATTESTATION_TYPEHASH = keccak256(
        "ClaimAttestation(uint96 redemption,bytes32 credentialHash,uint64 validUntil)"
    );
    /// @notice Gas that settling into the pool and its payment may spend.
    uint256 public constant PAYMENT_GAS = 400_000;
    /// @notice Gas that must be left over for paying in CARBON instead.
    uint256 public constant FALLBACK_GAS = 120_000;
    /// @notice Seconds that the operator's cap is for.
    uint256 public constant CAP_PERIOD = 1 days;
    /// @dev Review shares are in ten-thousandths.
    uint256 private constant SHARES = 10_000;

    /// @notice Knows who takes part, and who holds a role.
    IParticipants public immutable PARTICIPANTS;
    /// @notice The voucher ledger.
    IVouchers public immutable VOUCHERS;
    /// @notice The CARBON token.
    ICarbon public immutable CARBON;
    /// @notice The pool.
    IPool public immutable POOL;

    /// @inheritdoc IClaims
    uint64 public operatorCap;
    /// @notice What a dispute costs unless it is an evaluator's or registrar's, micro-CARBON.
    uint64 public disputeStake;

    /// @inheritdoc IClaims
    mapping(bytes32 credentialHash => uint96 redemption) public credentialRedemption;
    /// @inheritdoc IClaims
    mapping(uint32 supplier => uint64 debt) public supplierDebt;
    mapping(uint96 redemption => Draw draw) private _draws;
    mapping(uint96 redemption => Dispute dispute) private _disputes;
    /// @dev When the cap was zero, so that nothing could be claimed.
    Stoppages.Store private _stoppages;
    mapping(address operator => mapping(bytes32 attestation => bool cancelled)) private _isCancelled;
    mapping(address payer => Flows.Window spending) private _spendings;

    constructor(
        IParticipants participants,
        IVouchers vouchers,
        ICarbon carbon,
        IPool pool,
        uint64 initialOperatorCap,
        uint64 initialDisputeStake
    ) EIP712("Hearth Claims", "1") {
        PARTICIPANTS = participants;
        VOUCHERS = vouchers;
        CARBON = carbon;
        POOL = pool;
        _setOperatorCap(initialOperatorCap);
        disputeStake = initialDisputeStake;
        emit DisputeStakeChanged(initialDisputeStake);
    }

    modifier onlyRole(uint64 role) {
        PARTICIPANTS.requireRole(role, msg.sender);
        _;
    }

    modifier onlySelf() {
        require(msg.sender == address(this), OnlySelf());
        _;
    }

    // File.

    /// @inheritdoc IClaims
    function claim(uint96 redemption, bytes32 credentialHash) external nonReentrant onlyRole(Roles.OPERATOR) {
        _claim(msg.sender, redemption, credentialHash);
    }

    /// @inheritdoc IClaims
    function claimMany(ClaimOrder[] calldata orders) external nonReentrant onlyRole(Roles.OPERATOR) {
        for (uint256 i = 0; i < orders.length; ++i) {
            ClaimOrder calldata order = orders[i];
            try this.claimFor(msg.sender, order.redemption, order.credentialHash) {
                continue;
            } catch (bytes memory refusal) {
                bytes4 reason = bytes4(refusal);
                // An empty refusal means that the inner call ran out of gas.
                require(reason != bytes4(0) && reason != InsufficientGas.selector, InsufficientGas());
                emit ClaimRefused(i, order.redemption, reason);
            }
        }
    }

    /// @notice One order of `claimMany`, by this contract only.
    function claimFor(address operator, uint96 redemption, bytes32 credentialHash) external onlySelf {
        _claim(operator, redemption, credentialHash);
    }

    /// @inheritdoc IClaims
    function claimWithAttestation(
        uint96 redemption,
        bytes32 credentialHash,
        uint64 validUntil,
        bytes calldata signature
    ) external nonReentrant {
        uint32 supplier = VOUCHERS.redemptionOf(redemption).supplier;
        require(msg.sender == PARTICIPANTS.supplierOf(supplier).account, NotPermitted(msg.sender));
        require(block.timestamp <= validUntil, AttestationExpired(validUntil));
        bytes32 content = keccak256(abi.encode(ATTESTATION_TYPEHASH, redemption, credentialHash, validUntil));
        bytes32 attestation = _hashTypedDataV4(content);
        (address signer, , ) = ECDSA.tryRecoverCalldata(attestation, signature);
        require(_holdsRole(Roles.OPERATOR, signer), AttestationInvalid(signer));
        require(!_isCancelled[signer][attestation], AttestationWithdrawn(attestation));
        _claim(signer, redemption, credentialHash);
    }

    /// @inheritdoc IClaims
    function settleDrawn(uint96 redemption) external nonReentrant {
        (uint64 drawBlock, address payer) = (_draws[redemption].drawBlock, _draws[redemption].payer);
        require(drawBlock != 0, NoDraw(redemption));
        require(block.number > drawBlock, DrawTooEarly(redemption, drawBlock));
        IVouchers.Redemption memory record = _load(redemption, IVouchers.RedemptionStatus.UnderReview);
        delete _draws[redemption];
        IParticipants.Supplier memory supplier = PARTICIPANTS.supplierOf(record.supplier);
        bool isDrawn = _isDrawn(redemption, drawBlock);
        if (isDrawn || supplier.flagged || !supplier.authorised) {
            emit ClaimHeld(redemption, isDrawn);
            return;
        }
        _requireCovered(payer, record.amount);
        _payOut(redemption, record, supplier.account);
    }

    /// @inheritdoc IClaims
    function cancelAttestation(bytes32 attestation) external {
        _isCancelled[msg.sender][attestation] = true;
        emit AttestationCancelled(msg.sender, attestation);
    }

    // Review.

    /// @inheritdoc IClaims
    function approve(uint96 redemption, string calldata reason) external nonReentrant onlyRole(Roles.EVALUATOR) {
        IVouchers.Redemption memory record = _load(redemption, IVouchers.RedemptionStatus.UnderReview);
        emit ClaimApproved(redemption, msg.sender, reason);
        // A review by a person takes the place of the draw.
        delete _draws[redemption];
        _pay(msg.sender, redemption, record, PARTICIPANTS.supplierOf(record.supplier).account);
    }

    /// @inheritdoc IClaims
    function reject(uint96 redemption, string calldata reason) external onlyRole(Roles.EVALUATOR) {
        _spend(msg.sender, _load(redemption, IVouchers.RedemptionStatus.UnderReview).amount);
        delete _draws[redemption];
        emit ClaimRejected(redemption, reason);
        VOUCHERS.setRedemptionStatus(redemption, IVouchers.RedemptionStatus.Rejected);
    }

    // Dispute.

    /// @inheritdoc IClaims
    function dispute(uint96 redemption, string calldata reason) external nonReentrant {
        bool isTrusted = _holdsRole(Roles.EVALUATOR, msg.sender) || _holdsRole(Roles.REGISTRAR, msg.sender);
        uint64 stake = isTrusted ? 0 : disputeStake;
        _disputes[redemption] = Dispute(msg.sender, stake, uint40(block.timestamp));
        emit ClaimDisputed(redemption, msg.sender, stake, reason);
        VOUCHERS.setRedemptionStatus(redemption, IVouchers.RedemptionStatus.Disputed);
        if (stake > 0) CARBON.safeTransferFrom(msg.sender, address(this), stake);
    }

    /// @inheritdoc IClaims
    function resolve(
        uint96 redemption,
        bool upheld,
        string calldata reason
    ) external nonReentrant onlyRole(Roles.EVALUATOR) {
        Dispute memory record = _disputes[redemption];
        require(record.challenger != address(0), NoDispute(redemption));
        // A dispute needs two, whatever roles one account holds.
        require(record.challenger != msg.sender, NotPermitted(msg.sender));
        delete _disputes[redemption];
        emit DisputeResolved(redemption, upheld, reason);
        if (upheld) {
            IVouchers.Redemption memory redeemed = VOUCHERS.redemptionOf(redemption);
            _spend(msg.sender, redeemed.amount);
            _setDebt(redeemed.supplier, supplierDebt[redeemed.supplier] + redeemed.amount);
            VOUCHERS.setRedemptionStatus(redemption, IVouchers.RedemptionStatus.Invalidated);
        } else {
            VOUCHERS.setRedemptionStatus(redemption, IVouchers.RedemptionStatus.Settled);
        }
        if (record.stake > 0) CARBON.safeTransfer(upheld ? record.challenger : address(POOL), record.stake);
    }

    /// @inheritdoc IClaims
    function waiveDebt(uint32 supplier, uint64 amount, string calldata reason) external onlyRole(Roles.COUNCIL) {
        uint64 waived = _setOffDebt(supplier, amount);
        require(waived != 0, NothingToWaive(supplier));
        emit SupplierDebtWaived(supplier, waived, reason);
    }

    /// @inheritdoc IClaims
    function setOffDebt(uint32 supplier, uint64 amount) external returns (uint64 setOff) {
        require(msg.sender == address(POOL), OnlyPool(msg.sender));
        return _setOffDebt(supplier, amount);
    }

    // Parameters.

    /// @inheritdoc IClaims
    function setOperatorCap(uint64 cap) external onlyRole(Roles.COUNCIL) {
        _setOperatorCap(cap);
    }

    /// @inheritdoc IClaims
    function lowerOperatorCap(uint64 cap) external onlyRole(Roles.GUARDIAN) {
        require(cap < operatorCap, CapNotLowered(operatorCap, cap));
        _setOperatorCap(cap);
    }

    /// @inheritdoc IClaims
    function setDisputeStake(uint64 stake) external onlyRole(Roles.COUNCIL) {
        disputeStake = stake;
        emit DisputeStakeChanged(stake);
    }

    // Payment.

    /// @notice Sends a redemption's CARBON to the pool and has it paid, by this contract only.
    /// @param amount What the pool pays for.
    /// @param setOff What it gets besides, unpaid.
    function payThroughPool(
        uint96 redemption,
        uint32 supplier,
        address account,
        uint64 amount,
        uint64 setOff
    ) external onlySelf returns (uint64 stablecoinAmount) {
        bool isBurned = VOUCHERS.settle(redemption, address(POOL), setOff);
        if (isBurned) return POOL.payBurnedClaim(supplier, account, amount);
        return POOL.payClaim(supplier, account, amount);
    }

    // Views.

    /// @inheritdoc IClaims
    function drawOf(uint96 redemption) external view returns (Draw memory) {
        return _draws[redemption];
    }

    /// @inheritdoc IClaims
    function disputeOf(uint96 redemption) external view returns (Dispute memory) {
        return _disputes[redemption];
    }

    /// @inheritdoc IClaims
    function operatorSpent(address operator) public view returns (uint64) {
        return _spendings[operator].asOf(block.timestamp, CAP_PERIOD).used();
    }

    /// @inheritdoc IClaims
    function stoppedSince(uint256 time) external view returns (uint256) {
        return _stoppages.since(time);
    }

    // Internals.

    function _setOperatorCap(uint64 cap) private {
        operatorCap = cap;
        _stoppages.set(cap == 0);
        emit OperatorCapChanged(cap);
    }

    function _claim(address operator, uint96 redemption, bytes32 credentialHash) private {
        require(credentialHash != bytes32(0), EmptyCredentialHash());
        uint96 earlier = credentialRedemption[credentialHash];
        require(earlier == 0, CredentialUsed(credentialHash, earlier));
        IVouchers.Redemption memory record = _load(redemption, IVouchers.RedemptionStatus.Open);
        IParticipants.Supplier memory supplier = PARTICIPANTS.supplierOf(record.supplier);
        credentialRedemption[credentialHash] = redemption;
        emit ClaimFiled(redemption, record.supplier, credentialHash);
        bool isMarked = record.flagged || supplier.flagged || !supplier.authorised;
        uint256 share = isMarked ? 0 : _reviewShareOf(redemption);
        if (!isMarked && share == 0) {
            _pay(operator, redemption, record, supplier.account);
            return;
        }
        if (isMarked || share >= SHARES) {
            emit ClaimHeld(redemption, !isMarked);
        } else {
            // Counted now, so that the cap does not decide later.
            _spend(operator, record.amount);
            uint64 drawBlock = uint64(block.number + 1);
            _draws[redemption] = Draw(drawBlock, operator);
            emit ClaimAwaitsDraw(redemption, drawBlock);
        }
        VOUCHERS.setRedemptionStatus(redemption, IVouchers.RedemptionStatus.UnderReview);
    }

    function _pay(address payer, uint96 redemption, IVouchers.Redemption memory record, address account) private {
        _spend(payer, record.amount);
        _payOut(redemption, record, account);
    }

    function _payOut(uint96 redemption, IVouchers.Redemption memory record, address account) private {
        uint64 setOff = _setOffDebt(record.supplier, record.amount);
        (uint64 paid, bytes4 reason) = (0, bytes4(0));
        if (setOff == record.amount) VOUCHERS.settle(redemption, address(POOL), setOff);
        else (paid, reason) = _payRest(redemption, record.supplier, account, record.amount - setOff, setOff);
        // The event needs what the pool paid; nothing after this call is left to re-enter.
        emit ClaimPaid(redemption, record.supplier, account, record.amount, setOff, paid, reason);
    }

    function _payRest(
        uint96 redemption,
        uint32 supplier,
        address account,
        uint64 amount,
        uint64 setOff
    ) private returns (uint64 paid, bytes4 reason) {
        require(gasleft() > PAYMENT_GAS + PAYMENT_GAS / 32 + FALLBACK_GAS, InsufficientGas());
        try this.payThroughPool{gas: PAYMENT_GAS}(redemption, supplier, account, amount, setOff) returns (
            uint64 stablecoinAmount
        ) {
            return (stablecoinAmount, bytes4(0));
        } catch (bytes memory refusal) {
            VOUCHERS.settle(redemption, account, setOff);
            return (0, _selectorOf(refusal));
        }
    }

    function _setOffDebt(uint32 supplier, uint64 amount) private returns (uint64 setOff) {
        uint64 debt = supplierDebt[supplier];
        if (debt == 0) return 0;
        setOff = debt < amount ? debt : amount;
        _setDebt(supplier, debt - setOff);
    }

    function _setDebt(uint32 supplier, uint64 debt) private {
        bool wasInDebt = supplierDebt[supplier] != 0;
        supplierDebt[supplier] = debt;
        // The pool asks only for suppliers in debt, so that others' sales cost no call.
        if (wasInDebt != (debt != 0)) POOL.setDebtor(supplier, debt != 0);
        emit SupplierDebtChanged(supplier, debt);
    }

    function _spend(address payer, uint64 amount) private {
        Flows.Window memory spending = _spendings[payer].asOf(block.timestamp, CAP_PERIOD);
        uint64 spent = spending.used();
        uint64 cap = operatorCap;
        require(spent <= cap && amount <= cap - spent, OperatorCapExceeded(payer, spent, amount, cap));
        spending.add(amount);
        _spendings[payer] = spending;
    }

    /// @dev The amount is counted already. A cap that was lowered since must still cover it, and all that was counted with it.
    function _requireCovered(address payer, uint64 amount) private view {
        (uint64 spent, uint64 cap) = (operatorSpent(payer), operatorCap);
        require(spent <= cap && amount <= cap, OperatorCapExceeded(payer, spent, amount, cap));
    }

    function _load(
        uint96 redemption,
        IVouchers.RedemptionStatus wanted
    ) private view returns (IVouchers.Redemption memory record) {
        record = VOUCHERS.redemptionOf(redemption);
        require(record.status != IVouchers.RedemptionStatus.None, IVouchers.UnknownRedemption(redemption));
        require(record.status == wanted, IVouchers.RedemptionStatusNotAllowed(redemption, record.status));
    }

    function _reviewShareOf(uint96 redemption) private view returns (uint256) {
        uint32 plan = VOUCHERS.voucherOf(uint64(redemption >> 32)).plan;
        return PARTICIPANTS.planOf(plan).reviewShare;
    }

    function _isDrawn(uint96 redemption, uint64 drawBlock) private view returns (bool) {
        bytes32 blockHash = BlockHashes.hashOf(drawBlock);
        if (blockHash == bytes32(0)) return true;
        return uint256(keccak256(abi.encode(blockHash, redemption))) % SHARES < _reviewShareOf(redemption);
    }

    function _holdsRole(uint64 role, address account) private view returns (bool) {
        return Members.holds(PARTICIPANTS, role, account);
    }

    /// @dev A refusal without a reason (a bare revert, or the gas bound) differs from "no fallback": it is all ones.
    function _selectorOf(bytes memory refusal) private pure returns (bytes4) {
        return refusal.length < 4 ? bytes4(0xffffffff) : bytes4(refusal);
    }
}
