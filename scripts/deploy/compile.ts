import { join } from "node:path";
import { runCommand } from "../run-command.ts";
import { readCommittedCode } from "./committed-code.ts";

const root = join(import.meta.dirname, "../..");
const hardhat = join(root, "node_modules/hardhat/dist/src/cli.js");

/**
 * Compile the contracts if their sources differ from those of the committed code. Call it before contracts are deployed: otherwise
 * the code that was compiled last is deployed, whatever its sources were.
 * @param say takes a line of progress
 * @throws Error with what the compiler printed, when they do not compile
 */
export async function compileChanged(say: (line: string) => void): Promise<void> {
  if (readCommittedCode() !== undefined) return;
  say("contracts: compiling …");
  // A separate process, whose end frees the compiler's memory.
  const args = [hardhat, "build", "--quiet", "--no-tests"];
  const { code, output } = await runCommand(process.execPath, args, { cwd: root, quiet: true });
  if (code !== 0) throw new Error(`The contracts do not compile, so nothing is deployed:\n${output}`);
}
