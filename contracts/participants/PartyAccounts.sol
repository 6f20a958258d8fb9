// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Roles} from "../shared/Roles.sol";
import {IParticipants} from "./IParticipants.sol";
import {SchemeRoles} from "./SchemeRoles.sol";

/// @title PartyAccounts
/// @notice The accounts that act for implementers, suppliers and households, and how one takes the place of another.
/// @dev
/// CHANGE. A new account is proposed, waits `ACCOUNT_DELAY`, and is then activated by anyone. Until then the old one
/// stands. The old account, the registrar and the guardian can each drop the proposal; a new proposal replaces it and
/// the delay begins again. So nobody can redirect a payout immediately, not even the registrar.
///
/// STOLEN ACCOUNT. Anyone who stole an account could drop every proposal. The registrar suspends the implementer or supplier
/// first: that drops what is proposed, and a suspended party's account neither proposes nor drops. Then only the guardian
/// stands between the registrar and the new account.
///
/// HOUSEHOLDS. Most have no account, and an account made by the operator would sign what the operator likes. So a
/// household's account is proposed by the operator (the first one), the registrar or its own account, and whatever its
/// own account did not propose counts only when an evaluator has confirmed it. What an evaluator has confirmed, the
/// household's old account cannot drop: that is the way for one that was stolen.
abstract contract PartyAccounts is SchemeRoles {
    /// @inheritdoc IParticipants
    uint40 public constant ACCOUNT_DELAY = 1 days;

    /// @inheritdoc IParticipants
    mapping(uint32 household => address account) public householdAccount;
    mapping(uint32 implementer => Implementer) internal _implementers;
    mapping(uint32 supplier => Supplier) internal _suppliers;
    mapping(Party kind => mapping(uint32 party => PendingAccount)) private _pending;

    // Standing

    /// @inheritdoc IParticipants
    function setImplementerStatus(
        uint32 implementer,
        bool authorised,
        string calldata reason
    ) external onlyRole(Roles.REGISTRAR) {
        _requireImplementer(implementer);
        _implementers[implementer].authorised = authorised;
        emit ImplementerStatusChanged(implementer, authorised, reason);
        if (!authorised) _dropAny(Party.Implementer, implementer);
    }

    /// @inheritdoc IParticipants
    function setSupplierStatus(
        uint32 supplier,
        bool authorised,
        string calldata reason
    ) external onlyRole(Roles.REGISTRAR) {
        _requireSupplier(supplier);
        _suppliers[supplier].authorised = authorised;
        _outdateVerdicts();
        emit SupplierStatusChanged(supplier, authorised, reason);
        if (!authorised) _dropAny(Party.Supplier, supplier);
    }

    // Change of account

    /// @inheritdoc IParticipants
    function proposeAccount(Party kind, uint32 party, address account) external {
        require(account != address(0), ZeroAccount());
        address current = _accountOf(kind, party);
        bool isFirst = current == address(0);
        bool byOwner = msg.sender == current && _decides(kind, party);
        if (!byOwner && !(isFirst && _holds(Roles.OPERATOR, msg.sender))) requireRole(Roles.REGISTRAR, msg.sender);
        _propose(kind, party, account, isFirst ? 0 : ACCOUNT_DELAY, byOwner);
    }

    /// @inheritdoc IParticipants
    function confirmAccount(uint32 household, address account) external onlyRole(Roles.EVALUATOR) {
        PendingAccount storage pending = _requirePending(Party.Household, household);
        require(pending.account == account, OtherAccountPending(household, pending.account));
        pending.confirmed = true;
        emit AccountConfirmed(household, account, msg.sender);
        if (pending.from <= block.timestamp) _putInForce(Party.Household, household, account);
    }

    /// @inheritdoc IParticipants
    function dropAccount(Party kind, uint32 party) external {
        _requirePending(kind, party);
        address current = _accountOf(kind, party);
        bool permitted =
            (msg.sender == current && _decides(kind, party)) ||
                _holds(Roles.GUARDIAN, msg.sender) ||
                _holds(Roles.REGISTRAR, msg.sender) ||
                (current == address(0) && _holds(Roles.OPERATOR, msg.sender));
        require(permitted, NotPermitted(msg.sender));
        _dropAny(kind, party);
    }

    /// @inheritdoc IParticipants
    function finaliseAccount(Party kind, uint32 party) external {
        PendingAccount storage pending = _requirePending(kind, party);
        require(kind != Party.Household || pending.confirmed || pending.byOwner, AccountNotConfirmed(party));
        require(pending.from <= block.timestamp, AccountDelayNotOver(pending.from));
        _putInForce(kind, party, pending.account);
    }

    // Views

    /// @inheritdoc IParticipants
    function pendingAccount(Party kind, uint32 party) external view returns (PendingAccount memory) {
        return _pending[kind][party];
    }

    /// @inheritdoc IParticipants
    function implementerOf(uint32 implementer) external view returns (Implementer memory) {
        return _implementers[implementer];
    }

    /// @inheritdoc IParticipants
    function implementerAccount(uint32 implementer) external view returns (address) {
        Implementer storage record = _implementers[implementer];
        return record.authorised ? record.account : address(0);
    }

    /// @inheritdoc IParticipants
    function supplierOf(uint32 supplier) external view returns (Supplier memory) {
        return _suppliers[supplier];
    }

    /// @inheritdoc IParticipants
    function householdCount() public view virtual returns (uint32);

    // Internals

    /// @dev To be called by everything that changes what `redemptionParties` answers about a supplier, a product or a plan.
    function _outdateVerdicts() internal virtual;

    function _propose(Party kind, uint32 party, address account, uint40 delay, bool byOwner) internal {
        uint40 from = uint40(block.timestamp) + delay;
        _pending[kind][party] = PendingAccount({account: account, from: from, confirmed: false, byOwner: byOwner});
        emit AccountProposed(kind, party, account, from, msg.sender);
    }

    function _requireImplementer(uint32 implementer) internal view {
        require(_implementers[implementer].account != address(0), UnknownImplementer(implementer));
    }

    function _requireSupplier(uint32 supplier) internal view {
        require(_suppliers[supplier].account != address(0), UnknownSupplier(supplier));
    }

    function _putInForce(Party kind, uint32 party, address account) private {
        delete _pending[kind][party];
        if (kind == Party.Implementer) {
            _implementers[party].account = account;
            emit ImplementerAccountChanged(party, account);
        } else if (kind == Party.Supplier) {
            _suppliers[party].account = account;
            emit SupplierAccountChanged(party, account);
        } else {
            householdAccount[party] = account;
            emit HouseholdAccountSet(party, account);
        }
    }

    function _dropAny(Party kind, uint32 party) private {
        address account = _pending[kind][party].account;
        if (account == address(0)) return;
        delete _pending[kind][party];
        emit AccountDropped(kind, party, account, msg.sender);
    }

    /// @dev The current account; zero only of a household that has none. Reverts when there is no such party.
    function _accountOf(Party kind, uint32 party) private view returns (address) {
        if (kind == Party.Implementer) {
            _requireImplementer(party);
            return _implementers[party].account;
        }
        if (kind == Party.Supplier) {
            _requireSupplier(party);
            return _suppliers[party].account;
        }
        require(party != 0 && party <= householdCount(), UnknownHousehold(party));
        return householdAccount[party];
    }

    /// @dev Whether the current account may take part in choosing its successor.
    function _decides(Party kind, uint32 party) private view returns (bool) {
        if (kind == Party.Implementer) return _implementers[party].authorised;
        if (kind == Party.Supplier) return _suppliers[party].authorised;
        return !_pending[kind][party].confirmed;
    }

    function _requirePending(Party kind, uint32 party) private view returns (PendingAccount storage pending) {
        pending = _pending[kind][party];
        require(pending.account != address(0), NoAccountPending(kind, party));
    }
}
