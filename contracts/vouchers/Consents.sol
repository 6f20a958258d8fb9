// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {IVouchers} from "./IVouchers.sol";

/// @title Consents
/// @notice Checks the signatures by which households consent to redemptions. It holds nothing; the ledger deploys it.
/// @dev Separate from the ledger because of the limit on a contract's size. The ledger is the verifying contract of what is
/// signed.
contract Consents {
    bytes32 private constant DOMAIN_TYPEHASH = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    bytes32 private constant AUTHORIZATION_TYPEHASH = keccak256(
        "RedemptionAuthorization(uint64 voucher,uint32 supplier,uint32 product,uint64 amount,uint256 nonce,uint64 deadline)"
    );

    /// @notice Gas that a household's contract wallet may spend on checking one signature.
    uint256 public constant SIGNATURE_GAS = 150_000;
    /// @notice The voucher ledger for which consents are signed.
    address public immutable LEDGER = msg.sender;

    /// @notice Whether a household's account has signed an order.
    /// @param account The household's account; zero has signed nothing, because no signature recovers to it.
    function isSigned(
        IVouchers.RedemptionOrder calldata order,
        IVouchers.Authorization calldata authorization,
        address account
    ) external view returns (bool) {
        return _isSigned(account, _digestOf(order, authorization), authorization.signature);
    }

    /// @notice Whether one of a household's one-time keys has signed an order.
    /// @param root See `IVouchers.CodesCommitted`; 0 holds no key.
    function isCode(
        IVouchers.RedemptionOrder calldata order,
        IVouchers.Authorization calldata authorization,
        uint32 household,
        bytes32 root
    ) external view returns (bool) {
        bytes32 digest = _digestOf(order, authorization);
        (address key, ECDSA.RecoverError failure, ) = ECDSA.tryRecoverCalldata(digest, authorization.signature);
        if (failure != ECDSA.RecoverError.NoError || authorization.nonce != uint160(key)) return false;
        bytes32 leaf = keccak256(bytes.concat(keccak256(abi.encode(household, key))));
        return MerkleProof.verifyCalldata(authorization.proof, root, leaf);
    }

    /// @notice Whether a signature holds for an account.
    /// @dev Called by this contract itself, so that a contract wallet spends at most `SIGNATURE_GAS`.
    function isSignatureValid(address account, bytes32 digest, bytes calldata signature) external view returns (bool) {
        return SignatureChecker.isValidSignatureNowCalldata(account, digest, signature);
    }

    /// @dev A wallet that reverts or burns its gas has not signed. A sender who leaves too little gas for the check
    /// must not pass for that, so it reverts.
    function _isSigned(address account, bytes32 digest, bytes calldata signature) private view returns (bool) {
        if (account.code.length == 0) return SignatureChecker.isValidSignatureNowCalldata(account, digest, signature);
        require(gasleft() > SIGNATURE_GAS + SIGNATURE_GAS / 32, IVouchers.InsufficientGas());
        try this.isSignatureValid{gas: SIGNATURE_GAS}(account, digest, signature) returns (bool valid) {
            return valid;
        } catch {
            return false;
        }
    }

    function _digestOf(
        IVouchers.RedemptionOrder calldata order,
        IVouchers.Authorization calldata authorization
    ) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256("Hearth Vouchers"), keccak256("1"), block.chainid, LEDGER)
        );
        bytes32 content = keccak256(
            abi.encode(
                AUTHORIZATION_TYPEHASH,
                order.voucher,
                order.supplier,
                order.product,
                order.amount,
                authorization.nonce,
                authorization.deadline
            )
        );
        return MessageHashUtils.toTypedDataHash(domain, content);
    }
}
