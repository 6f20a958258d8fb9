import { setTimeout as sleep } from "node:timers/promises";
import { ChainNotices } from "../api/platform/chain/node/notices.ts";
import type { Rpc } from "./embedded-chain-rpc.ts";
import type { ChainStateFiles } from "./embedded-chain-state.ts";

/** Interval while something waits to be mined or saved. All times here are milliseconds unless stated otherwise. */
const LOOK_EVERY = 50;
/** Interval while nothing waits: anvil notifies of new transactions, but not when a tester moved the time. */
const LOOK_SELDOM = 1_000;
const BLOCK_GAP = 250;
/** Empty blocks keep "now" current: often after activity, seldom on an idle chain (each costs anvil memory and time). */
const IDLE_GAP = 1_000;
const QUIET_GAP = 15_000;
const QUIET_AFTER = 60_000;
/** Most blocks that a kill may lose. The indexer treats a block as final after 30, so it never has a lost one. */
const BLOCKS_AT_RISK = 24;
const DUMP_GAP = 1_000;

const isDiskFull = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOSPC";

type Block = { number: string; timestamp: string; transactions: unknown[] };

/**
 * Mines blocks and saves the state. Blocks are mined only by interval (automatic mining loses transactions under load): within
 * BLOCK_GAP while transactions wait, within a second when a tester moved the time, seldom otherwise.
 */
export class Miner {
  private readonly rpc: Rpc;
  private readonly rpcUrl: string;
  private readonly files: ChainStateFiles;
  private readonly onFailure: (error: unknown) => void;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private head = { number: 0, timestamp: 0, minedAt: 0 };
  private busyAt = 0;
  private saved = { number: -1, at: 0, tookMs: 0 };
  private unsavedWork = false;
  private notices: ChainNotices | undefined;
  private isWorkWaiting = true;
  private isWithoutRoom = false;

  constructor(rpcUrl: string, rpc: Rpc, files: ChainStateFiles, onFailure: (error: unknown) => void) {
    this.rpcUrl = rpcUrl;
    this.rpc = rpc;
    this.files = files;
    this.onFailure = onFailure;
  }

  /** Start on a chain whose head is already saved, or with `savedHead` −1 on a new one. */
  async start(savedHead: number): Promise<void> {
    this.saved.number = savedHead;
    await this.lookAtHead();
    if (this.saved.number < 0) await this.save();
    await this.regainHeight();
    this.busyAt = Date.now();
    this.notices = new ChainNotices(this.rpcUrl, "newPendingTransactions", () => {
      if (this.isWorkWaiting) return;
      this.isWorkWaiting = true;
      // A running check schedules the next one.
      if (this.timer !== undefined) this.plan();
    });
    this.plan();
  }

  /** Stop mining and save the last state. */
  async stop(): Promise<void> {
    await this.abandon();
    await this.lookAtHead();
    if (this.head.number !== this.saved.number) await this.save();
  }

  /** Stop mining without saving: anvil has ended, and the next start may already use its folder and port. */
  async abandon(): Promise<void> {
    this.stopped = true;
    this.notices?.close();
    clearTimeout(this.timer);
    await this.running;
  }

  /** Save the state now: all blocks so far then survive any kill. */
  async checkpoint(): Promise<void> {
    const saved = this.running.then(() => this.save());
    this.running = saved.catch((error) => this.fail(error));
    await saved;
  }

  /** After a kill, mine up to the former height immediately, so that the indexer does not treat the chain as another one. */
  private async regainHeight(): Promise<void> {
    const height = this.files.readHeight();
    for (let left = Math.min(height - this.head.number, BLOCKS_AT_RISK + 1); left > 0; left--) await this.mine();
  }

  private plan(): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    const mayWait = this.notices?.areComing && !this.isWorkWaiting && !this.unsavedWork;
    const look = () => {
      this.timer = undefined;
      this.running = this.running
        .then(() => this.look())
        .then(
          () => this.hasRoom(),
          (error) => (isDiskFull(error) ? this.waitForRoom() : this.fail(error)),
        );
      void this.running.then(() => this.plan());
    };
    this.timer = setTimeout(look, mayWait ? LOOK_SELDOM : LOOK_EVERY);
  }

  /** The disk is full: mine nothing, because it could not be saved, and check again in a second. */
  private async waitForRoom(): Promise<void> {
    if (!this.isWithoutRoom) console.log("chain: the disk is full; it mines no block until there is room");
    this.isWithoutRoom = true;
    await sleep(LOOK_SELDOM);
  }

  private hasRoom(): void {
    if (this.isWithoutRoom) console.log("chain: the disk has room again");
    this.isWithoutRoom = false;
  }

  private fail(error: unknown): void {
    if (this.stopped) return;
    this.stopped = true;
    this.onFailure(error);
  }

  private async look(): Promise<void> {
    if (await this.isBlockDue()) await this.mine();
    const sinceSave = Date.now() - this.saved.at;
    const gap = Math.max(DUMP_GAP, 10 * this.saved.tookMs);
    if (this.unsavedWork && sinceSave >= gap) await this.save();
  }

  private async isBlockDue(): Promise<boolean> {
    const since = Date.now() - this.head.minedAt;
    // A large state takes long to save: blocks are then mined more slowly, so that saving takes a small share of the time.
    if (since < Math.max(BLOCK_GAP, (10 * this.saved.tookMs) / BLOCKS_AT_RISK)) return false;
    // Clear it before the request, so that a notice during the request is kept.
    this.isWorkWaiting = false;
    const { pending } = await this.rpc<{ pending: string }>("txpool_status");
    if (Number(pending) > 0) {
      this.isWorkWaiting = true;
      this.busyAt = Date.now();
      return true;
    }
    const quiet = Date.now() - this.busyAt > QUIET_AFTER;
    return since >= (quiet ? QUIET_GAP : IDLE_GAP) || (await this.isTimeMoved(since));
  }

  /** Check whether evm_increaseTime or evm_setNextBlockTimestamp moved the next block's time. */
  private async isTimeMoved(since: number): Promise<boolean> {
    const next = await this.rpc<Block>("eth_getBlockByNumber", ["pending", false]);
    return Number(next.timestamp) - this.head.timestamp > since / 1000 + 2;
  }

  private async mine(): Promise<void> {
    await this.lookAtHead();
    if (this.head.number - this.saved.number >= BLOCKS_AT_RISK) await this.save();
    await this.rpc("evm_mine");
    await this.lookAtHead();
    this.head.minedAt = Date.now();
    this.files.writeHeight(this.head.number);
  }

  private async lookAtHead(): Promise<void> {
    const block = await this.rpc<Block>("eth_getBlockByNumber", ["latest", false]);
    const number = Number(block.number);
    // A jump of more than our one block was mined by a tester and may hold anything.
    if (block.transactions.length > 0 || number > this.head.number + 1)
      this.unsavedWork ||= number !== this.saved.number;
    this.head = { ...this.head, number, timestamp: Number(block.timestamp) };
  }

  private async save(): Promise<void> {
    const began = Date.now();
    const { number } = this.head;
    this.unsavedWork = false;
    const dump = await this.rpc<string>("anvil_dumpState");
    await this.files.save(Buffer.from(dump.slice(2), "hex"));
    this.saved = { number, at: Date.now(), tookMs: Date.now() - began };
  }
}
