import type { IAgentCard } from "./agent-card.ts";
import { authConfigOf } from "./authz-config.ts";
import type { OracleConfig } from "./config.ts";
import type { DepositOptions } from "./deposit.ts";
import type { ResourceState } from "./resource.ts";
import type { Overrides } from "./types.ts";

/** What an app passes to `useContractOracle`, and what the hook knows already. */
export type OwnContract = {
  oracleDid: string;
  overrides: Overrides | undefined;
  /** Of the oracle's API; undefined while unknown. */
  baseUrl: string | undefined;
  /** Micro-units of the stablecoin. */
  amount: string | undefined;
};
type Call = Partial<Pick<DepositOptions, "oracleDid" | "amount" | "maxPrice">> & { overrides?: Overrides };

/** Complete a call of `contractOracle` with what its hook was given; the hook's amount is for its own oracle alone. */
export function depositOptionsOf(call: Call, own: OwnContract): DepositOptions {
  const { oracleDid = own.oracleDid, overrides = own.overrides, maxPrice } = call;
  const isOwn = oracleDid === own.oracleDid;
  const amount = call.amount ?? (isOwn ? own.amount : undefined);
  return {
    oracleDid,
    baseUrl: overrides?.baseUrl ?? (isOwn ? own.baseUrl : undefined),
    ...(amount === undefined ? {} : { amount }),
    ...(maxPrice === undefined ? {} : { maxPrice }),
  };
}

type Known = {
  oracleDid: string;
  config: ResourceState<OracleConfig>;
  /** State of the card's read; undefined while its URI is unknown. */
  card: ResourceState<IAgentCard | null> | undefined;
  /** Address of the user's wallet. */
  address: string;
};

/** Describe what is publicly known of an oracle's price and services. */
export function contractTerms({ oracleDid, config: { data: config, error }, card, address }: Known) {
  const isLoading = oracleDid !== "" && config === undefined && error === undefined;
  const hasNoCard = (config !== undefined && config.agentCardUri === undefined) || card?.error !== undefined;
  return {
    agentCard: hasNoCard ? null : card?.data,
    isLoadingAgentCard: isLoading || card?.isLoading === true,
    pricingList: config && pricesOf(config),
    isLoadingPricingList: isLoading,
    authzConfig: authConfigOf(config, address),
    isLoadingAuthzConfig: isLoading,
    isOracleInRoom: config === undefined ? undefined : true,
    isLoadingOracleInRoom: isLoading,
    inviteOracle,
    isInvitingOracle: false,
  };
}

/** Do nothing: the oracle is in every room. */
async function inviteOracle(): Promise<void> {}

function pricesOf({ name, oracleDid, price = "0", freeMessages = 0, chain }: OracleConfig) {
  if (price === "0" || chain === undefined) return [];
  const free = freeMessages === 0 ? "" : ` The first ${freeMessages} are free.`;
  return [
    { title: name ?? oracleDid, description: `The price of a message.${free}`, amount: price, denom: chain.stablecoin },
  ];
}
