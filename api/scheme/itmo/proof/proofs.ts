import type { Hex } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import type { Chain } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import type { ServiceIdentity } from "../../../platform/identity/index.ts";
import type { Credentials } from "../../credentials/index.ts";
import type { ItmoLedger } from "../ledger.ts";
import { BlockEvidences } from "./block-evidence.ts";
import { digestOf, documentOf, type ProofParts, proofCredentialType, subjectOf } from "./document.ts";
import { type HistoryEvent, historyOf } from "./history.ts";

export type ProofsDeps = {
  chain: Pick<Chain, "id" | "client" | "addresses" | "past">;
  ledger: ItmoLedger;
  credentials: Pick<Credentials, "issue">;
  identity: Pick<ServiceIdentity, "did" | "document">;
};

/** Most cached files, about 20 kB each. */
const maxTexts = 200;

/** Builder of proofs of ITMO events, for readers who trust neither this service nor its node. */
export class Proofs {
  readonly #deps: ProofsDeps;
  readonly #blocks: BlockEvidences;
  readonly #texts = new BoundedCache<string, string>(maxTexts);

  constructor(deps: ProofsDeps) {
    this.#deps = deps;
    this.#blocks = new BlockEvidences(deps.chain.client);
  }

  /**
   * Build the proof file of one event of units, as exact text. The same event in the same block gives the same bytes.
   * @param action index of the event, oldest first, 0 for the minting; the latest event if absent
   * @throws AppError NOT_FOUND
   */
  async read(id: string, action?: number): Promise<string> {
    const history = await historyOf(this.#deps, id);
    const event = action === undefined ? history.at(-1) : history[action];
    if (event === undefined) {
      throw new AppError("NOT_FOUND", `Of ${id} the chain knows ${history.length} events, numbered from 0.`);
    }
    const text = await this.#texts.through(`${event.blockHash}:${event.logIndex}`, () => this.#prove(event));
    return text as string;
  }

  async #prove(event: HistoryEvent): Promise<string> {
    const { chain, credentials, identity } = this.#deps;
    const { blockHash, transactionHash, transactionIndex } = event;
    const block = await this.#blocks.of(blockHash);
    const logIndex = event.logIndex - (block.firstLogs[transactionIndex] ?? 0);
    const place = { chainId: chain.id, contract: lower(chain.addresses.itmo), transactionIndex, logIndex };
    const parts: ProofParts = {
      ...place,
      headerRlp: block.headerRlp,
      receiptRlp: block.receipts[transactionIndex] ?? "0x",
      nodes: await block.trie.prove(transactionIndex),
      credential: "",
      issuer: identity.document,
    };
    const document = documentOf(parts);
    const name = `urn:hearth:itmo:${chain.id}:${transactionHash}:${logIndex}`;
    const { jwt } = await credentials.issue({
      type: proofCredentialType,
      id: name,
      subject: subjectOf(document.fact, { ...place, blockHash, transactionHash }),
      relatedResources: [{ id: identity.did, digestSRI: digestOf(identity.document) }],
      issuedAt: new Date(block.timestamp * 1000),
      statusOf: name,
    });
    return JSON.stringify({ ...document, credential: jwt });
  }
}

function lower(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}
