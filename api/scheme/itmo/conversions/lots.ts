import { errorOfRevert } from "../../../platform/chain/index.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import { formatScaled, jsonAmount, jsonScaled } from "../../../platform/values/numbers.ts";
import type { ItmoDeps } from "../deps.ts";

/** What can be converted of a vintage now, micro-CARBON. */
export type VintageLots = {
  vintage: number;
  /** Of valid certificates. */
  available: bigint;
  /** What one conversion can take: it reads a limited number of lots. */
  reachable: bigint;
};

type LotDeps = Pick<ItmoDeps, "chain">;

/** Read how many lots one conversion reads at most. */
const readMaxLots = async ({ chain }: LotDeps) => Number(await chain.read("certificates", "MAX_LOTS", []));

/** Read what can be converted of a vintage. */
async function lotsOfVintage({ chain }: LotDeps, vintage: number, maxLots: number): Promise<VintageLots> {
  const lots = await chain.read("certificates", "queueOf", [vintage]);
  const sumOf = (some: typeof lots) => some.reduce((sum, { amount }) => sum + amount, 0n);
  return { vintage, available: sumOf(lots), reachable: sumOf(lots.slice(0, maxLots)) };
}

/** Micro-CARBON per ITMO (one tonne). */
export const TONNE = 1_000_000_000n;
/** The calendar year of a time in seconds. */
export const yearOf = (time: bigint): number => new Date(Number(time) * 1000).getUTCFullYear();
/** No certificate is older. */
export const FIRST_VINTAGE = 1990;

/** Read what can be converted of each vintage that has CARBON, the oldest first. */
export async function lotsOfVintages(
  deps: LotDeps,
  { first, last }: { first: number; last: number },
): Promise<VintageLots[]> {
  const vintages = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  const maxLots = await readMaxLots(deps);
  const lots = await Promise.all(vintages.map((vintage) => lotsOfVintage(deps, vintage, maxLots)));
  return lots.filter(({ available }) => available > 0n);
}

/** List what can be converted now, by vintage, the oldest first. */
export async function listVintages(deps: LotDeps) {
  const last = yearOf(await deps.chain.now());
  const lots = await lotsOfVintages(deps, { first: FIRST_VINTAGE, last });
  const items = lots.map(({ vintage, available, reachable }) => ({
    vintage,
    available: jsonAmount(available),
    reachable: jsonAmount(reachable),
    tonnes: jsonScaled(reachable / TONNE, 0),
  }));
  return { items };
}

/** Split an amount by vintage, the oldest first, in whole tonnes each. @param rule broken if there is too little */
export async function splitByVintage(deps: ItmoDeps, amount: bigint, years: { first: number; last: number }) {
  const parts: { amount: bigint; vintage: number }[] = [];
  let left = amount;
  for (const { vintage, reachable } of await lotsOfVintages(deps, years)) {
    const whole = reachable - (reachable % TONNE);
    const part = whole < left ? whole : left;
    if (part === 0n) continue;
    parts.push({ amount: part, vintage });
    left -= part;
  }
  const message = `Vintages ${years.first} to ${years.last} have ${formatScaled(amount - left, 6)} CARBON to convert, in whole tonnes.`;
  return { parts, rule: left === 0n ? null : { path: "amount", rule: "vintage-available", message } };
}

/** Read what a conversion took of which certificate, in order. */
export async function lotsOfConversion({ chain, certificates }: ItmoDeps, conversion: number) {
  const lots = await chain.read("certificates", "lotsOf", [chain.addresses.itmo, conversion]);
  return Promise.all(
    lots.map(async ({ certificate, amount }) => {
      const row = await certificates.byIndex(certificate);
      return { certificateId: row?.certificateId ?? "", amount: jsonAmount(amount) };
    }),
  );
}

/** Check that a conversion's vintage has the amount, as the contract does. */
export async function lotsRule(deps: ItmoDeps, vintage: number, amount: bigint): Promise<RuleDetail | null> {
  const { available, reachable } = await lotsOfVintage(deps, vintage, await readMaxLots(deps));
  if (amount <= reachable) return null;
  const name = amount > available ? "LotsTooSmall" : "TooManyLots";
  const { details } = errorOfRevert({ name, args: [vintage, amount, amount > available ? available : reachable] });
  const [detail] = details;
  return detail === undefined ? null : { path: "vintage", ...detail };
}
