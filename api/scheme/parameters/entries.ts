import { getContract, type Hex, zeroHash } from "viem";
import { parametersAbi } from "../../../deployments/abi/parameters.ts";
import { type Chain, dateOf } from "../../platform/chain/index.ts";
import { type Decimal, decimal } from "../emissions/index.ts";

/** An entry of the list of parameters on chain. It never changes. */
export type ParameterEntry = {
  /** From 1. */
  number: number;
  kind: string;
  key: string;
  value: Decimal;
  unit: string;
  source: string;
  sourceHash: Hex | null;
  validFrom: string;
  /** Null for no end. */
  validTo: string | null;
  blockNumber: bigint;
  transactionHash: Hex;
};

type ParameterChain = Pick<Chain, "client" | "addresses" | "past">;

/** The list of parameters, read from the chain's events and kept, because entries never change. */
export class Parameters {
  readonly #chain: ParameterChain;
  readonly #count: () => Promise<number>;
  #entries: readonly ParameterEntry[] = [];

  constructor(chain: ParameterChain) {
    this.#chain = chain;
    const { client, addresses } = chain;
    const contract = getContract({ abi: parametersAbi, address: addresses.parameters, client });
    this.#count = () => contract.read.parameterCount();
  }

  /** Every entry, in the order of their numbers. */
  async all(): Promise<readonly ParameterEntry[]> {
    if ((await this.#count()) > this.#entries.length) {
      const events = await this.#chain.past("parameters", "ParameterSet", {});
      const entries = events.map(({ args, blockNumber, transactionHash }): ParameterEntry => {
        const { kind, key, value, decimals, unit, source, sourceHash, validFrom, validTo } = args.entry;
        return {
          number: args.parameter,
          kind,
          key,
          value: decimal(value).div(decimal(10).pow(decimals)),
          unit,
          source,
          sourceHash: sourceHash === zeroHash ? null : sourceHash,
          validFrom: dateOf(validFrom),
          validTo: validTo === 0 ? null : dateOf(validTo),
          blockNumber,
          transactionHash,
        };
      });
      if (entries.length >= this.#entries.length) this.#entries = entries;
    }
    return this.#entries;
  }

  /** The entry with an id such as PRM-1; null when there is none. */
  async byId(id: string): Promise<ParameterEntry | null> {
    const number = numberOf(id);
    return number === null ? null : ((await this.all())[number - 1] ?? null);
  }

  /** The newest entry of a kind and key that is valid on a day; null when there is none. */
  async newestOn(kind: string, key: string, day: string): Promise<ParameterEntry | null> {
    const valid = (await this.all()).filter((entry) => isValidIn(entry, { startDate: day, endDate: day }));
    return newestOf(valid, kind, key);
  }

  /** The newest entry of a kind and key; null when there is none. */
  async newestOf(kind: string, key: string): Promise<ParameterEntry | null> {
    return newestOf(await this.all(), kind, key);
  }
}

export function idOf({ number }: Pick<ParameterEntry, "number">): string {
  return `PRM-${number}`;
}

function numberOf(id: string): number | null {
  const match = /^PRM-([1-9]\d{0,9})$/.exec(id);
  return match === null ? null : Number(match[1]);
}

function newestOf(entries: readonly ParameterEntry[], kind: string, key: string): ParameterEntry | null {
  return entries.findLast((each) => each.kind === kind && each.key === key) ?? null;
}

/** Whether an entry is valid on every day of a period. */
export function isValidIn(
  { validFrom, validTo }: Pick<ParameterEntry, "validFrom" | "validTo">,
  { startDate, endDate }: { startDate: string; endDate: string },
): boolean {
  return validFrom <= startDate && (validTo === null || endDate <= validTo);
}
