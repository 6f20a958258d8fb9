import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createPublicClient, encodeAbiParameters, type Hex, http } from "viem";
import type { Deployment } from "../../deployments/deployment.ts";
import { type Anvil, startAnvil } from "../../test/support/anvil.ts";
import { deployTestContracts } from "../../test/support/contracts.ts";
import { artifacts } from "./artifacts.ts";
import type { Verification } from "./verification.ts";

type Code = { object: string; immutableReferences?: Record<string, { start: number; length: number }[]> };
type Output = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { evm: { bytecode: Code; deployedBytecode: Code } }>>;
};
const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string; version(): string };

/** The pipeline through Yul takes minutes for all contracts: without the long form, one contract of each kind. */
const compiledNames = process.env.HEARTH_LONG ? undefined : new Set(["timelock", "audits", "carbon", "certificates"]);

let anvil: Anvil;
let folder: string;
let deploymentFile: string;
let deployment: Deployment;

before(async () => {
  anvil = await startAnvil();
  folder = await mkdtemp(join(tmpdir(), "hearth-verification-"));
  deploymentFile = join(folder, "31337.json");
  await deployTestContracts(anvil, deploymentFile);
  deployment = JSON.parse(await readFile(deploymentFile, "utf8")) as Deployment;
});
after(async () => {
  await anvil?.stop("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

const run = (file: string, out: string) =>
  promisify(execFile)(process.execPath, [
    "scripts/verification-input.ts",
    ...["--rpc", anvil.url, "--deployment", file, "--out", out],
  ]);

/** The code without what the constructor writes into it. */
function withoutImmutables(code: Hex, { immutableReferences = {} }: Code): string {
  const bytes = Buffer.from(code.slice(2), "hex");
  for (const { start, length } of Object.values(immutableReferences).flat()) bytes.fill(0, start, start + length);
  return bytes.toString("hex");
}

test("what is written for block explorers compiles to the code that is deployed", { timeout: 1_200_000 }, async (t) => {
  const out = join(folder, "inputs");
  const { stdout } = await run(deploymentFile, out);
  const list = JSON.parse(await readFile(join(out, "contracts.json"), "utf8")) as Verification[];
  const own = Object.keys(deployment.contracts).filter((name) => !["council", "stablecoin"].includes(name));
  assert.deepEqual(list.map(({ name }) => name).toSorted(), own.toSorted());
  for (const { name, address } of list) assert.match(stdout, new RegExp(`^${name} +${address} project/`, "m"));
  const client = createPublicClient({ transport: http(anvil.url) });
  for (const { name, address, contract, compiler, input: file, ...creation } of list) {
    const { input, to } = await client.getTransaction({ hash: creation.creationTransaction });
    assert.equal(to, null);
    assert.equal(`${artifacts[name as "pool"]().bytecode}${creation.constructorArguments.slice(2)}`, input, name);
    if (compiledNames !== undefined && !compiledNames.has(name)) continue;
    const begin = Date.now();
    assert.equal(`v${solc.version()}`, `${compiler}.Emscripten.clang`);
    const [source = "", contractName = ""] = contract.split(":");
    const given = JSON.parse(await readFile(join(out, file), "utf8"));
    // As explorers do, which ask for the code of this contract only.
    given.settings.outputSelection = { [source]: { [contractName]: ["evm.bytecode", "evm.deployedBytecode"] } };
    const output = JSON.parse(solc.compile(JSON.stringify(given))) as Output;
    assert.deepEqual(output.errors?.filter(({ severity }) => severity === "error") ?? [], []);
    const made = output.contracts[source]?.[contractName]?.evm;
    assert.ok(made !== undefined, contract);
    // With the hash of the metadata at its end, which changes with every character of a source.
    assert.equal(`0x${made.bytecode.object}${creation.constructorArguments.slice(2)}`, input, name);
    const code = (await client.getCode({ address })) ?? "0x";
    assert.equal(withoutImmutables(code, made.deployedBytecode), made.deployedBytecode.object, name);
    t.diagnostic(`${name}: ${code.length / 2 - 1} bytes, compiled in ${Date.now() - begin} ms`);
  }
});

test("names the constructor's arguments as they were given", async () => {
  const list = JSON.parse(await readFile(join(folder, "inputs/contracts.json"), "utf8")) as Verification[];
  const audits = list.find(({ name }) => name === "audits");
  const expected = encodeAbiParameters([{ type: "address" }], [deployment.contracts.participants]);
  assert.equal(audits?.constructorArguments, expected);
});

test("refuses a contract that other sources or nobody deployed there, in a sentence", async () => {
  const out = join(folder, "refused");
  const changed = join(folder, "changed.json");
  const nowhere = `0x${"12".repeat(20)}` as const;
  await writeFile(changed, JSON.stringify({ ...deployment, contracts: { ...deployment.contracts, pool: nowhere } }));
  await assert.rejects(run(changed, out), /The chain has no transaction that created pool \(0x12.*\) from block/i);
  const token = { ...deployment.contracts, pool: deployment.contracts.stablecoin };
  await writeFile(changed, JSON.stringify({ ...deployment, startBlock: 0, contracts: token }));
  await assert.rejects(run(changed, out), /pool \(0x\w{40}\) was deployed from other sources: check out the version/);
  await assert.rejects(run(join(folder, "none.json"), out), /There is no file/);
});
