// npm run verification-input: write what a block explorer needs to verify the contracts of a deployment.
import { HttpRequestError, TimeoutError } from "viem";
import { readDeployment } from "../deployments/deployment.ts";
import { readOptions } from "./command-options.ts";
import { writeVerification } from "./deploy/verification.ts";

const help = `npm run verification-input -- --rpc URL --deployment deployments/<chainId>.json --out FOLDER
  writes the compiler's standard JSON input of each contract, and contracts.json with each contract's address, name,
  compiler and constructor arguments: what Etherscan, Blockscout and Sourcify ask for. Compile the contracts first, in
  the version that deployed them (npm run build).`;

const text = { type: "string", default: "" } as const;
const { rpc, deployment: file, out: folder } = readOptions(help, { rpc: text, deployment: text, out: text });
const missing = Object.entries({ rpc, deployment: file, out: folder }).filter(([, value]) => value === "");
if (missing.length > 0) {
  console.error(`Missing: ${missing.map(([name]) => `--${name}`).join(", ")}\n${help}`);
  process.exit(2);
}
try {
  const deployment = await readDeployment(file);
  if (deployment === undefined) throw new Error(`There is no file ${file}.`);
  const list = await writeVerification(deployment, { rpcUrl: rpc, folder });
  for (const { name, address, contract } of list) console.log(`${name.padEnd(20)} ${address} ${contract}`);
} catch (error) {
  const isSilent = error instanceof HttpRequestError || error instanceof TimeoutError;
  // Every refusal is a plain Error; another class is a fault of the program.
  if (!isSilent && (error as Error).constructor !== Error) throw error;
  console.error(isSilent ? `The node at ${error.url} does not answer: ${error.details}` : (error as Error).message);
  process.exit(1);
}
