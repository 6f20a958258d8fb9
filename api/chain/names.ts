import { type Abi, type Address, keccak256, type PublicClient, stringToBytes } from "viem";
import type { Chain } from "./chain.ts";
import { type Addresses, abis } from "./contracts.ts";

type Noun = "implementer" | "supplier" | "product" | "plan" | "certificate";

/** Where a public participant's index and its public id meet: the view by hash, and the event that names it. */
const sources = {
  implementer: { contract: "participants", view: "implementerIndex", event: "ImplementerRegistered", id: "did" },
  supplier: { contract: "participants", view: "supplierIndex", event: "SupplierRegistered", id: "did" },
  product: { contract: "participants", view: "productIndex", event: "ProductRegistered", id: "productId" },
  plan: { contract: "participants", view: "planIndex", event: "PlanRegistered", id: "planId" },
  certificate: {
    contract: "certificates",
    view: "certificateIndex",
    event: "CertificateRegistered",
    id: "registration",
  },
} as const;

const cacheLimit = 50_000;

type NamesOptions = { client: PublicClient; addresses: Addresses; startBlock: bigint; read: Chain["read"] };

/** Index ↔ public id of what is registered on chain. Neither ever changes, so both are cached. */
export class Names {
  readonly #options: NamesOptions;
  readonly #indices = new Map<string, number>();
  readonly #ids = new Map<string, string>();

  constructor(options: NamesOptions) {
    this.#options = options;
  }

  /** The index of a DID or id; 0 when it is not registered. */
  async indexOf(noun: Noun, id: string): Promise<number> {
    const key = `${noun}:${id}`;
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    const { client, addresses } = this.#options;
    const { contract, view } = sources[noun];
    const index = (await client.readContract({
      abi: abis[contract] as Abi,
      address: addresses[contract],
      functionName: view,
      args: [keccak256(stringToBytes(id))],
    })) as number;
    if (index !== 0) this.#remember(noun, index, id);
    return index;
  }

  /** The DID or id of an index. Throws when nothing is registered under it. */
  async idOf(noun: Noun, index: number): Promise<string> {
    const known = this.#ids.get(`${noun}:${index}`);
    if (known !== undefined) return known;
    const { contract, event, id } = sources[noun];
    const [log] = await this.events(contract, event, { [noun]: index });
    if (log === undefined) throw new Error(`There is no ${noun} with index ${index}.`);
    const value = log.args[id];
    const text = id === "registration" ? (value as { certificateId: string }).certificateId : (value as string);
    this.#remember(noun, index, text);
    return text;
  }

  /** Past events of a contract by indexed arguments, oldest first. */
  async events(
    contract: keyof Addresses,
    eventName: string,
    args: Record<string, unknown>,
  ): Promise<
    { args: Record<string, unknown>; blockNumber: bigint; transactionHash: `0x${string}`; address: Address }[]
  > {
    const { client, addresses, startBlock } = this.#options;
    const filter = { address: addresses[contract], abi: abis[contract] as Abi, eventName, args };
    const logs = await client.getContractEvents({ ...filter, fromBlock: startBlock, toBlock: "latest", strict: true });
    return logs as never;
  }

  #remember(noun: Noun, index: number, id: string): void {
    for (const cache of [this.#indices, this.#ids]) if (cache.size >= cacheLimit) cache.clear();
    this.#indices.set(`${noun}:${id}`, index);
    this.#ids.set(`${noun}:${index}`, id);
  }
}
