// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ICarbon} from "../carbon/ICarbon.sol";
import {IClaims} from "../claims/IClaims.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {Permits} from "../shared/Permits.sol";
import {Roles} from "../shared/Roles.sol";
import {IPool} from "./IPool.sol";
import {PoolControl} from "./PoolControl.sol";
import {SupplierDays} from "./SupplierDays.sol";

/// @title Pool
/// @notice Swaps CARBON and stablecoin at a fixed price, see IPool.
/// @dev
/// PAUSE. While paused nothing leaves the pool but by the council's withdrawal: the guardian must not lock the treasury.
///
/// RESERVES. Counted, never read off a balance. A payment must reach the account in full and cost the pool no more
/// than that, or it reverts; so counted reserves are never above what the pool holds.
///
/// Warning: a stablecoin whose balances shrink by themselves would break the last sentence; do not use one.
contract Pool is PoolControl, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;
    using SupplierDays for SupplierDays.Store;

    /// @dev One slot.
    struct Reserves {
        uint128 carbon;
        uint128 stablecoin;
    }

    bytes32 private constant SELL_TYPEHASH = keccak256(
        "SellOrder(uint32 supplier,uint64 amountIn,uint64 minOut,uint256 nonce,uint64 deadline)"
    );
    bytes32 private constant BUY_TYPEHASH = keccak256(
        "BuyOrder(uint32 implementer,uint64 amountIn,uint64 minOut,uint256 nonce,uint64 deadline)"
    );
    /// @notice Base units of one CARBON.
    uint256 private constant UNIT = 1e6;

    /// @notice The CARBON token.
    ICarbon public immutable CARBON;
    IERC20 private immutable STABLECOIN;
    /// @notice The claims contract.
    address public immutable CLAIMS;

    Reserves private _reserves;
    /// @inheritdoc IPool
    mapping(Side side => mapping(uint32 party => mapping(uint256 nonce => bool used))) public isNonceUsed;

    constructor(
        IParticipants participants,
        ICarbon carbon,
        IERC20 stablecoin_,
        address claims,
        uint64 initialPrice,
        Caps memory initialCaps
    ) PoolControl(participants, initialPrice, initialCaps) EIP712("Hearth Pool", "1") {
        CARBON = carbon;
        STABLECOIN = stablecoin_;
        CLAIMS = claims;
    }

    // Sell.

    /// @inheritdoc IPool
    function payClaim(
        uint32 supplier,
        address account,
        uint64 carbonAmount
    ) external nonReentrant whenNotPaused returns (uint64) {
        require(msg.sender == CLAIMS, OnlyClaims(msg.sender));
        uint256 arrived = CARBON.balanceOf(address(this)) - _reserves.carbon;
        require(arrived >= carbonAmount, PaymentMissing(carbonAmount, arrived));
        return _buy(supplier, account, carbonAmount, carbonAmount);
    }

    /// @inheritdoc IPool
    function payBurnedClaim(
        uint32 supplier,
        address account,
        uint64 carbonAmount
    ) external nonReentrant whenNotPaused returns (uint64) {
        require(msg.sender == CLAIMS, OnlyClaims(msg.sender));
        emit CarbonBurned(supplier, carbonAmount);
        return _buy(supplier, account, carbonAmount, 0);
    }

    /// @inheritdoc IPool
    function setDebtor(uint32 supplier, bool inDebt) external {
        require(msg.sender == CLAIMS, OnlyClaims(msg.sender));
        _supplierDays.setDebtor(supplier, inDebt);
    }

    /// @inheritdoc IPool
    function sellCarbon(
        uint32 supplier,
        uint64 carbonAmount,
        uint64 minOut,
        uint64 deadline
    ) external nonReentrant whenNotPaused returns (uint64) {
        IParticipants.Supplier memory seller = PARTICIPANTS.supplierOf(supplier);
        require(seller.account == msg.sender, NotSupplier(msg.sender, supplier));
        return _sell(seller, supplier, carbonAmount, minOut, deadline);
    }

    /// @inheritdoc IPool
    function sellCarbonFor(
        SwapOrder calldata order,
        bytes calldata signature,
        Permit calldata permit
    ) external nonReentrant whenNotPaused returns (uint64) {
        IParticipants.Supplier memory seller = PARTICIPANTS.supplierOf(order.party);
        _settleOrder(Side.Sale, order, seller.account, signature);
        _tryPermit(IERC20(CARBON), seller.account, order, permit);
        return _sell(seller, order.party, order.amountIn, order.minOut, order.deadline);
    }

    // Buy.

    /// @inheritdoc IPool
    function buyCarbon(
        uint32 implementer,
        uint64 stablecoinAmount,
        uint64 minOut,
        uint64 deadline
    ) external nonReentrant whenNotPaused returns (uint64) {
        address account = PARTICIPANTS.implementerAccount(implementer);
        require(account == msg.sender, NotImplementer(msg.sender, implementer));
        return _sellTo(implementer, account, stablecoinAmount, minOut, deadline);
    }

    /// @inheritdoc IPool
    function buyCarbonFor(
        SwapOrder calldata order,
        bytes calldata signature,
        Permit calldata permit
    ) external nonReentrant whenNotPaused returns (uint64) {
        address account = PARTICIPANTS.implementerAccount(order.party);
        require(account != address(0), NotImplementer(account, order.party));
        _settleOrder(Side.Purchase, order, account, signature);
        _tryPermit(STABLECOIN, account, order, permit);
        return _sellTo(order.party, account, order.amountIn, order.minOut, order.deadline);
    }

    /// @inheritdoc IPool
    function cancelOrder(Side side, uint32 party, uint256 nonce) external {
        address account =
            side == Side.Sale ? PARTICIPANTS.supplierOf(party).account : PARTICIPANTS.implementerAccount(party);
        bool isOwn = account == msg.sender;
        if (side == Side.Sale) require(isOwn, NotSupplier(msg.sender, party));
        else require(isOwn, NotImplementer(msg.sender, party));
        _useNonce(side, party, account, nonce);
        emit OrderCancelled(side, party, nonce);
    }

    /// @inheritdoc IPool
    function takeIn() external nonReentrant {
        uint256 carbon = CARBON.balanceOf(address(this)) - _reserves.carbon;
        uint256 held = STABLECOIN.balanceOf(address(this));
        uint256 stable = held > _reserves.stablecoin ? held - _reserves.stablecoin : 0;
        _reserves.carbon += SafeCast.toUint128(carbon);
        _reserves.stablecoin += SafeCast.toUint128(stable);
        if (carbon > 0) emit ReserveReceived(msg.sender, address(CARBON), carbon);
        if (stable > 0) emit ReserveReceived(msg.sender, address(STABLECOIN), stable);
    }

    /// @inheritdoc IPool
    function withdraw(address token, address to, uint256 amount) external nonReentrant onlyRole(Roles.COUNCIL) {
        if (token == address(CARBON)) {
            require(amount <= _reserves.carbon, PoolDry(_reserves.carbon, amount));
            _reserves.carbon -= uint128(amount);
        } else if (token == address(STABLECOIN)) {
            require(amount <= _reserves.stablecoin, PoolDry(_reserves.stablecoin, amount));
            _reserves.stablecoin -= uint128(amount);
        }
        emit TreasuryWithdrawn(token, to, amount);
        IERC20(token).safeTransfer(to, amount);
    }

    // Views.

    /// @inheritdoc IPool
    function quoteSell(uint64 carbonAmount) public view returns (uint64) {
        return SafeCast.toUint64((uint256(carbonAmount) * _bid()) / (UNIT * BASIS));
    }

    /// @inheritdoc IPool
    function quoteBuy(uint64 stablecoinAmount) public view returns (uint64) {
        return SafeCast.toUint64((uint256(stablecoinAmount) * UNIT * BASIS) / _ask());
    }

    /// @inheritdoc IPool
    function quoteBuyFor(uint64 carbonAmount) external view returns (uint64) {
        return SafeCast.toUint64(Math.ceilDiv(uint256(carbonAmount) * _ask(), UNIT * BASIS));
    }

    /// @inheritdoc IPool
    function buyableNow() external view returns (uint64) {
        return uint64(Math.min(_roomToBuy(), _reserves.carbon));
    }

    /// @inheritdoc IPool
    function sellableNow(uint32 supplier) external view returns (uint64) {
        return uint64(Math.min(_roomToSell(supplier), _affordable()));
    }

    /// @inheritdoc IPool
    function carbonReserve() external view returns (uint256) {
        return _reserves.carbon;
    }

    /// @inheritdoc IPool
    function stablecoinReserve() external view returns (uint256) {
        return _reserves.stablecoin;
    }

    /// @inheritdoc IPool
    function stablecoin() external view returns (address) {
        return address(STABLECOIN);
    }

    // Internals.

    function _sell(
        IParticipants.Supplier memory seller,
        uint32 supplier,
        uint64 carbonAmount,
        uint64 minOut,
        uint64 deadline
    ) private returns (uint64) {
        require(block.timestamp <= deadline, DeadlinePassed(deadline));
        require(seller.authorised, NotSupplier(seller.account, supplier));
        uint64 kept = _supplierDays.isDebtor(supplier) ? IClaims(CLAIMS).setOffDebt(supplier, carbonAmount) : 0;
        uint64 sold = carbonAmount - kept;
        uint64 quoted = quoteSell(sold);
        require(quoted >= minOut, OutputBelowMinimum(quoted, minOut));
        IERC20(CARBON).safeTransferFrom(seller.account, address(this), carbonAmount);
        if (kept > 0) {
            _reserves.carbon += kept;
            emit ReserveReceived(seller.account, address(CARBON), kept);
            if (sold == 0) return 0;
        }
        return _buy(supplier, seller.account, sold, sold);
    }

    /// @dev Pays for CARBON and counts what has arrived of it.
    function _buy(uint32 supplier, address account, uint64 carbonAmount, uint64 arrived) private returns (uint64 out) {
        out = quoteSell(carbonAmount);
        require(out > 0, AmountTooSmall(carbonAmount));
        _useSellCaps(supplier, carbonAmount);
        Reserves memory reserves = _reserves;
        require(out <= reserves.stablecoin, PoolDry(reserves.stablecoin, out));
        reserves.carbon += arrived;
        reserves.stablecoin -= out;
        _reserves = reserves;
        emit CarbonSold(supplier, account, carbonAmount, out, _bidPrice());
        _payExactly(account, out, reserves.stablecoin);
    }

    /// @dev Takes stablecoin and credits what arrived, at most what was sent; gives CARBON for it.
    function _sellTo(
        uint32 implementer,
        address account,
        uint64 stablecoinAmount,
        uint64 minOut,
        uint64 deadline
    ) private returns (uint64 out) {
        require(block.timestamp <= deadline, DeadlinePassed(deadline));
        uint256 before = STABLECOIN.balanceOf(address(this));
        STABLECOIN.safeTransferFrom(account, address(this), stablecoinAmount);
        uint64 received = uint64(Math.min(STABLECOIN.balanceOf(address(this)) - before, stablecoinAmount));
        out = quoteBuy(received);
        require(out > 0, AmountTooSmall(received));
        require(out >= minOut, OutputBelowMinimum(out, minOut));
        _useBuyCaps(out);
        Reserves memory reserves = _reserves;
        require(out <= reserves.carbon, PoolDry(reserves.carbon, out));
        reserves.carbon -= out;
        reserves.stablecoin += received;
        _reserves = reserves;
        emit CarbonBought(implementer, account, out, received, _askPrice());
        IERC20(CARBON).safeTransfer(account, out);
    }

    /// @dev A token that pays short, or takes more than it pays, is refused.
    function _payExactly(address account, uint64 amount, uint256 mustRemain) private {
        uint256 before = STABLECOIN.balanceOf(account);
        STABLECOIN.safeTransfer(account, amount);
        uint256 received = STABLECOIN.balanceOf(account) - before;
        require(received >= amount, PaymentMissing(amount, received));
        uint256 held = STABLECOIN.balanceOf(address(this));
        require(held >= mustRemain, PaymentMissing(mustRemain, held));
    }

    function _settleOrder(Side side, SwapOrder calldata order, address account, bytes calldata signature) private {
        // By party, not by account: a signature may hold for the party's next wallet too.
        _useNonce(side, order.party, account, order.nonce);
        bytes32 orderType = side == Side.Sale ? SELL_TYPEHASH : BUY_TYPEHASH;
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(orderType, order)));
        bool isSigned = SignatureChecker.isValidSignatureNowCalldata(account, digest, signature);
        require(isSigned, SignatureInvalid(account));
        emit OrderSettled(account, order.nonce);
    }

    function _useNonce(Side side, uint32 party, address account, uint256 nonce) private {
        require(!isNonceUsed[side][party][nonce], NonceUsed(account, nonce));
        isNonceUsed[side][party][nonce] = true;
    }

    function _tryPermit(IERC20 token, address account, SwapOrder calldata order, Permit calldata permit) private {
        Permits.tryPermit(token, account, order.amountIn, order.deadline, permit.v, permit.r, permit.s);
    }

    /// @dev Ten-thousandths of stablecoin base units that one CARBON brings, the fee taken off.
    function _bid() private view returns (uint256) {
        return uint256(_bidPrice()) * (BASIS - _pricing.fee);
    }

    /// @dev Ten-thousandths of stablecoin base units that one CARBON costs, the fee included.
    function _ask() private view returns (uint256) {
        return uint256(_askPrice()) * (BASIS + _pricing.fee);
    }

    /// @dev The most CARBON whose price the stablecoin reserve covers, rounding included.
    function _affordable() private view returns (uint256) {
        uint256 most = ((uint256(_reserves.stablecoin) + 1) * UNIT * BASIS - 1) / _bid();
        return Math.min(most, type(uint64).max);
    }
}
