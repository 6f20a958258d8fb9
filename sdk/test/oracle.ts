/// <reference types="node" />
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

/** A real oracle in a separate process, shared by the tests of all projects. */
export type RunningOracle = {
  url: string;
  did: string;
  /** URL for test commands: mint a token, break connections. */
  controlUrl: string;
};

declare module "vitest" {
  interface ProvidedContext {
    oracle: RunningOracle;
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const program = fileURLToPath(new URL("../../test/support/sdk-oracle.ts", import.meta.url));
  // These variables of the test runner would change how the child runs.
  const { NODE_ENV: _, NODE_OPTIONS: __, ...env } = process.env;
  const child = fork(program, { env, execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const oracle = await new Promise<RunningOracle>((resolve, reject) => {
    child.once("message", (message) => resolve(message as RunningOracle));
    child.once("exit", (code) => reject(new Error(`The oracle for tests ended with ${code}.`)));
  });
  project.provide("oracle", oracle);
  return () => void child.kill();
}
