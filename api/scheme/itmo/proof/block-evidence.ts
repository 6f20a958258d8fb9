import { type Hex, hexToNumber, type PublicClient } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import { AppError } from "../../../platform/errors.ts";
import { encodeHeader, hashOfHeader } from "./header.ts";
import { encodeReceipt, type ReceiptLog, type RpcReceipt } from "./receipt.ts";
import { buildReceiptTrie, type ReceiptTrie } from "./trie.ts";

/** Header and receipts trie of a block. */
export type BlockEvidence = {
  headerRlp: Hex;
  timestamp: number;
  receipts: Hex[];
  firstLogs: number[];
  trie: ReceiptTrie;
};

type RpcBlock = Record<string, unknown> & { hash: Hex; timestamp: Hex; receiptsRoot: Hex };
type RpcBlockReceipt = RpcReceipt & { logs: (ReceiptLog & { logIndex: Hex })[] };

/** A large block's receipts take several megabytes. */
const maxBlocks = 8;

/** Cache of blocks whose header and receipts trie were rebuilt here, by hash. Each block is requested once. */
export class BlockEvidences {
  readonly #client: PublicClient;
  readonly #blocks = new BoundedCache<Hex, BlockEvidence>(maxBlocks);

  constructor(client: PublicClient) {
    this.#client = client;
  }

  /**
   * Read a block's header and receipts.
   * @throws AppError UNAVAILABLE if the node has another block by now, UPSTREAM if its responses do not give the block's hashes
   */
  async of(blockHash: Hex): Promise<BlockEvidence> {
    const evidence = await this.#blocks.through(blockHash, () => this.#load(blockHash));
    if (evidence === null) throw new AppError("UNAVAILABLE", "The chain has just replaced the block. Ask again.");
    return evidence;
  }

  async #load(blockHash: Hex): Promise<BlockEvidence | null> {
    const ask = (method: string, params: unknown[]) => this.#client.request({ method, params } as never);
    const [block, answered] = (await Promise.all([
      ask("eth_getBlockByHash", [blockHash, false]),
      ask("eth_getBlockReceipts", [blockHash]),
    ])) as [RpcBlock | null, RpcBlockReceipt[] | null];
    if (block === null || answered === null) return null;
    const headerRlp = encodeHeader(block);
    if (hashOfHeader(headerRlp) !== blockHash) throw notReproduced("header", blockHash);
    const receipts = answered.map(encodeReceipt);
    const trie = await buildReceiptTrie(receipts);
    if (trie.root !== block.receiptsRoot) throw notReproduced("receipts", blockHash);
    const firstLogs = answered.map(({ logs }) => (logs[0] ? hexToNumber(logs[0].logIndex) : 0));
    return { headerRlp, timestamp: hexToNumber(block.timestamp), receipts, firstLogs, trie };
  }
}

/** Build the error for headers or receipts in a form that this version does not know. */
function notReproduced(what: string, blockHash: Hex): AppError {
  return new AppError("UPSTREAM", `The node's ${what} of block ${blockHash} do not make the hash that they should.`);
}
