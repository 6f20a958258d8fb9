import type { Address, PublicClient } from "viem";
import { claimsAbi } from "../../deployments/abi/claims.ts";
import { itmoAbi } from "../../deployments/abi/itmo.ts";
import { oraclesAbi } from "../../deployments/abi/oracles.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { poolAbi } from "../../deployments/abi/pool.ts";
import { timelockAbi } from "../../deployments/abi/timelock.ts";
import { vouchersAbi } from "../../deployments/abi/vouchers.ts";
import type { Deployment } from "../../deployments/deployment.ts";

/** The caps and prices in force, as the chain has them. Micro-CARBON, base units of the stablecoin, tonnes, seconds. */
export type CapsInForce = {
  /** What one operator can pay out in a day, and what one evaluator can decide. */
  operatorCap: bigint;
  poolPerDay: bigint;
  /** The most stablecoin that the pool holds. */
  stablecoinReserve: bigint;
  price: bigint;
  /** Ten-thousandths. */
  fee: number;
  paused: boolean;
  /** Tonnes that the registrar moves in a day. */
  itmoDailyCap: bigint;
  timelockDelay: bigint;
  /** What one supplier redeems in a day without consent: the highest cap of any plan, as all plans share one allowance. */
  unconsentedCap: bigint;
  /** What one operator may redeem in a day by attesting PINs. */
  pinCap: bigint;
  /** What all operators together reverse in a day. */
  lifecycleCap: bigint;
  /** What all oracles' payers have deposited, base units of the stablecoin. */
  oracleDeposits: bigint;
};

/** What one key can cost in a day, and who can stop it. docs/powers.md says the same. */
export type Power = { role: string; worstLossInADay: string; stoppedBy: string };

const MICRO = 1_000_000n;
const WHOLE_FEE = 10_000n;
const PLANS_AT_ONCE = 50;
const DAY = 86_400n;
/** Most that an allowance which refills evenly within a day permits in 24 hours, as a multiple of its size. */
const BUCKET = 2n;

export async function readCapsInForce(client: PublicClient, { contracts }: Deployment): Promise<CapsInForce> {
  const pool = { address: contracts.pool, abi: poolAbi } as const;
  const [[operatorCap, caps, stablecoinReserve, price, fee, paused], [itmoDailyCap, timelockDelay, oracleDeposits]] =
    await Promise.all([
      Promise.all([
        client.readContract({ address: contracts.claims, abi: claimsAbi, functionName: "operatorCap" }),
        client.readContract({ ...pool, functionName: "caps" }),
        client.readContract({ ...pool, functionName: "stablecoinReserve" }),
        client.readContract({ ...pool, functionName: "price" }),
        client.readContract({ ...pool, functionName: "fee" }),
        client.readContract({ ...pool, functionName: "paused" }),
      ]),
      Promise.all([
        client.readContract({ address: contracts.itmo, abi: itmoAbi, functionName: "dailyCap" }),
        client.readContract({ address: contracts.timelock, abi: timelockAbi, functionName: "getMinDelay" }),
        client.readContract({ address: contracts.oracles, abi: oraclesAbi, functionName: "totalDeposits" }),
      ]),
    ]);
  const payments = { operatorCap, poolPerDay: caps.perDay, stablecoinReserve, price, fee, paused };
  return { ...payments, itmoDailyCap, timelockDelay, oracleDeposits, ...(await readConsentCaps(client, contracts)) };
}

async function readConsentCaps(client: PublicClient, { participants, vouchers }: Deployment["contracts"]) {
  const ledger = { address: vouchers, abi: vouchersAbi } as const;
  const [unconsentedCap, pinCap, lifecycleCap] = await Promise.all([
    readHighestUnconsentedCap(client, participants),
    client.readContract({ ...ledger, functionName: "pinCap" }),
    client.readContract({ ...ledger, functionName: "lifecycleCap" }),
  ]);
  return { unconsentedCap: BigInt(unconsentedCap) * MICRO, pinCap, lifecycleCap };
}

/** Plans count up from 0, so the first number without a plan ends them. */
async function readHighestUnconsentedCap(client: PublicClient, address: Address): Promise<number> {
  let highest = 0;
  for (let first = 0; ; first += PLANS_AT_ONCE) {
    const numbers = Array.from({ length: PLANS_AT_ONCE }, (_, i) => first + i);
    const plans = await Promise.all(
      numbers.map((plan) =>
        client.readContract({ address, abi: participantsAbi, functionName: "planOf", args: [plan] }),
      ),
    );
    highest = Math.max(highest, ...plans.map(({ unconsentedCap }) => unconsentedCap));
    if (!plans.every(({ exists }) => exists)) return highest;
  }
}

/** Compute the largest damage that each single key can do in a day, from the current caps. */
export function powersOf(caps: CapsInForce): Power[] {
  const paidOut = payout(caps);
  const claims = `claims for ${carbon(caps.operatorCap)} CARBON, for which the pool pays ${stablecoin(paidOut)} of stablecoin`;
  const stopsClaims = "guardian: lowers the operator's caps, to 0 if necessary; council: takes the role";
  return [
    { role: "council", worstLossInADay: councilLoss(caps), stoppedBy: "guardian: cancels what is scheduled" },
    {
      role: "guardian",
      worstLossInADay: "nothing",
      stoppedBy: "council: replaces it; the guardian cannot cancel that",
    },
    {
      role: "registrar",
      worstLossInADay: `${decimal(caps.itmoDailyCap * MICRO)} t of ITMOs recorded wrongly; ${claims}, by parties and issuers that it registered`,
      stoppedBy:
        "guardian: lowers the caps of ITMOs and operators, to 0 if necessary, drops new accounts, vetoes revocations and reductions",
    },
    {
      role: "operator",
      worstLossInADay:
        `${claims}; ${carbon(BUCKET * caps.pinCap)} CARBON redeemed on PINs; ` +
        `${carbon(BUCKET * caps.lifecycleCap)} CARBON of redemptions reversed`,
      stoppedBy: `${stopsClaims}; registrar: suspends the supplier`,
    },
    { role: "evaluator", worstLossInADay: claims, stoppedBy: stopsClaims },
    {
      role: "supplier",
      worstLossInADay: `${carbon(BUCKET * caps.unconsentedCap)} CARBON redeemed without consent`,
      stoppedBy: "guardian: lowers the plans' caps, to 0 if necessary; registrar: suspends the supplier",
    },
    {
      role: "oracle settler",
      worstLossInADay: `${stablecoin(caps.oracleDeposits)} of stablecoin from payers' deposits, paid to the oracle's payee`,
      stoppedBy: "oracle's owner: names another settler; payers: withdraw their deposits, a day after asking",
    },
  ];
}

/** What claims up to the cap take out of the pool: at most the pool's own cap and its balance. */
function payout({ operatorCap, poolPerDay, stablecoinReserve, price, fee, paused }: CapsInForce): bigint {
  if (paused) return 0n;
  const sold = operatorCap < poolPerDay ? operatorCap : poolPerDay;
  const paid = (sold * price * (WHOLE_FEE - BigInt(fee))) / (MICRO * WHOLE_FEE);
  return paid < stablecoinReserve ? paid : stablecoinReserve;
}

function councilLoss({ timelockDelay, stablecoinReserve }: CapsInForce): string {
  if (timelockDelay >= DAY) return "nothing: a decision waits at least a day";
  return `everything, ${stablecoin(stablecoinReserve)} of stablecoin: its delay is ${timelockDelay} s`;
}

const carbon = (micro: bigint) => decimal(micro);
const stablecoin = (units: bigint) => decimal(units);

function decimal(micro: bigint): string {
  const rest = `${micro % MICRO}`.padStart(6, "0").replace(/0+$/, "");
  const whole = `${micro / MICRO}`.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${whole}${rest === "" ? "" : `.${rest}`}`;
}
