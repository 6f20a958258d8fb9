// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {IItmo} from "../../../contracts/itmo/IItmo.sol";
import {WalletMock} from "../../../contracts/mocks/WalletMock.sol";
import {IPool} from "../../../contracts/pool/IPool.sol";
import {IVouchers} from "../../../contracts/vouchers/IVouchers.sol";
import {MoneyHandler} from "./MoneyHandler.sol";

/// @title OrderHandler
/// @notice Fuzzed orders: swaps, conversions and attested claims that a party signs and anyone relays.
abstract contract OrderHandler is MoneyHandler {
    /// @dev The flaw of an order; any other number: none.
    enum Flaw {
        None,
        WrongSigner,
        OtherChain,
        OtherContract,
        OtherKind,
        Altered,
        Expired,
        Replayed,
        NotAllowed
    }

    struct SwapCall {
        bool isSell;
        address account;
        uint256 key;
        IPool.SwapOrder order;
        bytes signature;
        IPool.Permit permit;
    }

    struct ConversionCall {
        IItmo.ConversionOrder order;
        uint256 nonce;
        uint64 deadline;
        bytes signature;
    }

    bytes32 private constant SELL_TYPEHASH = keccak256(
        "SellOrder(uint32 supplier,uint64 amountIn,uint64 minOut,uint256 nonce,uint64 deadline)"
    );
    bytes32 private constant BUY_TYPEHASH = keccak256(
        "BuyOrder(uint32 implementer,uint64 amountIn,uint64 minOut,uint256 nonce,uint64 deadline)"
    );
    bytes32 private constant CONVERSION_TYPEHASH = keccak256(
        "ConversionOrder(uint32 implementer,uint64 amount,uint32 authorization,uint16 vintage,uint256 nonce,uint64 deadline)"
    );
    bytes32 private constant ATTESTATION_TYPEHASH = keccak256(
        "ClaimAttestation(uint96 redemption,bytes32 credentialHash,uint64 validUntil)"
    );
    bytes32 private constant PERMIT_TYPEHASH = keccak256(
        "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
    );
    /// @dev Few, so that some repeat.
    uint256 private constant NONCES = 16;
    uint256 private constant UNLIMITED = type(uint256).max;

    /// @dev A nonce settles once for a party, or is cancelled.
    mapping(bool isSell => mapping(uint32 party => mapping(uint256 nonce => bool used))) private _usedSwapNonce;
    mapping(uint32 implementer => mapping(uint256 nonce => bool used)) private _usedConversionNonce;
    SwapCall private _lastSwap;
    ConversionCall private _lastConversion;

    /// @dev A contract wallet's mode; mostly honest.
    function setWalletMode(uint8 which, uint8 mode) external tracked {
        wallets[which % 2].setMode(WalletMock.Mode(mode % 3 == 0 ? (mode / 3) % 6 : 0));
    }

    function sellByOrder(uint256 amount, uint8 supplier, uint8 flaw, uint8 nonce) external tracked {
        _seller = 1 + (supplier % 3);
        SwapCall memory call;
        (call.isSell, call.account, call.key) = (true, suppliers[_seller], SUPPLIER_KEY + _seller);
        uint256 held = carbon.balanceOf(call.account);
        amount = bound(amount, 0, held < 25 * TONNE ? held : 25 * TONNE);
        uint64 quoted = pool.quoteSell(uint64(foreseeKept(amount)));
        call.order = IPool.SwapOrder(_seller, uint64(amount), quoted, nonce, 0);
        settleSwap(call, flawOf(flaw));
        countKept();
    }

    function buyByOrder(uint256 amount, uint8 implementer, uint8 flaw, uint8 nonce) external tracked {
        uint32 party = 1 + (implementer % 3);
        SwapCall memory call;
        (call.account, call.key) = (implementers[party], party == 3 ? SUPPLIER_KEY + 3 : IMPLEMENTER_KEY + party);
        amount = bound(amount, 0, (22 * TONNE * uint256(price)) / UNIT);
        stablecoin.mint(call.account, amount);
        call.order = IPool.SwapOrder(party, uint64(amount), pool.quoteBuy(uint64(amount)), nonce, 0);
        settleSwap(call, flawOf(flaw));
    }

    /// @dev Repeat the last settled swap, valid except for its used nonce.
    function replaySwap() external tracked {
        SwapCall memory call = _lastSwap;
        vm.assume(call.signature.length > 0);
        _seller = call.order.party;
        if (!call.isSell) stablecoin.mint(call.account, call.order.amountIn);
        approve(call.isSell ? carbon_() : ERC20Permit(address(stablecoin)), call.account, address(pool), UNLIMITED);
        bytes memory data =
            call.isSell
                ? abi.encodeCall(IPool.sellCarbonFor, (call.order, call.signature, call.permit))
                : abi.encodeCall(IPool.buyCarbonFor, (call.order, call.signature, call.permit));
        vm.prank(stranger);
        (bool success, ) = address(pool).call(data);
        if (success) violate("O1: an order settled again");
    }

    /// @dev Only the party's account can cancel.
    function cancelOrder(bool isConversion, bool isSell, uint8 party, uint8 nonce, bool byStranger) external tracked {
        uint32 index = 1 + (party % 3);
        nonce = uint8(nonce % NONCES);
        bool isUsed = isConversion ? _usedConversionNonce[index][nonce] : _usedSwapNonce[isSell][index][nonce];
        address account = isConversion || !isSell ? implementers[index] : suppliers[index];
        vm.prank(byStranger ? stranger : account);
        if (isConversion) itmo.cancelOrder(index, nonce);
        else pool.cancelOrder(isSell ? IPool.Side.Sale : IPool.Side.Purchase, index, nonce);
        if (byStranger) violate("O3: another account than the party's cancelled an order");
        if (isUsed) violate("O2: a nonce was cancelled that had settled");
        if (isConversion) _usedConversionNonce[index][nonce] = true;
        else _usedSwapNonce[isSell][index][nonce] = true;
    }

    function requestByOrder(
        uint256 tonnes,
        uint8 implementer,
        uint8 authorization,
        uint8 flaw,
        uint8 nonce
    ) external tracked {
        ConversionCall memory call;
        uint32 party = 1 + (implementer % 3);
        address account = implementers[party];
        call.order = IItmo.ConversionOrder(
            party,
            amountOf(account, tonnes),
            1 + (authorization % 4),
            vintageOf(authorization)
        );
        settleConversion(call, account, flawOf(flaw), nonce % NONCES);
    }

    function claimByAttestation(uint256 seed, uint256 credential, uint8 flaw) external tracked {
        (uint256 at, uint96 id) = pickIn(seed, IVouchers.RedemptionStatus.Open);
        Flaw wrong = flawOf(flaw);
        bytes32 hash = hashOf(credential);
        uint64 validUntil = uint64(wrong == Flaw.Expired ? block.timestamp - 1 : block.timestamp);
        uint96 named = wrong == Flaw.Altered ? id + 1 : id;
        bytes32 content = keccak256(abi.encode(ATTESTATION_TYPEHASH, named, hash, validUntil));
        bytes memory signature = signWith(OPERATOR_KEY, wrong, "Hearth Claims", address(claims), content);
        address sender = wrong == Flaw.NotAllowed ? stranger : suppliers[_seller];
        vm.prank(sender);
        claims.claimWithAttestation(id, hash, validUntil, signature);
        if (isWrong(wrong)) violate("O1: an invalid attestation paid");
        settle(at, hash, operator);
    }

    // What the actions share.

    /// @dev Half of the orders are valid.
    function flawOf(uint8 flaw) private pure returns (Flaw) {
        return Flaw(flaw % 2 == 0 ? 0 : 1 + ((flaw / 2) % 8));
    }

    /// @dev An attestation has only one kind, and may be used until it is settled.
    function isWrong(Flaw flaw) private pure returns (bool) {
        return flaw != Flaw.None && flaw != Flaw.OtherKind && flaw != Flaw.Replayed;
    }

    function settleSwap(SwapCall memory call, Flaw flaw) private {
        call.order.nonce %= NONCES;
        call.order.deadline = uint64(flaw == Flaw.Expired ? block.timestamp - 1 : block.timestamp + 30 days);
        call.signature = signSwap(call, flaw);
        call.permit = allow(call, flaw);
        if (flaw == Flaw.Altered) ++call.order.amountIn;
        if (flaw == Flaw.Replayed) {
            vm.assume(_lastSwap.signature.length > 0);
            call = _lastSwap;
            _seller = call.order.party;
            // Only the nonce may prevent it.
            if (!call.isSell) stablecoin.mint(call.account, call.order.amountIn);
            approve(call.isSell ? carbon_() : ERC20Permit(address(stablecoin)), call.account, address(pool), UNLIMITED);
        }
        uint256 before = balanceOut(call);
        send(call);
        if (flaw != Flaw.None) violate("O1: an order that was not signed like this settled");
        if (isMisled(call.account)) violate("O1: an order settled that its wallet does not approve");
        if (balanceOut(call) - before != call.order.minOut) violate("P4: an order did not pay the quoted amount");
        IPool.SwapOrder memory order = call.order;
        if (_usedSwapNonce[call.isSell][order.party][order.nonce]) violate("O2: a nonce of swaps settled twice");
        _usedSwapNonce[call.isSell][order.party][order.nonce] = true;
        _lastSwap = call;
    }

    function send(SwapCall memory call) private {
        vm.prank(stranger);
        if (call.isSell) pool.sellCarbonFor(call.order, call.signature, call.permit);
        else pool.buyCarbonFor(call.order, call.signature, call.permit);
    }

    function settleConversion(ConversionCall memory call, address account, Flaw flaw, uint256 nonce) private {
        uint256 key = account == suppliers[3] ? SUPPLIER_KEY + 3 : IMPLEMENTER_KEY + call.order.implementer;
        (call.nonce, call.deadline) = (nonce, uint64(flaw == Flaw.Expired ? block.timestamp - 1 : block.timestamp));
        bytes32 content = keccak256(abi.encode(CONVERSION_TYPEHASH, call.order, nonce, call.deadline));
        call.signature = signWith(key, flaw, "Hearth ITMO", address(itmo), content);
        IItmo.Permit memory permit;
        bool isKey = account.code.length == 0;
        if (isKey) {
            approve(carbon_(), account, address(itmo), 0);
            uint256 signer = flaw == Flaw.NotAllowed ? key + 50 : key;
            bytes32 digest = permitDigest(carbon_(), account, address(itmo), call.order.amount, call.deadline);
            (permit.v, permit.r, permit.s) = vm.sign(signer, digest);
        } else approve(carbon_(), account, address(itmo), flaw == Flaw.NotAllowed ? 0 : call.order.amount);
        if (flaw == Flaw.Altered) call.order.amount -= TONNE;
        if (flaw == Flaw.Replayed) {
            vm.assume(_lastConversion.signature.length > 0);
            call = _lastConversion;
            approve(carbon_(), implementers[call.order.implementer], address(itmo), UNLIMITED);
        }
        vm.prank(stranger);
        uint32 conversion = itmo.requestConversionFor(call.order, call.nonce, call.deadline, call.signature, permit);
        if (flaw != Flaw.None && flaw != Flaw.OtherKind) violate("O1: a request that was not signed like this settled");
        if (isMisled(account)) violate("O1: a request settled that its wallet does not approve");
        uint32 implementer = call.order.implementer;
        if (_usedConversionNonce[implementer][nonce]) violate("O2: a nonce of requests settled twice");
        if (itmo.orderUsed(implementer, nonce) != conversion) violate("O2: a nonce does not name its request");
        _usedConversionNonce[implementer][nonce] = true;
        _lastConversion = call;
    }

    /// @dev A sale by the trader may be signed as its purchase, and the other way.
    function signSwap(SwapCall memory call, Flaw flaw) private view returns (bytes memory) {
        bool asSell = flaw == Flaw.OtherKind ? !call.isSell : call.isSell;
        bytes32 content = keccak256(abi.encode(asSell ? SELL_TYPEHASH : BUY_TYPEHASH, call.order));
        return signWith(call.key, flaw, "Hearth Pool", address(pool), content);
    }

    function signWith(
        uint256 key,
        Flaw flaw,
        string memory name,
        address verifier,
        bytes32 content
    ) private view returns (bytes memory) {
        if (flaw == Flaw.WrongSigner) key += 50;
        uint256 chainId = flaw == Flaw.OtherChain ? block.chainid + 1 : block.chainid;
        address target = flaw == Flaw.OtherContract ? address(vouchers) : verifier;
        return signed(key, typedHashOn(chainId, name, target, content));
    }

    /// @dev A key signs a permit, a wallet approves; what is not allowed has neither.
    function allow(SwapCall memory call, Flaw flaw) private returns (IPool.Permit memory permit) {
        ERC20Permit token = call.isSell ? carbon_() : ERC20Permit(address(stablecoin));
        bool isKey = call.account.code.length == 0;
        approve(token, call.account, address(pool), isKey || flaw == Flaw.NotAllowed ? 0 : UNLIMITED);
        if (!isKey) return permit;
        uint256 signer = flaw == Flaw.NotAllowed ? call.key + 50 : call.key;
        bytes32 digest = permitDigest(token, call.account, address(pool), call.order.amountIn, call.order.deadline);
        (permit.v, permit.r, permit.s) = vm.sign(signer, digest);
    }

    function approve(ERC20Permit token, address account, address spender, uint256 amount) private {
        vm.prank(account);
        token.approve(spender, amount);
    }

    function permitDigest(
        ERC20Permit token,
        address account,
        address spender,
        uint256 amount,
        uint256 deadline
    ) private view returns (bytes32) {
        bytes32 content = keccak256(
            abi.encode(PERMIT_TYPEHASH, account, spender, amount, token.nonces(account), deadline)
        );
        return keccak256(abi.encodePacked("\x19\x01", token.DOMAIN_SEPARATOR(), content));
    }

    function carbon_() private view returns (ERC20Permit) {
        return ERC20Permit(address(carbon));
    }

    function balanceOut(SwapCall memory call) private view returns (uint256) {
        return call.isSell ? stablecoin.balanceOf(call.account) : carbon.balanceOf(call.account);
    }

    function isMisled(address account) private view returns (bool) {
        return account.code.length > 0 && WalletMock(account).mode() != WalletMock.Mode.Honest;
    }
}
