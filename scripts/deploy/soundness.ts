import { type Address, erc20Abi, getAddress, type PublicClient } from "viem";

/** Facts of a deployment that must be safe before anyone entrusts money to it. */
export type Foundations = {
  chainId: number;
  /** Seconds. */
  timelockDelay: number;
  stablecoin: { code: boolean; decimals?: number };
  /** Who holds each role, the council's owners among them. */
  holders: Readonly<Record<string, readonly Address[]>>;
  owners: number;
  threshold: number;
};

/** The chain id. Only on the embedded chain may a council decide faster, for tests. */
const EMBEDDED_CHAIN = 31_337;
export const SHORTEST_DELAY = 86_400;
const STABLECOIN_DECIMALS = 6;
const FEWEST_OWNERS = 3;
const LOWEST_THRESHOLD = 2;

/** List every broken rule of a safe deployment in words. */
export function unsoundness(facts: Foundations): string[] {
  const { chainId, timelockDelay, stablecoin, owners, threshold } = facts;
  const problems: string[] = [];
  if (timelockDelay < SHORTEST_DELAY && chainId !== EMBEDDED_CHAIN) {
    problems.push(`the council's delay is ${timelockDelay} s, less than ${SHORTEST_DELAY} s`);
  }
  if (!stablecoin.code) problems.push("there is no contract at the stablecoin's address");
  else if (stablecoin.decimals !== STABLECOIN_DECIMALS) {
    problems.push(`the stablecoin has ${stablecoin.decimals ?? "no"} decimals, not ${STABLECOIN_DECIMALS}`);
  }
  if (owners < FEWEST_OWNERS) problems.push(`the council has ${owners} owners, fewer than ${FEWEST_OWNERS}`);
  if (threshold < LOWEST_THRESHOLD) {
    problems.push(`${threshold} of the council must sign, fewer than ${LOWEST_THRESHOLD}`);
  }
  if (threshold > owners) problems.push(`${threshold} of the council must sign, and it has ${owners} owners`);
  return [...problems, ...sharedAccounts(facts.holders)];
}

/** Whether a token's address has code, and how many decimals it says it has. */
export async function readStablecoin(client: PublicClient, address: Address): Promise<Foundations["stablecoin"]> {
  if ((await client.getCode({ address })) === undefined) return { code: false };
  const token = { address, abi: erc20Abi, functionName: "decimals" } as const;
  const decimals = await client.readContract(token).catch(() => undefined);
  return decimals === undefined ? { code: true } : { code: true, decimals };
}

function sharedAccounts(holders: Foundations["holders"]): string[] {
  const roles = new Map<Address, string[]>();
  for (const [role, accounts] of Object.entries(holders)) {
    for (const account of accounts.map((each) => getAddress(each))) {
      roles.set(account, [...(roles.get(account) ?? []), role]);
    }
  }
  const shared = [...roles].filter(([, held]) => held.length > 1);
  return shared.map(([account, held]) => `${account} is ${held.join(" and ")}: each needs a separate account`);
}
