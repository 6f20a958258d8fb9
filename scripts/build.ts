import { runCommand } from "./run-command.ts";

/** Compile the contracts and write deployments/abi from them. */
const { code } = await runCommand(process.execPath, ["scripts/export-deployments.ts"]);
process.exitCode = code;
