import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Config } from "../../api/config.ts";

/** What `npm start` itself needs of the configuration. */
export type StartSettings = Pick<
  Config,
  "host" | "port" | "publicUrl" | "dataDir" | "adminApiKey" | "chain" | "indexer"
>;
export type PreparationRequest = "deploy" | "saved" | "build";
export type PreparationReport =
  | { kind: "settings"; settings: StartSettings }
  | { kind: "save" }
  | { kind: "deployed" }
  | { kind: "built"; program: string }
  | { kind: "failed"; reason: string };

/**
 * Reads the configuration, deploys the contracts and builds the API's program in a child process (prepare.ts). The end of that process frees the 75 MB of
 * libraries that only the start needs. It ends when this process ends, also after a kill.
 */
export class Preparation {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  constructor() {
    // In its own process group, so that only this process acts on a terminal's Ctrl-C.
    this.#child = fork(join(import.meta.dirname, "prepare.ts"), { detached: true });
    this.#ended = once(this.#child, "exit").then(([code, signal]) => {
      throw new Error(`The process that deploys the contracts ended early (${signal ?? `exit code ${code}`}).`);
    });
    // It ends by itself after its last report.
    this.#ended.catch(() => {});
  }

  /** @throws one sentence for each variable that is wrong */
  async readSettings(): Promise<StartSettings> {
    const report = await this.#nextReport();
    if (report.kind !== "settings") throw new Error(`Unexpected report of the preparation: ${report.kind}`);
    return report.settings;
  }

  /**
   * Deploy the contracts on the embedded chain, or find them deployed.
   * @param save saves the chain's state
   * @throws when they do not compile, or the deployment fails
   */
  async deploy(save: () => Promise<void>): Promise<void> {
    this.#send("deploy");
    while ((await this.#nextReport()).kind === "save") {
      await save();
      this.#send("saved");
    }
  }

  /**
   * Build the API's program, which has begun when the settings were read.
   * @returns its path
   */
  async buildApi(): Promise<string> {
    this.#send("build");
    const report = await this.#nextReport();
    if (report.kind !== "built") throw new Error(`Unexpected report of the preparation: ${report.kind}`);
    return report.program;
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended.catch(() => {});
  }

  #send(request: PreparationRequest): void {
    this.#child.send(request);
  }

  async #nextReport(): Promise<PreparationReport> {
    const message = once(this.#child, "message") as Promise<[PreparationReport]>;
    const [report] = await Promise.race([message, this.#ended]);
    if (report.kind === "failed") throw new Error(report.reason);
    return report;
  }
}
