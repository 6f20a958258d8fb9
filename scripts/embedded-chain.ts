import type { ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Miner } from "./embedded-chain-miner.ts";
import { connectRpc, type Rpc } from "./embedded-chain-rpc.ts";
import { ChainStateFiles } from "./embedded-chain-state.ts";
import { endWatched, spawnWatched } from "./parent-watchdog.ts";

export const embeddedChainId = 31_337;
const START_MS = 60_000;
const STOP_MS = 5_000;

export type EmbeddedChainOptions = {
  /** Folder of the chain's state; created if missing. */
  folder: string;
  port: number;
  /** File that takes anvil's own output. */
  logFile: string;
};

export type EmbeddedChain = {
  rpc: Rpc;
  /** Leader of the session that anvil runs in. */
  pid: number;
  /** Whether this start created the chain. */
  isNew: boolean;
  /** Save the state now. */
  checkpoint: () => Promise<void>;
  /** Save the state and end the chain. */
  stop: () => Promise<void>;
  /** Resolves with the reason when the chain ends without being asked to. */
  died: Promise<string>;
};

/** The anvil binary of this machine, from npm's platform package. */
export function anvilPath(): string {
  const processor = process.arch === "x64" ? "amd64" : process.arch;
  const anvil = createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"));
  try {
    return anvil.resolve(`@foundry-rs/anvil-${process.platform}-${processor}/bin/anvil`);
  } catch (cause) {
    throw new Error(`npm has no embedded chain (anvil) for ${process.platform} on ${process.arch}; set RPC_URL.`, {
      cause,
    });
  }
}

/**
 * Start the embedded chain where it stopped, or a new one in an empty folder. Its time never runs backwards. A kill
 * loses at most the blocks since the last dump (about a second).
 */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const files = new ChainStateFiles(options.folder);
  await files.removeDraft();
  const saved = await files.load();
  const stateFile = join(options.folder, "state.load.json");
  if (saved !== undefined) await writeFile(stateFile, saved.json, { mode: 0o600 });

  const child = spawnAnvil(options, saved === undefined ? [] : ["--load-state", stateFile]);
  const { rpc, close } = connectRpc(options.port);
  try {
    await waitUntilUp(rpc, child, options.logFile);
    if (saved !== undefined) await continueTime(rpc, saved);
  } catch (error) {
    await endWatched(child, 0);
    throw error;
  } finally {
    await rm(stateFile, { force: true });
  }

  let reportDeath: (reason: string) => void = () => {};
  const died = new Promise<string>((resolve) => {
    reportDeath = resolve;
  });
  const rpcUrl = `http://127.0.0.1:${options.port}`;
  const miner = new Miner(rpcUrl, rpc, files, (error) => reportDeath(`the chain does not answer: ${String(error)}`));
  child.once("exit", (code, signal) => {
    const reason = `anvil ended (${signal ?? `exit code ${code}`}), see ${options.logFile}`;
    void miner.abandon().then(() => reportDeath(reason));
  });
  await miner.start(saved?.headNumber ?? -1);
  const stop = async () => {
    await miner.stop().finally(() => endWatched(child, STOP_MS));
    close();
  };
  return {
    rpc,
    pid: child.pid as number,
    isNew: saved === undefined,
    checkpoint: () => miner.checkpoint(),
    stop,
    died,
  };
}

// It listens on this machine only, whatever HOST says: its test methods obey anyone.
function spawnAnvil({ port, logFile }: EmbeddedChainOptions, more: readonly string[]): ChildProcess {
  const output = openSync(logFile, "a", 0o600);
  try {
    const chain = ["--chain-id", String(embeddedChainId), "--hardfork", "prague", "--accounts", "0", "--order", "fifo"];
    // The lowest possible base fee, so that a full block never raises the price above that of waiting transactions.
    const gas = ["--gas-limit", "500000000", "--block-base-fee-per-gas", "7"];
    // A call on "latest" needs the previous state if a block is mined meanwhile, so a few states are kept.
    const node = ["--no-mining", "--quiet", "--no-cors", "--no-request-size-limit", "--prune-history", "4"];
    return spawnWatched(
      anvilPath(),
      ["--host", "127.0.0.1", "--port", String(port), ...chain, ...gas, ...node, ...more],
      {
        output,
      },
    );
  } finally {
    closeSync(output);
  }
}

async function waitUntilUp(rpc: Rpc, child: ChildProcess, logFile: string): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The embedded chain (anvil) ended at its start; see ${logFile}.`);
    }
    try {
      const chainId = Number(await rpc<string>("eth_chainId"));
      if (chainId !== embeddedChainId) throw new Error(`Another chain (id ${chainId}) answers on the chain's port.`);
      return;
    } catch (error) {
      const waiting =
        error instanceof Error && "code" in error && (error.code === "ECONNREFUSED" || error.code === "ECONNRESET");
      if (!waiting || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** A restarted anvil uses the wall clock; if a tester moved the chain's time ahead, the chain continues from that time. */
async function continueTime(rpc: Rpc, saved: { headNumber: number; headTimestamp: number }): Promise<void> {
  const head = await rpc<{ number: string; timestamp: string }>("eth_getBlockByNumber", ["latest", false]);
  if (Number(head.number) !== saved.headNumber) {
    throw new Error(`The chain came up at block ${Number(head.number)}, its state says ${saved.headNumber}.`);
  }
  const ahead = Number(head.timestamp) - Math.floor(Date.now() / 1000);
  if (ahead > 0) await rpc("evm_increaseTime", [ahead]);
}
