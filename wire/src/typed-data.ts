/** EIP-712 typed data of everything that an account signs for Hearth's contracts: domains, fields and builders. */

type Hex = `0x${string}`;
type Field = { name: string; type: string };

/** Typed data as JSON, for `eth_signTypedData_v4` and viem's `signTypedData`: wide integers are decimal text. */
export type TypedDataJson = {
  domain: TypedDataDomain;
  types: Record<string, Field[]>;
  primaryType: string;
  message: Record<string, string | number>;
};

/** The domain of a signature: one contract on one chain. */
export type TypedDataDomain = { name: string; version: string; chainId: number; verifyingContract: Hex };

/** The contract that verifies a signature. */
export type SigningContract = { chainId: number; verifyingContract: Hex };

/** Fields of a domain with all four parts. Wallets sign an empty domain when `types` lacks them. */
export const domainFields: readonly Field[] = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

const domainOf = (name: string, { chainId, verifyingContract }: SigningContract): TypedDataDomain => ({
  name,
  version: "1",
  chainId,
  verifyingContract,
});

/** A household's consent to one redemption. `amount` is micro-CARBON, `deadline` unix seconds. */
export type RedemptionAuthorization = {
  /** Numbers on chain. */
  voucher: bigint;
  supplier: number;
  product: number;
  amount: bigint;
  nonce: bigint | string;
  deadline: number | bigint;
};

/**
 * Build a household's consent for the vouchers contract.
 *
 * @example
 * ```ts
 * import { redemptionAuthorization } from "@hearth/wire";
 *
 * const vouchers = { chainId: 31337, verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
 * const consent = { voucher: 4294967296n, supplier: 1, product: 1, amount: 12_500_000n, nonce: 1n, deadline: 1_900_000_000 };
 * const typedData = redemptionAuthorization(vouchers, consent); // the household's wallet signs it
 * ```
 */
export function redemptionAuthorization(vouchers: SigningContract, consent: RedemptionAuthorization): TypedDataJson {
  const { voucher, supplier, product, amount, nonce, deadline } = consent;
  return {
    domain: domainOf("Hearth Vouchers", vouchers),
    types: {
      RedemptionAuthorization: [
        { name: "voucher", type: "uint64" },
        { name: "supplier", type: "uint32" },
        { name: "product", type: "uint32" },
        { name: "amount", type: "uint64" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint64" },
      ],
    },
    primaryType: "RedemptionAuthorization",
    message: {
      voucher: `${voucher}`,
      supplier,
      product,
      amount: `${amount}`,
      nonce: `${nonce}`,
      deadline: `${deadline}`,
    },
  };
}

/** An operator's statement that a credential was verified. `validUntil` is unix seconds. */
export type ClaimAttestation = { redemption: bigint; credentialHash: Hex; validUntil: bigint };

/**
 * Build an attestation for the claims contract.
 *
 * @example
 * ```ts
 * import { claimAttestation } from "@hearth/wire";
 *
 * const claims = { chainId: 31337, verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
 * const credentialHash = `0x${"11".repeat(32)}` as const;
 * const message = { redemption: 18446744073709551617n, credentialHash, validUntil: 1_900_000_000n };
 * const typedData = claimAttestation(claims, message); // the operator's wallet signs it
 * ```
 */
export function claimAttestation(claims: SigningContract, message: ClaimAttestation) {
  return {
    domain: domainOf("Hearth Claims", claims),
    types: {
      ClaimAttestation: [
        { name: "redemption", type: "uint96" },
        { name: "credentialHash", type: "bytes32" },
        { name: "validUntil", type: "uint64" },
      ],
    },
    primaryType: "ClaimAttestation" as const,
    message,
  };
}

/** A second party's commitment to its secret for a round of a campaign's draw. `deadline` is unix seconds. */
export type DrawParty = { campaign: number; round: number; commitment: Hex; deadline: number };

/**
 * Build a second party's commitment for the campaigns contract.
 *
 * @example
 * ```ts
 * import { drawParty } from "@hearth/wire";
 *
 * const campaigns = { chainId: 31337, verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
 * const commitment = `0x${"22".repeat(32)}` as const; // keccak256(abi.encode(secret, account))
 * const party = { campaign: 1, round: 0, commitment, deadline: 1_900_000_000 };
 * const typedData = drawParty(campaigns, party); // the second party's wallet signs it
 * ```
 */
export function drawParty(campaigns: SigningContract, party: DrawParty): TypedDataJson {
  const { campaign, round, commitment, deadline } = party;
  return {
    domain: domainOf("Hearth Campaigns", campaigns),
    types: {
      DrawParty: [
        { name: "campaign", type: "uint32" },
        { name: "round", type: "uint32" },
        { name: "commitment", type: "bytes32" },
        { name: "deadline", type: "uint64" },
      ],
    },
    primaryType: "DrawParty",
    message: { campaign, round, commitment, deadline: `${deadline}` },
  };
}

/** An order to the pool. `party` is the implementer's number when it buys CARBON, the supplier's when it sells. */
export type SwapOrder = { party: number; amountIn: bigint; minOut: bigint; nonce: bigint; deadline: bigint };

/**
 * Build an order for the pool contract: `buy` pays stablecoins, `sell` pays CARBON.
 *
 * @example
 * ```ts
 * import { swapOrder } from "@hearth/wire";
 *
 * const pool = { chainId: 31337, verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
 * const order = { party: 1, amountIn: 1_000_000n, minOut: 49_000_000n, nonce: 1n, deadline: 1_900_000_000n };
 * const typedData = swapOrder(pool, "buy", order); // the implementer's wallet signs it
 * ```
 */
export function swapOrder(pool: SigningContract, side: "buy" | "sell", order: SwapOrder): TypedDataJson {
  const [primaryType, party] = side === "buy" ? ["BuyOrder", "implementer"] : ["SellOrder", "supplier"];
  const { amountIn, minOut, nonce, deadline } = order;
  return {
    domain: domainOf("Hearth Pool", pool),
    types: {
      [primaryType]: [
        { name: party, type: "uint32" },
        { name: "amountIn", type: "uint64" },
        { name: "minOut", type: "uint64" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint64" },
      ],
    },
    primaryType,
    message: {
      [party]: order.party,
      amountIn: `${amountIn}`,
      minOut: `${minOut}`,
      nonce: `${nonce}`,
      deadline: `${deadline}`,
    },
  };
}

/** An order to convert CARBON into ITMOs. `amount` is micro-CARBON. */
export type ConversionOrder = {
  implementer: number;
  amount: bigint;
  authorization: number;
  vintage: number;
  nonce: bigint;
  deadline: bigint;
};

/**
 * Build a conversion order for the ITMO contract.
 *
 * @example
 * ```ts
 * import { conversionOrder } from "@hearth/wire";
 *
 * const itmo = { chainId: 31337, verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
 * const amount = 1_000_000_000n; // 1 tonne
 * const order = { implementer: 1, amount, authorization: 1, vintage: 2025, nonce: 1n, deadline: 1_900_000_000n };
 * const typedData = conversionOrder(itmo, order); // the implementer's wallet signs it
 * ```
 */
export function conversionOrder(itmo: SigningContract, order: ConversionOrder): TypedDataJson {
  const { implementer, amount, authorization, vintage, nonce, deadline } = order;
  return {
    domain: domainOf("Hearth ITMO", itmo),
    types: {
      ConversionOrder: [
        { name: "implementer", type: "uint32" },
        { name: "amount", type: "uint64" },
        { name: "authorization", type: "uint32" },
        { name: "vintage", type: "uint16" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint64" },
      ],
    },
    primaryType: "ConversionOrder",
    message: { implementer, amount: `${amount}`, authorization, vintage, nonce: `${nonce}`, deadline: `${deadline}` },
  };
}

/** An ERC-2612 permit. `value` is in the token's smallest unit. */
export type TokenPermit = { owner: Hex; spender: Hex; value: bigint; nonce: bigint; deadline: bigint };

/**
 * Build a permit. The domain is the token's.
 *
 * @example
 * ```ts
 * import { tokenPermit } from "@hearth/wire";
 *
 * const verifyingContract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
 * const [owner, spender] = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8", verifyingContract] as const;
 * const permit = { owner, spender, value: 1_000_000n, nonce: 0n, deadline: 1_900_000_000n };
 * const typedData = tokenPermit({ name: "CARBON", version: "1", chainId: 31337, verifyingContract }, permit);
 * ```
 */
export function tokenPermit(domain: TypedDataDomain, permit: TokenPermit): TypedDataJson {
  const { owner, spender, value, nonce, deadline } = permit;
  return {
    domain,
    types: {
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    },
    primaryType: "Permit",
    message: { owner, spender, value: `${value}`, nonce: `${nonce}`, deadline: `${deadline}` },
  };
}

/** The council's Safe on its chain. */
export type Council = { chainId: number; council: Hex };

/** A transaction of a Safe. `operation` 0 is a call, 1 a delegatecall, which Hearth never uses. */
export type SafeTx = {
  to: Hex;
  value: bigint;
  data: Hex;
  operation: number;
  safeTxGas: bigint;
  baseGas: bigint;
  gasPrice: bigint;
  gasToken: Hex;
  refundReceiver: Hex;
  nonce: bigint;
};

const safeTypes = {
  SafeTx: [
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "data", type: "bytes" },
    { name: "operation", type: "uint8" },
    { name: "safeTxGas", type: "uint256" },
    { name: "baseGas", type: "uint256" },
    { name: "gasPrice", type: "uint256" },
    { name: "gasToken", type: "address" },
    { name: "refundReceiver", type: "address" },
    { name: "nonce", type: "uint256" },
  ],
} as const;

/**
 * Build the council's Safe transaction as Safe's contracts and wallets define it.
 *
 * @example
 * ```ts
 * import { safeTypedData } from "@hearth/wire";
 *
 * const council = { chainId: 31337, council: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
 * const zero = "0x0000000000000000000000000000000000000000";
 * const gas = { safeTxGas: 0n, baseGas: 0n, gasPrice: 0n, gasToken: zero, refundReceiver: zero } as const;
 * const typedData = safeTypedData(council, { ...gas, to: council.council, value: 0n, data: "0x", operation: 0, nonce: 7n });
 * ```
 */
export function safeTypedData({ chainId, council: verifyingContract }: Council, message: SafeTx) {
  return { domain: { chainId, verifyingContract }, types: safeTypes, primaryType: "SafeTx" as const, message };
}

/** A council member's approval in plain words, bound by hash to the Safe transaction. */
export type PoolApproval = {
  summary: string;
  changes: string[];
  notBefore: string;
  operationId: Hex;
  safeTxHash: Hex;
};

const approvalTypes = {
  PoolApproval: [
    { name: "summary", type: "string" },
    { name: "changes", type: "string[]" },
    { name: "notBefore", type: "string" },
    { name: "operationId", type: "bytes32" },
    { name: "safeTxHash", type: "bytes32" },
  ],
} as const;

const councilDomain = ({ chainId, council: verifyingContract }: Council) =>
  domainOf("Hearth Council", { chainId, verifyingContract });

/**
 * Build a member's approval; the wallet shows its words before the member signs.
 *
 * @example
 * ```ts
 * import { approvalTypedData } from "@hearth/wire";
 *
 * const council = { chainId: 31337, council: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
 * const hash = `0x${"11".repeat(32)}` as const;
 * const words = { summary: "Decision 7", changes: ["Open the pool."], notBefore: "In 1 day." };
 * const typedData = approvalTypedData(council, { ...words, operationId: hash, safeTxHash: hash });
 * ```
 */
export function approvalTypedData<Approval extends PoolApproval>(council: Council, message: Approval) {
  return { domain: councilDomain(council), types: approvalTypes, primaryType: "PoolApproval" as const, message };
}

const withdrawalTypes = {
  PoolProposalWithdrawal: [
    { name: "statement", type: "string" },
    { name: "proposalId", type: "bytes32" },
  ],
} as const;

/**
 * Build the statement with which a proposer withdraws a proposal that is not scheduled yet.
 *
 * @example
 * ```ts
 * import { withdrawalTypedData } from "@hearth/wire";
 *
 * const council = { chainId: 31337, council: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
 * const typedData = withdrawalTypedData(council, `0x${"11".repeat(32)}`); // the proposer's wallet signs it
 * ```
 */
export function withdrawalTypedData(council: Council, proposalId: Hex) {
  return {
    domain: councilDomain(council),
    types: withdrawalTypes,
    primaryType: "PoolProposalWithdrawal" as const,
    message: { statement: "I take this proposal back. Nobody is asked to approve it any more.", proposalId },
  };
}
