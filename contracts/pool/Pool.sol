// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ICarbon} from "../carbon/ICarbon.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {Roles} from "../shared/Roles.sol";
import {Flows} from "./Flows.sol";
import {IPool} from "./IPool.sol";
import {SupplierDays} from "./SupplierDays.sol";

/// @title Pool
/// @notice Swaps CARBON and stablecoin at a fixed price, see IPool.
/// @dev
/// CAPS. Measured in micro-CARBON: one swap, net flows of a rolling window, a UTC day and a lifetime, and one supplier's
/// day. Flows count CARBON that comes in.
///
/// PRICE. A breaker refuses a price that differs by more than `PRICE_BOUND` from the one in force when the last quiet
/// `PRICE_PERIOD` (one without a change) ended.
///
/// PAUSE. While paused nothing leaves the pool, the treasury's withdrawals included.
///
/// RESERVES. Counted, never read off a balance. A payment must reach the account in full and cost the pool no more
/// than that, or it reverts; so counted reserves are never above what the pool holds.
///
/// Warning: a stablecoin whose balances shrink by themselves would break the last sentence; do not use one.
contract Pool is IPool, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;
    using Flows for Flows.Window;
    using Flows for Flows.Day;
    using SupplierDays for SupplierDays.Store;

    /// @dev One slot.
    struct Reserves {
        uint128 carbon;
        uint128 stablecoin;
    }

    /// @dev One slot. `anchor` was the price when the last quiet period ended.
    struct Pricing {
        uint64 price;
        uint64 anchor;
        uint40 changedAt;
        bool paused;
        uint16 fee;
    }

    bytes32 private constant SELL_TYPEHASH = keccak256(
        "SellOrder(uint32 supplier,uint64 amountIn,uint64 minOut,uint256 nonce,uint64 deadline)"
    );
    bytes32 private constant BUY_TYPEHASH = keccak256(
        "BuyOrder(uint32 implementer,uint64 amountIn,uint64 minOut,uint256 nonce,uint64 deadline)"
    );
    /// @notice Length of the rolling window, seconds.
    uint256 public constant WINDOW = 1 hours;
    /// @notice Largest change of price in a period, ten-thousandths.
    uint16 public constant PRICE_BOUND = 2_000;
    /// @notice Seconds without a change after which the bound is measured from the present price.
    uint256 public constant PRICE_PERIOD = 1 days;
    /// @notice Largest fee, ten-thousandths: it is part of what a swap costs, so it is bounded like the price.
    uint16 public constant FEE_BOUND = 1_000;
    /// @notice Base units of one CARBON.
    uint256 private constant UNIT = 1e6;
    uint256 private constant BASIS = 10_000;

    IParticipants public immutable PARTICIPANTS;
    ICarbon public immutable CARBON;
    IERC20 private immutable STABLECOIN;
    address public immutable CLAIMS;

    Pricing private _pricing;
    Caps private _caps;
    Reserves private _reserves;
    Flows.Window private _window;
    Flows.Day private _day;
    SupplierDays.Store private _supplierDays;
    /// @inheritdoc IPool
    mapping(address account => mapping(uint256 nonce => bool used)) public isNonceUsed;

    constructor(
        IParticipants participants,
        ICarbon carbon,
        IERC20 stablecoin_,
        address claims,
        uint64 initialPrice,
        Caps memory initialCaps
    ) EIP712("Hearth Pool", "1") {
        require(initialPrice > 0, ZeroPrice());
        PARTICIPANTS = participants;
        CARBON = carbon;
        STABLECOIN = stablecoin_;
        CLAIMS = claims;
        _pricing = Pricing(initialPrice, initialPrice, uint40(block.timestamp), false, 0);
        _caps = initialCaps;
        emit PriceChanged(initialPrice);
        emit CapsChanged(initialCaps);
    }

    modifier onlyRole(uint64 role) {
        PARTICIPANTS.requireRole(role, msg.sender);
        _;
    }

    modifier whenNotPaused() {
        require(!_pricing.paused, PoolPaused());
        _;
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
        return _buy(supplier, account, carbonAmount);
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
        _settleOrder(SELL_TYPEHASH, order, seller.account, signature);
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
        _settleOrder(BUY_TYPEHASH, order, account, signature);
        _tryPermit(STABLECOIN, account, order, permit);
        return _sellTo(order.party, account, order.amountIn, order.minOut, order.deadline);
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

    // Control.

    /// @inheritdoc IPool
    function setPrice(uint64 newPrice) external onlyRole(Roles.COUNCIL) {
        require(newPrice > 0, ZeroPrice());
        Pricing memory pricing = _pricing;
        if (block.timestamp >= pricing.changedAt + PRICE_PERIOD) pricing.anchor = pricing.price;
        uint256 change = newPrice > pricing.anchor ? newPrice - pricing.anchor : pricing.anchor - newPrice;
        bool bounded = change * BASIS <= uint256(pricing.anchor) * PRICE_BOUND;
        require(bounded, PriceChangeTooLarge(pricing.price, newPrice, PRICE_BOUND));
        _pricing = Pricing(newPrice, pricing.anchor, uint40(block.timestamp), pricing.paused, pricing.fee);
        emit PriceChanged(newPrice);
    }

    /// @inheritdoc IPool
    function setFee(uint16 newFee) external onlyRole(Roles.COUNCIL) {
        require(newFee <= FEE_BOUND, FeeTooLarge(newFee, FEE_BOUND));
        _pricing.fee = newFee;
        emit FeeChanged(newFee);
    }

    /// @inheritdoc IPool
    function setCaps(Caps calldata newCaps) external onlyRole(Roles.COUNCIL) {
        _setCaps(newCaps);
    }

    /// @inheritdoc IPool
    function lowerCaps(Caps calldata newCaps) external onlyRole(Roles.GUARDIAN) {
        Caps memory old = _caps;
        bool noneRaised =
            newCaps.perTransaction <= old.perTransaction &&
                newCaps.perWindow <= old.perWindow &&
                newCaps.perDay <= old.perDay &&
                newCaps.lifetime <= old.lifetime &&
                newCaps.perSupplierDay <= old.perSupplierDay;
        bool isSame = keccak256(abi.encode(newCaps)) == keccak256(abi.encode(old));
        require(noneRaised && !isSame, CapNotLowered());
        _setCaps(newCaps);
    }

    /// @inheritdoc IPool
    function pause() external onlyRole(Roles.GUARDIAN) {
        _pricing.paused = true;
        emit PauseChanged(true, msg.sender);
    }

    /// @inheritdoc IPool
    function unpause() external onlyRole(Roles.COUNCIL) {
        _pricing.paused = false;
        emit PauseChanged(false, msg.sender);
    }

    /// @inheritdoc IPool
    function withdraw(
        address token,
        address to,
        uint256 amount
    ) external nonReentrant onlyRole(Roles.COUNCIL) whenNotPaused {
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
        Pricing memory pricing = _pricing;
        return SafeCast.toUint64((uint256(carbonAmount) * pricing.price * (BASIS - pricing.fee)) / (UNIT * BASIS));
    }

    /// @inheritdoc IPool
    function quoteBuy(uint64 stablecoinAmount) public view returns (uint64) {
        return SafeCast.toUint64((uint256(stablecoinAmount) * UNIT * BASIS) / _askingPrice());
    }

    /// @inheritdoc IPool
    function quoteBuyFor(uint64 carbonAmount) external view returns (uint64) {
        return SafeCast.toUint64(Math.ceilDiv(uint256(carbonAmount) * _askingPrice(), UNIT * BASIS));
    }

    /// @inheritdoc IPool
    function buyableNow() external view returns (uint64) {
        if (_pricing.paused) return 0;
        Caps memory bounds = _caps;
        Flows.Day memory day = _day.asOf(block.timestamp);
        uint256 least = Math.min(bounds.perTransaction, _reserves.carbon);
        Flows.Window memory window = _window.asOf(block.timestamp, WINDOW);
        least = Math.min(least, Flows.left(bounds.perWindow, window.reversed().peak()));
        least = Math.min(least, Flows.left(bounds.perDay, -int256(day.net)));
        return uint64(Math.min(least, Flows.left(bounds.lifetime, -int256(day.lifetime))));
    }

    /// @inheritdoc IPool
    function sellableNow(uint32 supplier) external view returns (uint64) {
        if (_pricing.paused) return 0;
        Caps memory bounds = _caps;
        Flows.Day memory day = _day.asOf(block.timestamp);
        uint256 least = Math.min(bounds.perTransaction, _affordable());
        least = Math.min(least, Flows.left(bounds.perWindow, _window.asOf(block.timestamp, WINDOW).peak()));
        least = Math.min(least, Flows.left(bounds.perDay, day.net));
        least = Math.min(least, Flows.left(bounds.lifetime, day.lifetime));
        return uint64(Math.min(least, Flows.left(bounds.perSupplierDay, int256(uint256(_soldToday(supplier))))));
    }

    /// @inheritdoc IPool
    function price() external view returns (uint64) {
        return _pricing.price;
    }

    /// @inheritdoc IPool
    function fee() external view returns (uint16) {
        return _pricing.fee;
    }

    /// @inheritdoc IPool
    function caps() external view returns (Caps memory) {
        return _caps;
    }

    /// @inheritdoc IPool
    function paused() external view returns (bool) {
        return _pricing.paused;
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
        uint64 quoted = quoteSell(carbonAmount);
        require(quoted >= minOut, OutputBelowMinimum(quoted, minOut));
        IERC20(CARBON).safeTransferFrom(seller.account, address(this), carbonAmount);
        return _buy(supplier, seller.account, carbonAmount);
    }

    /// @dev CARBON has arrived already; counts it, pays for it.
    function _buy(uint32 supplier, address account, uint64 carbonAmount) private returns (uint64 out) {
        out = quoteSell(carbonAmount);
        require(out > 0, AmountTooSmall(carbonAmount));
        _useCaps(supplier, carbonAmount);
        Reserves memory reserves = _reserves;
        require(out <= reserves.stablecoin, PoolDry(reserves.stablecoin, out));
        reserves.carbon += carbonAmount;
        reserves.stablecoin -= out;
        _reserves = reserves;
        emit CarbonSold(supplier, account, carbonAmount, out, _pricing.price);
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
        Caps memory bounds = _caps;
        require(out <= bounds.perTransaction, TransactionCapExceeded(out, bounds.perTransaction));
        _useFlows(bounds, -_within(out));
        Reserves memory reserves = _reserves;
        require(out <= reserves.carbon, PoolDry(reserves.carbon, out));
        reserves.carbon -= out;
        reserves.stablecoin += received;
        _reserves = reserves;
        emit CarbonBought(implementer, account, out, received, _pricing.price);
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

    function _settleOrder(
        bytes32 orderType,
        SwapOrder calldata order,
        address account,
        bytes calldata signature
    ) private {
        require(!isNonceUsed[account][order.nonce], NonceUsed(account, order.nonce));
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(orderType, order)));
        bool isSigned = SignatureChecker.isValidSignatureNowCalldata(account, digest, signature);
        require(isSigned, SignatureInvalid(account));
        isNonceUsed[account][order.nonce] = true;
        emit OrderSettled(account, order.nonce);
    }

    function _tryPermit(IERC20 token, address account, SwapOrder calldata order, Permit calldata permit) private {
        if (permit.v == 0) return;
        try
            IERC20Permit(address(token)).permit(
                account,
                address(this),
                order.amountIn,
                order.deadline,
                permit.v,
                permit.r,
                permit.s
            )
        {
            return;
        } catch {
            // Somebody may have sent it before: the allowance decides.
            return;
        }
    }

    function _useCaps(uint32 supplier, uint64 amount) private {
        Caps memory bounds = _caps;
        require(amount <= bounds.perTransaction, TransactionCapExceeded(amount, bounds.perTransaction));
        _useFlows(bounds, _within(amount));
        uint64 left = Flows.left(bounds.perSupplierDay, int256(uint256(_soldToday(supplier))));
        require(amount <= left, SupplierCapExceeded(supplier, amount, left));
        _supplierDays.add(supplier, block.timestamp / 1 days, amount);
    }

    /// @param flow CARBON that comes in; negative when it goes out.
    function _useFlows(Caps memory bounds, int64 flow) private {
        bool isOut = flow < 0;
        uint64 amount = uint64(isOut ? -flow : flow);
        Flows.Window memory window = _window.asOf(block.timestamp, WINDOW);
        uint64 left = Flows.left(bounds.perWindow, (isOut ? window.reversed() : window).peak());
        require(amount <= left, WindowCapExceeded(amount, left));
        Flows.Day memory day = _day.asOf(block.timestamp);
        left = Flows.left(bounds.perDay, isOut ? -int256(day.net) : int256(day.net));
        require(amount <= left, DayCapExceeded(amount, left));
        left = Flows.left(bounds.lifetime, isOut ? -int256(day.lifetime) : int256(day.lifetime));
        require(amount <= left, LifetimeCapExceeded(amount, left));
        window.current += flow;
        day.net += flow;
        day.lifetime += flow;
        _window = window;
        _day = day;
    }

    function _within(uint64 amount) private pure returns (int64) {
        return SafeCast.toInt64(int256(uint256(amount)));
    }

    /// @dev Ten-thousandths of stablecoin base units for one CARBON, the fee included.
    function _askingPrice() private view returns (uint256) {
        return uint256(_pricing.price) * (BASIS + _pricing.fee);
    }

    function _setCaps(Caps calldata newCaps) private {
        _caps = newCaps;
        emit CapsChanged(newCaps);
    }

    function _soldToday(uint32 supplier) private view returns (uint64) {
        return _supplierDays.soldOn(supplier, block.timestamp / 1 days);
    }

    /// @dev The most CARBON whose price the stablecoin reserve covers, rounding included.
    function _affordable() private view returns (uint256) {
        uint256 bid = uint256(_pricing.price) * (BASIS - _pricing.fee);
        uint256 most = ((uint256(_reserves.stablecoin) + 1) * UNIT * BASIS - 1) / bid;
        return Math.min(most, type(uint64).max);
    }
}
