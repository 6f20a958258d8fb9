import type { Chain } from "../../platform/chain/index.ts";
import type { Log } from "../../platform/log.ts";
import { oracleIdOf } from "./oracle-id.ts";

/** The oracle's registration. Amounts are stablecoin base units. */
export type OnChainOracle = Awaited<ReturnType<typeof readOracle>>;

const none = /^0x0{40}$/;

export function readOracle(chain: Pick<Chain, "read">, did: string) {
  return chain.read("oracles", "oracleOf", [oracleIdOf(did)]);
}

/** The oracle's terms, read at each block so that messages need not wait for the chain. */
export class Terms {
  readonly #chain: Pick<Chain, "read" | "head">;
  readonly #did: string;
  readonly #log: Log;
  #known: OnChainOracle | undefined;
  #reading: Promise<OnChainOracle> | undefined;
  #unsubscribe: () => void = () => {};

  constructor(chain: Pick<Chain, "read" | "head">, did: string, log: Log) {
    this.#chain = chain;
    this.#did = did;
    this.#log = log;
  }

  async start(): Promise<void> {
    await this.refresh();
    this.#unsubscribe = this.#chain.head.subscribe(() => {
      // The last known terms apply until the chain answers again.
      this.refresh().catch((error: unknown) => this.#log.warn({ err: error }, "the oracle's terms could not be read"));
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  /** As of the last block seen; undefined when the registry does not have the oracle. */
  get current(): OnChainOracle | undefined {
    return this.#known === undefined || none.test(this.#known.owner) ? undefined : this.#known;
  }

  /** Read the terms from the chain now. Concurrent calls share one read. */
  async refresh(): Promise<OnChainOracle | undefined> {
    this.#reading ??= readOracle(this.#chain, this.#did).finally(() => {
      this.#reading = undefined;
    });
    this.#known = await this.#reading;
    return this.current;
  }
}
