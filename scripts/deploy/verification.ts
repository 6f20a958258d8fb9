import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path/posix";
import { type Address, type Hex, size, slice } from "viem";
import manifest from "../../package.json" with { type: "json" };
import { artifacts } from "./artifacts.ts";
import { contractFiles } from "./contract-files.ts";
import type { Step } from "./plan.ts";

const root = join(import.meta.dirname, "../..");
const openZeppelin = "@openzeppelin/contracts";
/** Names under which Hardhat gives the compiler its files. They are part of the code's metadata, so they must be the same here. */
const npmName = `npm/${openZeppelin}@${manifest.dependencies[openZeppelin]}`;
const projectName = "project";

type Compiler = { settings: Record<string, unknown> };
type Compilers = { compilers: [Compiler]; overrides: Record<string, Compiler> };
type Source = { name: string; content: string };

/** The compiler's input for one contract, in its standard JSON form. */
export type StandardInput = { language: "Solidity"; sources: Record<string, { content: string }>; settings: object };

/** What an explorer asks for besides the input. */
type Verifiable = { address: Address; contract: string; compiler: string; constructorArguments: Hex; input: string };

async function compilers(): Promise<Compilers> {
  // Hardhat's plugins take a second to load.
  const { default: config } = await import("../../hardhat.config.ts");
  return config.solidity as unknown as Compilers;
}

/** Name of an imported file. @param from name of the file that imports it */
function nameOf(path: string, from: string): string {
  if (path.startsWith(`${openZeppelin}/`)) return `${npmName}${path.slice(openZeppelin.length)}`;
  return join(dirname(from), path);
}

function pathOf(name: string): string {
  if (name.startsWith(npmName)) return join(root, "node_modules", openZeppelin, name.slice(npmName.length));
  return join(root, name.slice(projectName.length));
}

/** Read a file and everything that it imports. */
async function closureOf(first: string): Promise<Source[]> {
  const found = new Map<string, Source>();
  const waiting = [first];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const content = await readFile(pathOf(name), "utf8");
    found.set(name, { name, content });
    for (const [, path = ""] of content.matchAll(/^import\b[^"';]*["']([^"']+)["']/gm))
      waiting.push(nameOf(path, name));
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Compute the input with which anyone can compile a contract to exactly the code that is deployed. @param noun as in contractFiles */
export async function standardInput(noun: string): Promise<StandardInput> {
  const file = `${contractFiles[noun]}.sol`;
  const { compilers: usual, overrides } = await compilers();
  const { settings } = overrides[file] ?? usual[0];
  const sources = await closureOf(`${projectName}/${file}`);
  // Hardhat compiles all contracts without separate settings together, and some of them import from the package.
  const isRemapped = overrides[file] === undefined || sources.some(({ name }) => name.startsWith(npmName));
  const remappings = isRemapped ? [`${projectName}/:${openZeppelin}/=${npmName}/`] : [];
  const outputSelection = { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object", "metadata"] } };
  return {
    language: "Solidity",
    sources: Object.fromEntries(sources.map(({ name, content }) => [name, { content }])),
    settings: { ...settings, remappings, outputSelection },
  };
}

/**
 * Write what an explorer asks for to verify a deployment's contracts: the standard JSON input of each, and contracts.json with their
 * addresses, names, compiler and constructors' arguments. Contracts of other packages (Safe) are left out.
 */
export async function writeVerification(
  folder: string,
  steps: readonly Step[],
  addresses: Readonly<Record<string, Address>>,
): Promise<void> {
  const solc = createRequire(import.meta.url)("solc") as { version(): string };
  const compiler = `v${solc.version().replace(/\.Emscripten.*$/, "")}`;
  await mkdir(folder, { recursive: true });
  const all: Record<string, Verifiable> = {};
  for (const [noun, file] of Object.entries(contractFiles)) {
    const creation = steps.find(({ name }) => name === `create ${noun}`);
    const address = addresses[noun];
    if (creation === undefined || address === undefined) continue;
    const input = `${noun}.json`;
    await writeFile(join(folder, input), `${JSON.stringify(await standardInput(noun), null, 2)}\n`);
    const { bytecode } = artifacts[noun as keyof typeof artifacts]();
    const contract = `${projectName}/${file}.sol:${file.split("/").at(-1)}`;
    const given = size(creation.data) > size(bytecode);
    const constructorArguments = given ? slice(creation.data, size(bytecode)) : "0x";
    all[noun] = { address, contract, compiler, constructorArguments, input };
  }
  await writeFile(join(folder, "contracts.json"), `${JSON.stringify(all, null, 2)}\n`);
}
