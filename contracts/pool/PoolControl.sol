// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IParticipants} from "../participants/IParticipants.sol";
import {Flows} from "../shared/Flows.sol";
import {Roles} from "../shared/Roles.sol";
import {IPool} from "./IPool.sol";
import {SupplierDays} from "./SupplierDays.sol";

/// @title PoolControl
/// @notice Price, fee, pause and caps of the pool, and who may change them; see `IPool`.
/// @dev
/// CAPS. Measured in micro-CARBON: one swap, net flows of any hour, any 24 hours and a lifetime, and one supplier's sales
/// of any 24 hours. Flows count CARBON that comes in.
///
/// PRICE. In the block of a change the price before it holds together with the new one: who sells gets the lower, who buys pays
/// the higher. So nobody gains by a change in one transaction, whatever else the transaction does. A breaker refuses a price that differs by more than `PRICE_BOUND` from the one that held when the last quiet
/// `PRICE_PERIOD` (one without a change) ended.
abstract contract PoolControl is IPool {
    using Flows for Flows.Window;
    using Flows for Flows.Total;
    using SupplierDays for SupplierDays.Store;

    /// @dev One slot. `anchor` was the price when the last quiet period ended, `previous` the one before the block of the
    /// last change.
    struct Pricing {
        uint64 price;
        uint64 anchor;
        uint40 changedAt;
        bool paused;
        uint16 fee;
        uint64 previous;
    }

    /// @notice Length of the shorter rolling window, seconds.
    uint256 public constant WINDOW = 1 hours;
    /// @notice Length of the longer rolling window, seconds.
    uint256 public constant DAY = 1 days;
    /// @notice Largest change of price in a period, ten-thousandths.
    uint16 public constant PRICE_BOUND = 2_000;
    /// @notice Seconds without a change after which the bound is measured from the present price.
    uint256 public constant PRICE_PERIOD = 1 days;
    /// @notice Largest fee, ten-thousandths: it is part of what a swap costs, so it is bounded like the price.
    uint16 public constant FEE_BOUND = 1_000;
    /// @dev Ten-thousandths in a whole.
    uint256 internal constant BASIS = 10_000;

    /// @notice Knows who takes part, and who holds a role.
    IParticipants public immutable PARTICIPANTS;

    Pricing internal _pricing;
    Caps private _caps;
    Flows.Window private _window;
    Flows.Total private _total;
    SupplierDays.Store internal _supplierDays;

    constructor(IParticipants participants, uint64 initialPrice, Caps memory initialCaps) {
        require(initialPrice > 0, ZeroPrice());
        PARTICIPANTS = participants;
        _pricing = Pricing(initialPrice, initialPrice, uint40(block.timestamp), false, 0, initialPrice);
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

    /// @inheritdoc IPool
    function setPrice(uint64 newPrice) external onlyRole(Roles.COUNCIL) {
        require(newPrice > 0, ZeroPrice());
        Pricing memory pricing = _pricing;
        if (block.timestamp >= pricing.changedAt + PRICE_PERIOD) pricing.anchor = pricing.price;
        uint256 change = newPrice > pricing.anchor ? newPrice - pricing.anchor : pricing.anchor - newPrice;
        bool bounded = change * BASIS <= uint256(pricing.anchor) * PRICE_BOUND;
        require(bounded, PriceChangeTooLarge(pricing.price, newPrice, PRICE_BOUND));
        if (block.timestamp > pricing.changedAt) pricing.previous = pricing.price;
        (pricing.price, pricing.changedAt) = (newPrice, uint40(block.timestamp));
        _pricing = pricing;
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
    function capsLeft() public view returns (Room memory sale, Room memory purchase) {
        Caps memory bounds = _caps;
        (Flows.Window memory window, Flows.Window memory day, int256 lifetime) = _flows();
        sale = Room({
            window: Flows.left(bounds.perWindow, window.peak(1)),
            day: Flows.left(bounds.perDay, day.peak(1)),
            lifetime: Flows.left(bounds.lifetime, lifetime)
        });
        purchase = Room({
            window: Flows.left(bounds.perWindow, window.peak(-1)),
            day: Flows.left(bounds.perDay, day.peak(-1)),
            lifetime: Flows.left(bounds.lifetime, -lifetime)
        });
    }

    /// @inheritdoc IPool
    function supplierDayLeft(uint32 supplier) public view returns (uint64) {
        return _supplierDays.left(supplier, block.timestamp, _caps.perSupplierDay);
    }

    // Internals.

    /// @dev Counts a sale within every cap.
    function _useSellCaps(uint32 supplier, uint64 amount) internal {
        Caps memory bounds = _caps;
        require(amount <= bounds.perTransaction, TransactionCapExceeded(amount, bounds.perTransaction));
        _useFlows(bounds, _within(amount));
        uint64 left = _supplierDays.add(supplier, block.timestamp, amount, bounds.perSupplierDay);
        require(amount <= left, SupplierCapExceeded(supplier, amount, left));
    }

    /// @dev Counts a purchase within every cap.
    function _useBuyCaps(uint64 amount) internal {
        Caps memory bounds = _caps;
        require(amount <= bounds.perTransaction, TransactionCapExceeded(amount, bounds.perTransaction));
        _useFlows(bounds, -_within(amount));
    }

    /// @param flow CARBON that comes in; negative when it goes out.
    function _useFlows(Caps memory bounds, int64 flow) private {
        int256 sign = flow < 0 ? int256(-1) : int256(1);
        uint64 amount = uint64(uint256(flow * sign));
        (Flows.Window memory window, Flows.Window memory day, int256 lifetime) = _flows();
        uint64 left = Flows.left(bounds.perWindow, window.peak(sign));
        require(amount <= left, WindowCapExceeded(amount, left));
        left = Flows.left(bounds.perDay, day.peak(sign));
        require(amount <= left, DayCapExceeded(amount, left));
        left = Flows.left(bounds.lifetime, lifetime * sign);
        require(amount <= left, LifetimeCapExceeded(amount, left));
        window.current += flow;
        _window = window;
        _total = Flows.Total({
            current: day.current + flow,
            previous: day.previous,
            older: day.older,
            lifetime: SafeCast.toInt64(lifetime + flow)
        });
    }

    /// @dev The present net flows: of the window, of the day, of all time.
    function _flows() private view returns (Flows.Window memory window, Flows.Window memory day, int256 lifetime) {
        window = _window;
        Flows.Total memory total = _total;
        day = total.windowOf(uint256(window.bucket) * (WINDOW / 2), DAY).asOf(block.timestamp, DAY);
        window = window.asOf(block.timestamp, WINDOW);
        lifetime = total.lifetime;
    }

    /// @dev What the pool pays for one CARBON in this block, before the fee.
    function _bidPrice() internal view returns (uint64) {
        Pricing memory pricing = _pricing;
        bool isLower = block.timestamp > pricing.changedAt || pricing.price < pricing.previous;
        return isLower ? pricing.price : pricing.previous;
    }

    /// @dev What the pool asks for one CARBON in this block, before the fee.
    function _askPrice() internal view returns (uint64) {
        Pricing memory pricing = _pricing;
        bool isHigher = block.timestamp > pricing.changedAt || pricing.price > pricing.previous;
        return isHigher ? pricing.price : pricing.previous;
    }

    /// @dev The most CARBON that every cap lets out now.
    function _roomToBuy() internal view returns (uint256) {
        if (_pricing.paused) return 0;
        (, Room memory room) = capsLeft();
        return _least(room);
    }

    /// @dev The most CARBON that every cap lets a supplier bring in now.
    function _roomToSell(uint32 supplier) internal view returns (uint256) {
        if (_pricing.paused) return 0;
        (Room memory room, ) = capsLeft();
        return Math.min(_least(room), supplierDayLeft(supplier));
    }

    function _least(Room memory room) private view returns (uint256) {
        return Math.min(Math.min(_caps.perTransaction, room.window), Math.min(room.day, room.lifetime));
    }

    function _within(uint64 amount) private pure returns (int64) {
        return SafeCast.toInt64(int256(uint256(amount)));
    }

    function _setCaps(Caps calldata newCaps) private {
        _caps = newCaps;
        emit CapsChanged(newCaps);
    }
}
