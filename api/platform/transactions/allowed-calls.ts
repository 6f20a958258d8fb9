import { type Abi, type Address, decodeFunctionData, type Hex } from "viem";
import { abis, type ContractName } from "../chain/index.ts";

/** Calls that account holders make themselves: none of them needs a role of the API's accounts. */
const allowed: Partial<Record<ContractName, readonly string[]>> = {
  vouchers: [
    "open",
    "redeem",
    "redeemOpening",
    "redeemAuthorized",
    "redeemMany",
    "cancel",
    "reissue",
    "sweep",
    "reverse",
    "lapse",
    "burnRevoked",
    "cancelAuthorization",
  ],
  certificates: ["repayDebt", "replaceCarbon"],
  claims: ["claimWithAttestation", "dispute", "cancelAttestation"],
  pool: ["sellCarbon", "buyCarbon", "takeIn", "cancelOrder"],
  itmo: ["requestConversion", "requestConversionFor", "reclaim", "cancelOrder"],
  invalidationBuffer: ["cancelRevoked", "release"],
  carbon: ["transfer", "transferFrom", "approve", "burn"],
  stablecoin: ["approve"],
  oracles: [
    ...["contractOracle", "contractOracleWithPermit", "requestWithdrawal", "withdraw"],
    ...["setUrls", "setTerms", "setAccounts", "transferOwnership", "acceptOwnership"],
  ],
  parameters: ["set"],
  participants: ["proposeAccount", "confirmAccount", "dropAccount", "finaliseAccount"],
};

export type DecodedCall = { contract: ContractName; functionName: string; args: readonly unknown[] };

/** Decode a call to one of our contracts; null when it is not one that the API relays. */
export function readAllowedCall(addresses: Record<ContractName, Address>, to: Address, data: Hex): DecodedCall | null {
  const names = Object.keys(allowed) as ContractName[];
  const contract = names.find((name) => addresses[name].toLowerCase() === to.toLowerCase());
  if (contract === undefined) return null;
  try {
    const { functionName, args } = decodeFunctionData({ abi: abis[contract] as Abi, data });
    return allowed[contract]?.includes(functionName) ? { contract, functionName, args: args ?? [] } : null;
  } catch {
    return null;
  }
}

/** "vouchers.redeem, vouchers.open, …", for messages. */
export const allowedCallNames = Object.entries(allowed)
  .flatMap(([contract, names]) => names.map((name) => `${contract}.${name}`))
  .join(", ");
