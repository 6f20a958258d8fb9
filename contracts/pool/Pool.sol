// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
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
/// @notice Buys CARBON from suppliers at a fixed price, see IPool.
/// @dev
/// CAPS. Measured in micro-CARBON: one sale, a rolling window, a UTC day, a lifetime, and one supplier's day.
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
contract Pool is IPool, ReentrancyGuardTransient {
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
    }

    /// @notice Length of the rolling window, seconds.
    uint256 public constant WINDOW = 1 hours;
    /// @notice Largest change of price in a period, ten-thousandths.
    uint16 public constant PRICE_BOUND = 2_000;
    /// @notice Seconds without a change after which the bound is measured from the present price.
    uint256 public constant PRICE_PERIOD = 1 days;
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

    constructor(
        IParticipants participants,
        ICarbon carbon,
        IERC20 stablecoin_,
        address claims,
        uint64 initialPrice,
        Caps memory initialCaps
    ) {
        require(initialPrice > 0, ZeroPrice());
        PARTICIPANTS = participants;
        CARBON = carbon;
        STABLECOIN = stablecoin_;
        CLAIMS = claims;
        _pricing = Pricing(initialPrice, initialPrice, uint40(block.timestamp), false);
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
    ) external nonReentrant whenNotPaused returns (uint64 stablecoinAmount) {
        require(block.timestamp <= deadline, DeadlinePassed(deadline));
        IParticipants.Supplier memory seller = PARTICIPANTS.supplierOf(supplier);
        require(seller.authorised && seller.account == msg.sender, NotSupplier(msg.sender, supplier));
        uint64 quoted = quoteSell(carbonAmount);
        require(quoted >= minOut, OutputBelowMinimum(quoted, minOut));
        IERC20(CARBON).safeTransferFrom(msg.sender, address(this), carbonAmount);
        return _buy(supplier, msg.sender, carbonAmount);
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
        _pricing = Pricing(newPrice, pricing.anchor, uint40(block.timestamp), pricing.paused);
        emit PriceChanged(newPrice);
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
        return SafeCast.toUint64((uint256(carbonAmount) * _pricing.price) / UNIT);
    }

    /// @inheritdoc IPool
    function sellableNow(uint32 supplier) external view returns (uint64) {
        if (_pricing.paused) return 0;
        Caps memory bounds = _caps;
        Flows.Day memory day = _day.asOf(block.timestamp);
        uint256 least = Math.min(bounds.perTransaction, _affordable());
        least = Math.min(least, Flows.left(bounds.perWindow, _window.asOf(block.timestamp, WINDOW).net()));
        least = Math.min(least, Flows.left(bounds.perDay, day.net));
        least = Math.min(least, Flows.left(bounds.lifetime, day.lifetime));
        return uint64(Math.min(least, Flows.left(bounds.perSupplierDay, int256(uint256(_soldToday(supplier))))));
    }

    /// @inheritdoc IPool
    function price() external view returns (uint64) {
        return _pricing.price;
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

    /// @dev A token that pays short, or takes more than it pays, is refused.
    function _payExactly(address account, uint64 amount, uint256 mustRemain) private {
        uint256 before = STABLECOIN.balanceOf(account);
        STABLECOIN.safeTransfer(account, amount);
        uint256 received = STABLECOIN.balanceOf(account) - before;
        require(received >= amount, PaymentMissing(amount, received));
        uint256 held = STABLECOIN.balanceOf(address(this));
        require(held >= mustRemain, PaymentMissing(mustRemain, held));
    }

    function _useCaps(uint32 supplier, uint64 amount) private {
        Caps memory bounds = _caps;
        require(amount <= bounds.perTransaction, TransactionCapExceeded(amount, bounds.perTransaction));
        _useFlows(bounds, amount);
        uint64 left = Flows.left(bounds.perSupplierDay, int256(uint256(_soldToday(supplier))));
        require(amount <= left, SupplierCapExceeded(supplier, amount, left));
        _supplierDays.add(supplier, block.timestamp / 1 days, amount);
    }

    function _useFlows(Caps memory bounds, uint64 amount) private {
        Flows.Window memory window = _window.asOf(block.timestamp, WINDOW);
        uint64 left = Flows.left(bounds.perWindow, window.net());
        require(amount <= left, WindowCapExceeded(amount, left));
        Flows.Day memory day = _day.asOf(block.timestamp);
        left = Flows.left(bounds.perDay, day.net);
        require(amount <= left, DayCapExceeded(amount, left));
        left = Flows.left(bounds.lifetime, day.lifetime);
        require(amount <= left, LifetimeCapExceeded(amount, left));
        int64 flow = SafeCast.toInt64(int256(uint256(amount)));
        window.current += flow;
        day.net += flow;
        day.lifetime += flow;
        _window = window;
        _day = day;
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
        uint256 most = ((uint256(_reserves.stablecoin) + 1) * UNIT - 1) / _pricing.price;
        return Math.min(most, type(uint64).max);
    }
}
