import { readOptions } from "../scripts/command-options.ts";
import { type Figure, report } from "./figures.ts";
import { takeGasFigures } from "./gas-figures.ts";

const help = `npm run bench:chain
Measures the gas of every operation and compares it with an ERC-20 transfer, with a plain 3-slot write of the same run, and with
the aims. Saves bench/results/chain.json.`;

const TRANSFER = "ERC-20 transfer to a new holder";
const PAIR = "two ERC-20 transfers, stablecoin and CARBON";
const PLAIN = "3 slots and event, new";

/** Aims: at most this multiple of the gas of a transfer to a new holder, or this gas. */
const aims: Record<string, { times: number } | { gas: number }> = {
  "redeem alone, first use": { times: 1.6 },
  "redeem alone, later use": { times: 1.2 },
  "redeem in a batch of 50, first use": { times: 1.2 },
  "redeem in a batch of 50, later use": { times: 0.6 },
  "redeem in a batch of 50, first use, 10 suppliers mixed": { times: 1.2 },
  "redeem in a batch of 50, later use, 10 suppliers mixed": { times: 0.7 },
  "claim with stablecoin payout, in a batch of 20": { gas: 90_000 },
  "claim with stablecoin payout, in a batch of 20, each supplier's first": { gas: 95_000 },
  "batch issue with its allocation, per voucher of 1000": { gas: 1_200 },
  // A new slot costs 22 100, the event 2 012, the two hashes and the id in calldata some 1 200.
  "record a KPT claim, in a batch of 250": { gas: 28_000 },
};

readOptions(help, {});
const gas = await takeGasFigures();
const transfer = { name: "transfer", value: gas[TRANSFER] ?? Number.NaN };
const pair = { name: "the two transfers", value: gas[PAIR] ?? Number.NaN };
/** A swap is compared with the two transfers that it contains. */
const referenceOf = (name: string) => (/^(buy|sell) CARBON/.test(name) ? pair : transfer);
const figures = Object.entries(gas).map(([name, value]): Figure => {
  const reference = referenceOf(name);
  const figure: Figure = { name, value, unit: "gas", reference, ratio: value / reference.value };
  const aim = aims[name];
  if (aim === undefined) return figure;
  if ("gas" in aim) return { ...figure, aim: `≤ ${aim.gas} gas`, met: value <= aim.gas };
  return { ...figure, aim: `≤ ${aim.times}×`, met: value / reference.value <= aim.times };
});
await report("chain", figures);
const plain = gas[PLAIN] ?? Number.NaN;
console.log(
  `A plain 3-slot write with event costs ${plain} gas; a redemption's first use ${(
    (gas["redeem alone, first use"] ?? Number.NaN) / plain
  ).toFixed(2)}× of it, a later use ${((gas["redeem alone, later use"] ?? Number.NaN) / plain).toFixed(2)}×.`,
);
