import {
  type Abi,
  type Address,
  type ContractFunctionName,
  decodeFunctionData,
  type Hex,
  isAddressEqual,
  slice,
  type TypedDataDefinition,
  toFunctionSelector,
} from "viem";
import { councilAbi } from "../../../../deployments/abi/council.ts";
import { timelockAbi } from "../../../../deployments/abi/timelock.ts";
import type { DeployedContracts } from "../../../../deployments/deployment.ts";
import { abis } from "../contracts.ts";
import type { SenderName, Senders } from "./senders.ts";
import type { Signer } from "./signer.ts";

const allAbis = { ...abis, council: councilAbi, timelock: timelockAbi };
type CallingName = keyof typeof allAbis;
type Calls = { [C in CallingName]?: readonly ContractFunctionName<(typeof allAbis)[C], "nonpayable" | "payable">[] };

/**
 * What each account signs. A call that is not listed is not signed, wherever in this service it comes from: an account with a role
 * must not, for example, transfer tokens.
 */
const roleCalls = {
  operator: {
    audits: ["anchorRoot"],
    campaigns: [
      "abandon",
      "amend",
      "close",
      "commit",
      "joinDrawFor",
      "markMissing",
      "openDraw",
      "postponeDraw",
      "recordMany",
      "repeatDraw",
      "replace",
      "reveal",
    ],
    claims: ["claimMany", "settleDrawn"],
    council: ["execTransaction"],
    invalidationBuffer: ["cancelRevoked", "release"],
    itmo: ["requestConversionFor"],
    oracles: ["register", "setTerms", "settle"],
    participants: [
      "finaliseAccount",
      "proposeAccount",
      "registerHouseholds",
      "registerPlan",
      "registerProduct",
      "setProductStatus",
    ],
    pool: ["buyCarbonFor", "sellCarbonFor"],
    timelock: ["execute", "executeBatch"],
    vouchers: [
      "burnRevoked",
      "cancel",
      "commitCodes",
      "issue",
      "issueChunks",
      "issueMany",
      "lapse",
      "multicall",
      "open",
      "redeemMany",
      "reissue",
      "reverse",
      "sweep",
    ],
  },
  registrar: {
    authorizations: ["reduce", "revoke"],
    campaigns: ["certify"],
    certificates: ["recordAllocation", "registerAllocated", "registerCertificate", "setCertificateStatus"],
    claims: ["dispute"],
    itmo: [
      "cancel",
      "finalise",
      "registerApproach",
      "registerAuthorization",
      "revertConversion",
      "setAuthorizedQuantity",
      "transfer",
      "useForNdc",
      "useForOimp",
    ],
    parameters: ["set"],
    participants: [
      "dropAccount",
      "endIssuerTrust",
      "proposeAccount",
      "registerImplementer",
      "registerProduct",
      "registerSupplier",
      "setImplementerStatus",
      "setProductStatus",
      "setSupplierStatus",
      "trustIssuer",
    ],
    vouchers: ["multicall", "open", "reactivate", "setHouseholdAuthorizationRequired", "suspend"],
  },
  evaluator: {
    campaigns: ["revoke"],
    claims: ["approve", "dispute", "reject", "resolve"],
    participants: ["confirmAccount", "setSupplierFlag"],
    vouchers: ["flagRedemption", "multicall", "open", "reactivate", "suspend"],
  },
} as const satisfies Record<SenderName, Calls>;

/** What the operator signs on the embedded chain as well: its faucet mints the test token. */
const embeddedCalls = { operator: { stablecoin: ["mint"] } } as const satisfies { operator: Calls };

type RoleCalls = Omit<typeof roleCalls, "operator"> & {
  operator: (typeof roleCalls)["operator"] & (typeof embeddedCalls)["operator"];
};
/** The accounts that sign a call of a contract's function. */
export type SenderOf<C extends CallingName, F extends string> = {
  [S in SenderName]: C extends keyof RoleCalls[S] ? (F extends ListOf<RoleCalls[S][C]> ? S : never) : never;
}[SenderName];
type ListOf<List> = List extends readonly (infer Name)[] ? Name : never;

/**
 * Let each account sign the calls of its roles only. One account may hold several roles. Each may also send itself an
 * empty transaction, which only uses up a nonce.
 */
export function restrictToRoles(
  senders: Senders,
  contracts: DeployedContracts,
  { isEmbedded }: { isEmbedded: boolean },
): Senders {
  const embedded = isEmbedded ? callKeys(embeddedCalls.operator, contracts) : [];
  const names = Object.keys(senders) as SenderName[];
  const restricted = names.map((name) => {
    const signer = senders[name];
    const roles = names.filter((other) => senders[other].address === signer.address);
    const allowed = new Set([
      ...roles.flatMap((role) => callKeys(roleCalls[role], contracts)),
      ...(roles.includes("operator") ? embedded : []),
    ]);
    const allows = {
      call: (to: Address, data: Hex) => isAllowed(allowed, to, data),
      typedData: (data: TypedDataDefinition) => roles.includes("operator") && isAttestation(data, contracts.claims),
    };
    return [name, restrict(signer, allows)] as const;
  });
  return Object.fromEntries(restricted) as Senders;
}

type Allows = { call: (to: Address, data: Hex) => boolean; typedData: (data: TypedDataDefinition) => boolean };

function restrict(signer: Signer, allows: Allows): Signer {
  return {
    address: signer.address,
    async signTransaction(transaction) {
      const { to, data, value } = transaction;
      const isEmpty = to != null && isAddressEqual(to, signer.address) && (data ?? "0x") === "0x";
      const isCall = to != null && data !== undefined && (isEmpty || allows.call(to, data));
      if (!isCall || (value ?? 0n) !== 0n) {
        const call = `${data?.slice(0, 10) ?? "no call"} to ${to ?? "nobody"}`;
        throw new Error(`The account ${signer.address} does not sign ${call}: its roles do not include that.`);
      }
      return await signer.signTransaction(transaction);
    },
    async signTypedData(data) {
      if (allows.typedData(data)) return await signer.signTypedData(data);
      throw new Error(
        `The account ${signer.address} does not sign ${data.primaryType}: its roles do not include that.`,
      );
    },
  };
}

const callKey = (to: Address, selector: Hex): string => `${to.toLowerCase()} ${selector}`;

function callKeys(calls: Calls, contracts: DeployedContracts): string[] {
  return (Object.entries(calls) as [CallingName, readonly string[]][]).flatMap(([contract, names]) =>
    (allAbis[contract] as Abi).flatMap((item) =>
      item.type === "function" && names.includes(item.name)
        ? [callKey(contracts[contract], toFunctionSelector(item))]
        : [],
    ),
  );
}

/** Whether a call is listed; of several in one, whether each is. */
function isAllowed(allowed: ReadonlySet<string>, to: Address, data: Hex): boolean {
  const selector = slice(data, 0, 4);
  if (!allowed.has(callKey(to, selector))) return false;
  if (selector !== multicall) return true;
  const { args } = decodeFunctionData({ abi: abis.vouchers, data });
  return (args as readonly [readonly Hex[]])[0].every((inner) => isAllowed(allowed, to, inner));
}

/** Whether the data says that a claim's credential is valid, which the operator attests. */
function isAttestation({ domain, primaryType }: TypedDataDefinition, claims: Address): boolean {
  const contract = domain?.verifyingContract;
  return primaryType === "ClaimAttestation" && contract != null && isAddressEqual(contract as Address, claims);
}

const multicall = toFunctionSelector("multicall(bytes[])");
