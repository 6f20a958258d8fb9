import { createPublicClient, encodeFunctionData, http, keccak256, parseAbi, stringToBytes, zeroAddress } from "viem";
import type { Network } from "./types.ts";

/** The functions of the registry and of its stablecoin that the SDK calls. */
const abi = parseAbi([
  "struct Oracle { string did; string apiUrl; string wsUrl; string agentCardUri; uint64 price; uint32 freeMessages; uint32 allowance; address owner; address pendingOwner; address settler; address payee; }",
  "function oracleByDid(string did) view returns (Oracle)",
  "function stablecoin() view returns (address)",
  "function contractOracle(bytes32 oracle, bytes32 user, uint64 amount, uint64 maxPrice)",
  "function approve(address spender, uint256 amount) returns (bool)",
]);

export type Registration = {
  apiUrl: string;
  wsUrl: string;
  agentCardUri: string;
  /** Price of a message in micro-units of the stablecoin, as decimal text; "0" when free. */
  price: string;
  freeMessages: number;
  allowance: number;
  owner: string;
  payee: string;
  stablecoin: string;
};

/** Read an oracle's registration; undefined when the DID is not registered. @throws Error when the chain cannot be read */
export async function readRegistration(network: Network, oracleDid: string): Promise<Registration | undefined> {
  const client = createPublicClient({ transport: http(network.rpcUrl) });
  const registry = { address: network.registryAddress, abi };
  const [oracle, stablecoin] = await Promise.all([
    client.readContract({ ...registry, functionName: "oracleByDid", args: [oracleDid] }),
    client.readContract({ ...registry, functionName: "stablecoin" }),
  ]);
  if (oracle.owner === zeroAddress) return undefined;
  const { apiUrl, wsUrl, agentCardUri, price, freeMessages, allowance, owner, payee } = oracle;
  return {
    apiUrl,
    wsUrl,
    agentCardUri,
    freeMessages,
    allowance,
    owner,
    payee,
    stablecoin,
    price: String(price),
  };
}

/** A transaction for a wallet to sign. */
export type UnsignedTransaction = { chainId: number; to: string; data: string; value: "0x0" };

export type Deposit = {
  chainId: number;
  registryAddress: string;
  stablecoin: string;
  oracleDid: string;
  /** The user's id in the registry, 32 bytes in hexadecimal. */
  user: string;
  /** Deposit in micro-units of the stablecoin. */
  amount: bigint;
  /** Highest price of a message that the user accepts, in micro-units. */
  maxPrice: bigint;
};

/** Build the transactions that contract an oracle: approve the deposit, then pay it to the registry. */
export function depositTransactions(deposit: Deposit): UnsignedTransaction[] {
  const { chainId, registryAddress, stablecoin, oracleDid, user, amount, maxPrice } = deposit;
  const oracle = keccak256(stringToBytes(oracleDid));
  const approve = { functionName: "approve", args: [registryAddress as `0x${string}`, amount] } as const;
  const contract = { functionName: "contractOracle", args: [oracle, user as `0x${string}`, amount, maxPrice] } as const;
  return [
    { chainId, to: stablecoin, data: encodeFunctionData({ abi, ...approve }), value: "0x0" },
    { chainId, to: registryAddress, data: encodeFunctionData({ abi, ...contract }), value: "0x0" },
  ];
}
