import { readOptions } from "./command-options.ts";
import { runCommand } from "./run-command.ts";

const help = `npm run build
Compile the contracts and write deployments/abi and deployments/bytecode.json from them.`;

readOptions(help, {});
const { code } = await runCommand(process.execPath, ["scripts/export-deployments.ts"]);
process.exitCode = code;
