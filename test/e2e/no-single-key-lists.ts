import {
  type Abi,
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  keccak256,
  maxUint64,
  pad,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { abis } from "../../api/platform/chain/contracts.ts";
import { timelockAbi } from "../../deployments/abi/timelock.ts";
import type { CouncilChain, keyNames } from "../support/council-chain.ts";

/** `as` may make each of these calls, to show that what refuses the others is who they are. */
type Guarded = { as: Address; attempts: unknown[][] };

const caps = {
  perTransaction: maxUint64,
  perWindow: maxUint64,
  perDay: maxUint64,
  lifetime: maxUint64,
  perSupplierDay: maxUint64,
};
/** An account that holds nothing. */
const someone: Address = "0x00000000000000000000000000000000000000A1";
const SENTINEL: Address = "0x0000000000000000000000000000000000000001";
const EXECUTOR = keccak256(stringToHex("EXECUTOR_ROLE"));
const encode = (abi: unknown, functionName: string, args: unknown[]): Hex =>
  encodeFunctionData({ abi: abi as Abi, functionName, args });

/** Who may move reserves, change price, fee and caps, unpause, give roles, or change the Safe and its timelock. */
export function guardedCalls({ deployment, address }: CouncilChain): Record<string, Guarded> {
  const { pool, stablecoin, timelock, council, claims, vouchers } = deployment.contracts;
  const grant = encode(abis.participants, "grantRole", [3n, someone, 0]);
  const byTimelock = (...attempts: unknown[][]) => ({ as: timelock, attempts });
  const bySafe = (...attempts: unknown[][]) => ({ as: council, attempts });
  const operation = [pool, 0n, encode(abis.pool, "setPrice", [21_000n]), zeroHash, zeroHash];
  const schedule = [...operation, 86_400n];
  const [first, second] = [address("council-1"), address("council-2")];
  return {
    "pool.setPrice": byTimelock([21_000n], [20_001n], [16_000n]),
    "pool.setFee": byTimelock([1], [1_000]),
    "pool.setCaps": byTimelock([caps]),
    "pool.unpause": byTimelock([]),
    "pool.withdraw": byTimelock([stablecoin, someone, 1n], [stablecoin, address("operator"), 10n ** 12n]),
    "pool.payClaim": { as: claims, attempts: [[1, someone, 1_000_000n]] },
    "pool.payBurnedClaim": { as: claims, attempts: [[1, someone, 1_000_000n]] },
    "pool.setDebtor": {
      as: claims,
      attempts: [
        [1, false],
        [1, true],
      ],
    },
    "claims.setOffDebt": { as: pool, attempts: [[1, 1_000_000n]] },
    "claims.setOperatorCap": byTimelock([maxUint64], [0n]),
    "vouchers.setLifecycleCap": byTimelock([maxUint64], [0n]),
    "vouchers.setPinCap": byTimelock([maxUint64], [0n]),
    "claims.setDisputeStake": byTimelock([0n]),
    "participants.setUnconsentedCap": byTimelock([0, 4_000_000_000]),
    "itmo.setDailyCap": byTimelock([maxUint64]),
    "invalidationBuffer.setTerms": byTimelock([500, 365], [0, 0]),
    "directory.setContracts": byTimelock([[pad(stringToHex("Pool"), { dir: "right" })], [someone]]),
    "carbon.mint": { as: vouchers, attempts: [[1n]] },
    "participants.grantRole": byTimelock(...[0n, 1n, 2n, 3n, 4n, 5n].map((role) => [role, someone, 0])),
    "participants.revokeRole": byTimelock([1n, address("guardian")], [0n, timelock]),
    "participants.labelRole": byTimelock([3n, "X"]),
    "participants.setRoleAdmin": byTimelock([3n, 3n]),
    "participants.setRoleGuardian": byTimelock([3n, 3n]),
    "participants.setGrantDelay": byTimelock([3n, 1]),
    "participants.setTargetAdminDelay": byTimelock([pool, 1]),
    "participants.setTargetClosed": byTimelock([pool, true]),
    "participants.setTargetFunctionRole": byTimelock([pool, ["0x91b7f5ed"], 3n]),
    "participants.multicall": byTimelock([[grant]]),
    "timelock.schedule": bySafe(schedule),
    "timelock.scheduleBatch": bySafe([...operation.slice(0, 3).map((each) => [each]), zeroHash, zeroHash, 86_400n]),
    "timelock.updateDelay": byTimelock([1n]),
    "timelock.grantRole": byTimelock([EXECUTOR, someone], [zeroHash, someone]),
    "timelock.revokeRole": byTimelock([EXECUTOR, zeroAddress]),
    "council.addOwnerWithThreshold": bySafe([someone, 1n], [someone, 2n]),
    "council.removeOwner": bySafe([first, second, 1n]),
    "council.swapOwner": bySafe([SENTINEL, first, someone]),
    "council.changeThreshold": bySafe([1n], [3n]),
    "council.enableModule": bySafe([someone]),
    "council.setGuard": bySafe([zeroAddress]),
    "council.setModuleGuard": bySafe([zeroAddress]),
    "council.setFallbackHandler": bySafe([zeroAddress]),
  };
}

/** What is refused as it is called here, to everybody: it would take what nobody has, or a decision that was not made. */
export function alwaysRefused({ deployment, address }: CouncilChain): Record<string, unknown[][]> {
  const { pool, participants, timelock, council } = deployment.contracts;
  const setPrice = encode(abis.pool, "setPrice", [21_000n]);
  const grant = encode(abis.participants, "grantRole", [3n, someone, 0]);
  const approvedByCaller = (caller: Address): Hex => concat([pad(caller), zeroHash, "0x01"]);
  const rest = [0n, 0n, 0n, zeroAddress, zeroAddress] as const;
  const scheduled = encode(timelockAbi, "schedule", [pool, 0n, setPrice, zeroHash, zeroHash, 86_400n]);
  const members = (["council-1", "council-2", "council-3"] as const).map(address);
  return {
    "timelock.execute": [[pool, 0n, setPrice, zeroHash, zeroHash]],
    "timelock.executeBatch": [[[pool], [0n], [setPrice], zeroHash, zeroHash]],
    "timelock.cancel": [[pad("0x1")]],
    "participants.execute": [
      [pool, setPrice],
      [participants, grant],
    ],
    "participants.schedule": [[pool, setPrice, 0]],
    "participants.cancel": [[someone, pool, setPrice]],
    "participants.consumeScheduledOp": [[someone, setPrice]],
    "participants.updateAuthority": [[pool, someone]],
    "council.setup": [[[someone], 1n, zeroAddress, "0x", zeroAddress, zeroAddress, 0n, zeroAddress]],
    // Each member as its sender, and so with one approval: a call, and a delegatecall.
    "council.execTransaction": members.flatMap((member) =>
      [0, 1].map((operation) => [timelock, 0n, scheduled, operation, ...rest, approvedByCaller(member)]),
    ),
    "council.execTransactionFromModule": [[timelock, 0n, scheduled, 0]],
    "council.execTransactionFromModuleReturnData": [[timelock, 0n, scheduled, 0]],
    "council.disableModule": [[council, council]],
    "council.simulateAndRevert": [[pool, setPrice]],
    // Out of the pool's reserves, which it allows nobody.
    "carbon.transferFrom": [[pool, someone, 1n]],
    "stablecoin.transferFrom": [[pool, someone, 1n]],
    "stablecoin.permit": [[pool, someone, maxUint64, maxUint64, 27, zeroHash, zeroHash]],
    "carbon.permit": [[pool, someone, maxUint64, maxUint64, 27, zeroHash, zeroHash]],
    // Nobody owes anything here; with a debt it is the council's, see test/contracts/claims/review.ts.
    "claims.waiveDebt": [[1, 1n, "why"]],
    // The claims contract calls it on itself.
    "claims.payThroughPool": [[1n, 1, someone, 1_000_000n, 0n]],
  };
}

const swap = "A swap at the pool's own price, within its caps, signed by the account whose tokens it takes.";
const payout = "Pays a supplier for CARBON at the pool's own price, within the operator's cap of the day.";
const tightens = "The guardian's: it can only make narrower.";
const own = "Moves or gives away what is the caller's own.";
const oracle =
  "The oracle's owner or settler, over the deposits that were made to it, within the price that each payer accepted.";
const role = "What the role is for; it touches neither reserves nor what the council decides.";
const ledger = "Called by the voucher ledger alone; CARBON is minted within a verified certificate.";

/** Who may call it alone, and why that moves nothing that the council decides. Swaps are the allowed exception. */
export const openFunctions: Record<string, string> = {
  ...listed(swap, "pool", ["sellCarbon", "sellCarbonFor", "buyCarbon", "buyCarbonFor"]),
  ...listed(payout, "claims", [
    "claim",
    "claimFor",
    "claimMany",
    "claimWithAttestation",
    "approve",
    "resolve",
    "dispute",
    "reject",
    "settleDrawn",
  ]),
  ...listed(own, "claims", ["cancelAttestation"]),
  ...listed(own, "pool", ["cancelOrder"]),
  ...listed(own, "itmo", ["cancelOrder"]),
  ...listed("Counts into the reserves what has been given.", "pool", ["takeIn"]),
  ...listed(tightens, "pool", ["pause", "lowerCaps"]),
  ...listed(tightens, "claims", ["lowerOperatorCap"]),
  ...listed(tightens, "itmo", ["lowerDailyCap"]),
  ...listed(tightens, "vouchers", ["lowerLifecycleCap", "lowerPinCap"]),
  ...listed(
    "The guardian's: the certificate is suspended afterwards, and the registrar may revoke it again.",
    "certificates",
    ["vetoRevocation"],
  ),
  ...listed(
    "The guardian's: what was left before is restored, and the registrar may reduce or revoke it again.",
    "authorizations",
    ["veto"],
  ),
  ...listed(
    "The registrar's, for units that were not first transferred; the guardian can veto it until the second midnight.",
    "authorizations",
    ["reduce", "revoke"],
  ),
  ...listed("The ITMO contract's, which has the authorizations; nothing moves here.", "authorizations", [
    "register",
    "countFirstTransfer",
  ]),
  ...listed(
    "The invalidation buffer's, for units that it holds; they go back to their Party or are cancelled.",
    "itmo",
    ["releaseBuffered", "cancelBuffered"],
  ),
  ...listed("Anyone's, by the rule alone: units go back to their Party, or are cancelled.", "invalidationBuffer", [
    "release",
    "cancelRevoked",
  ]),
  ...listed("The ITMO contract's; the units stay with their Party.", "invalidationBuffer", ["hold"]),
  ...listed(own, "carbon", ["approve", "burn", "transfer"]),
  ...listed(own, "stablecoin", ["approve", "transfer"]),
  ...listed("The test token's faucet, on the embedded chain only.", "stablecoin", [
    "mint",
    "renounceOwnership",
    "transferOwnership",
  ]),
  ...listed("Lays a role of the caller's own down.", "participants", ["renounceRole"]),
  ...listed("Lays a right of the caller's own down.", "timelock", ["renounceRole"]),
  ...listed("Takes tokens in.", "timelock", ["onERC721Received", "onERC1155Received", "onERC1155BatchReceived"]),
  ...listed("One member's approval, of which the Safe wants two.", "council", ["approveHash"]),
  ...listed(own, "oracles", ["contractOracle", "contractOracleWithPermit", "requestWithdrawal", "withdraw"]),
  ...listed(oracle, "oracles", [
    "settle",
    "setUrls",
    "setTerms",
    "setAccounts",
    "transferOwnership",
    "acceptOwnership",
  ]),
  ...listed(role, "oracles", ["register"]),
  ...listed(role, "participants", [
    ...["registerHouseholds", "registerImplementer", "registerSupplier", "setImplementerStatus", "setSupplierStatus"],
    ...["proposeAccount", "confirmAccount", "dropAccount", "finaliseAccount"],
    ...["setSupplierFlag", "registerProduct", "setProductStatus", "registerPlan"],
    ...["trustIssuer", "endIssuerTrust", "setRedemptionTerms"],
  ]),
  ...listed(role, "certificates", [
    "registerCertificate",
    "registerAllocated",
    "recordAllocation",
    "setCertificateStatus",
  ]),
  ...listed(ledger, "certificates", [
    "issueWhole",
    "issueLeaf",
    "issueChunk",
    "reissueRest",
    "returnRest",
    "oweReplacement",
    "releaseLot",
  ]),
  ...listed("The ITMO contract's, which holds the conversion's CARBON; no CARBON moves here.", "certificates", [
    "takeLots",
  ]),
  ...listed("Returns what the caller itself has taken.", "certificates", ["returnLots"]),
  ...listed("Burns the caller's own CARBON, or gives it to the pool, for what an implementer owes.", "certificates", [
    "repayDebt",
    "replaceCarbon",
  ]),
  ...listed(role, "vouchers", [
    ...["issue", "issueMany", "issueChunks", "open", "redeem", "redeemOpening", "redeemAuthorized", "redeemMany"],
    ...[
      "suspend",
      "reactivate",
      "cancel",
      "reissue",
      "sweep",
      "burnRevoked",
      "reverse",
      "lapse",
      "settle",
      "flagRedemption",
      "multicall",
    ],
    ...["setRedemptionStatus", "setCertificateHalted", "setHouseholdAuthorizationRequired"],
    ...["commitCodes", "cancelAuthorization"],
  ]),
  ...listed(role, "audits", ["anchorRoot"]),
  ...listed(role, "parameters", ["set"]),
  ...listed(role, "campaigns", [
    ...["commit", "amend", "abandon", "replace", "markMissing", "record", "recordMany"],
    ...["joinDraw", "joinDrawFor", "openDraw", "reveal", "postponeDraw", "repeatDraw"],
    ...["close", "revoke", "certify"],
  ]),
  ...listed(
    "The registrar's record of ITMOs, within its cap of the day; CARBON of the caller's own goes into escrow.",
    "itmo",
    [
      ...[
        "registerApproach",
        "registerAuthorization",
        "setAuthorizedQuantity",
        "requestConversion",
        "requestConversionFor",
      ],
      ...["finalise", "revertConversion", "reclaim", "transfer", "useForNdc", "useForOimp", "cancel"],
    ],
  ),
};

/** Functions by which only the guardian changes something immediately. */
export const tightening: Record<string, readonly (typeof keyNames)[number][]> = {
  "pool.pause": ["guardian"],
  "pool.lowerCaps": ["guardian"],
  "claims.lowerOperatorCap": ["guardian"],
  "itmo.lowerDailyCap": ["guardian"],
  "vouchers.lowerLifecycleCap": ["guardian"],
  "vouchers.lowerPinCap": ["guardian"],
};

function listed(reason: string, contract: string, functions: string[]): Record<string, string> {
  return Object.fromEntries(functions.map((name) => [`${contract}.${name}`, reason]));
}
