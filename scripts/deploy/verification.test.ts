import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Address, createPublicClient, getContractAddress, type Hex, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startAnvil } from "../../test/support/anvil.ts";
import { runCommand } from "../run-command.ts";
import { artifacts } from "./artifacts.ts";
import { contractFiles } from "./contract-files.ts";

const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };
type Output = { contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>> };
type Verifiable = { address: Address; contract: string; compiler: string; constructorArguments: Hex; input: string };

/** With the pipeline through Yul a contract takes half a minute. */
const quick = ["directory", "audits", "carbon", "timelock", "oracles", "parameters", "authorizations", "claims"];
const nouns = process.env.HEARTH_LONG === "1" ? Object.keys(contractFiles) : quick;
const anyone = () => privateKeyToAccount(generatePrivateKey()).address;

/** Data of the transactions that created contracts, by the contracts' addresses. */
async function creations(url: string): Promise<Map<Address, Hex>> {
  const client = createPublicClient({ transport: http(url) });
  const found = new Map<Address, Hex>();
  for (let blockNumber = await client.getBlockNumber(); blockNumber > 0n; blockNumber--) {
    const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true });
    for (const { from, nonce, input, to } of transactions) {
      if (to === null) found.set(getContractAddress({ from, nonce: BigInt(nonce) }), input);
    }
  }
  return found;
}

test("a deployment writes the input with which the compiler gives exactly the deployed code, and the constructors' arguments", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hearth-verification-"));
  const anvil = await startAnvil();
  try {
    const out = join(folder, "31337.json");
    const roles = ["operator", "registrar", "evaluator", "guardian"].flatMap((role) => [`--${role}`, anyone()]);
    const council = [anyone(), anyone(), anyone()].join(",");
    const args = ["scripts/deploy.ts", "--rpc", anvil.url, "--out", out, ...roles, "--council", council];
    const { code, output } = await runCommand(process.execPath, args, { quiet: true });
    assert.equal(code, 0, output);
    const read = async (name: string) => readFile(join(folder, "31337.verification", name), "utf8");
    const verifiable = JSON.parse(await read("contracts.json")) as Record<string, Verifiable>;
    assert.deepEqual(Object.keys(verifiable), Object.keys(contractFiles));
    const created = await creations(anvil.url);
    for (const noun of nouns) {
      const { contract, compiler, constructorArguments, input, address } = verifiable[noun] as Verifiable;
      assert.match(compiler, /^v0\.8\.\d+\+commit\.[0-9a-f]{8}$/);
      const [file = "", name = ""] = contract.split(":");
      const { contracts } = JSON.parse(solc.compile(await read(input))) as Output;
      const compiled = `0x${contracts[file]?.[name]?.evm.bytecode.object}`;
      const deployed = artifacts[noun as keyof typeof artifacts]().bytecode;
      assert.ok(compiled === deployed, `${noun}: the input gives the deployed code`);
      assert.ok(
        created.get(address) === `${compiled}${constructorArguments.slice(2)}`,
        `${noun}: it was created with these arguments`,
      );
    }
  } finally {
    await anvil.stop("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
});
