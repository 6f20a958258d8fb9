import { BoundedCache } from "../../platform/bounded-cache.ts";
import { isoTime } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Credentials } from "../credentials/index.ts";
import { type FoundFacts, findFacts, type ReceiptDeps } from "./facts.ts";
import type { Receipt } from "./schemas.ts";

export type ReceiptsDeps = ReceiptDeps & { credentials: Pick<Credentials, "attest"> };

const maxReceipts = 2_000;

/** Signed statements of what happened on chain, for a supplier's or implementer's books. */
export class Receipts {
  readonly #deps: ReceiptsDeps;
  readonly #receipts = new BoundedCache<string, Receipt>(maxReceipts);

  constructor(deps: ReceiptsDeps) {
    this.#deps = deps;
  }

  /**
   * Sign the receipt of a redemption, claim, payment or swap by its public id. It contains only public facts, never a
   * household. The same transaction in the same block gives the same token.
   * @throws AppError NOT_FOUND
   */
  async read(id: string): Promise<Receipt> {
    const found = await findFacts(this.#deps, id);
    if (found === undefined) {
      throw new AppError("NOT_FOUND", `The chain has no redemption, claim, payment or swap ${id}.`);
    }
    const { blockHash, logIndex } = found.place;
    // A reorganisation may move the transaction to another block.
    const key = `${found.type}:${blockHash}:${logIndex}`;
    return (await this.#receipts.through(key, () => this.#sign(found))) as Receipt;
  }

  async #sign({ id, type, contract, place, tell }: FoundFacts & { id: string }): Promise<Receipt> {
    const { chain, credentials } = this.#deps;
    const { blockHash, blockNumber, transactionHash, logIndex } = place;
    const [told, { timestamp }] = await Promise.all([tell(), chain.client.getBlock({ blockHash })]);
    const facts = {
      ...told,
      at: isoTime(timestamp),
      chainId: chain.id,
      contract: chain.addresses[contract],
      transactionHash,
      blockNumber: Number(blockNumber),
      blockHash,
      logIndex,
    };
    const issuedAt = new Date(facts.at);
    const jwt = await credentials.attest({ type, id: `urn:hearth:receipt:${id}`, subject: facts, issuedAt });
    return { id, type, facts, jwt };
  }
}
