import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { createPublicClient, http, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Deployment } from "../../deployments/deployment.ts";
import { type Anvil, startAnvil } from "../../test/support/anvil.ts";
import { deployTestContracts } from "../../test/support/contracts.ts";

const root = join(import.meta.dirname, "../..");

let anvil: Anvil;

before(async () => {
  anvil = await startAnvil();
});
after(() => anvil?.stop("SIGKILL"));

/** Copy what `npm run deploy` reads, with what was compiled here, and only these contracts. */
function copyCheckout(t: TestContext, contracts: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), "hearth-checkout-"));
  t.after(() => rmSync(copy, { recursive: true }));
  const sources = contracts.map((file) => `contracts/${file}`);
  for (const name of ["scripts", "deployments", "hardhat.config.ts", "package.json", ...sources]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  cpSync(join(root, "artifacts/contracts/"), join(copy, "artifacts/contracts"), { recursive: true });
  for (const name of ["api", "wire", "node_modules"]) symlinkSync(join(root, name), join(copy, name));
  return copy;
}

const deployIn = (checkout: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, ["scripts/deploy.ts", "--rpc", anvil.url, ...args], { cwd: checkout });

test("deploys what changed sources compile to, not what was compiled before", { timeout: 600_000 }, async (t) => {
  const used = ["audits/Audits.sol", "audits/IAudits.sol", "participants/IParticipants.sol", "shared/Roles.sol"];
  const checkout = copyCheckout(t, used);
  const out = join(checkout, "31337.json");
  await deployTestContracts(anvil, out);
  const deployment = JSON.parse(readFileSync(out, "utf8")) as Deployment;
  const { audits: _, ...others } = deployment.contracts;
  writeFileSync(out, JSON.stringify({ ...deployment, contracts: others }));
  const source = join(checkout, "contracts/audits/Audits.sol");
  const changed = readFileSync(source, "utf8").replace(
    /\}\s*$/,
    "function edition() external pure returns (uint256) { return 42; } }\n",
  );
  writeFileSync(source, changed);

  const { stdout, stderr } = await deployIn(checkout, "--add", "--out", out);
  assert.match(stdout, /Added to .*: audits\./);
  assert.match(stderr, /^contracts: compiling …$/m);
  const { audits: address } = (JSON.parse(readFileSync(out, "utf8")) as Deployment).contracts;
  const client = createPublicClient({ transport: http(anvil.url) });
  const abi = parseAbi(["function edition() view returns (uint256)"]);
  assert.equal(await client.readContract({ address, abi, functionName: "edition" }), 42n);
});

test("deploys nothing when changed sources do not compile, and says why", { timeout: 600_000 }, async (t) => {
  const checkout = copyCheckout(t, [""]);
  appendFileSync(join(checkout, "contracts/audits/Audits.sol"), 'import {Lost} from "./Lost.sol";\n');
  const out = join(checkout, "31337.json");
  const account = (digit: string) => privateKeyToAccount(`0x${digit.repeat(64)}`).address;
  const roles = ["operator", "registrar", "evaluator", "guardian"].map((role, i) => `--${role}=${account(`${i + 1}`)}`);
  const council = `--council=${["5", "6", "7"].map(account).join(",")}`;
  await assert.rejects(deployIn(checkout, "--out", out, ...roles, council), (error: Error & { stderr: string }) => {
    assert.match(error.stderr, /^The contracts do not compile, so nothing is deployed:\n.*Lost\.sol/ms);
    return true;
  });
  assert.deepEqual([existsSync(out), existsSync(`${out}.journal`)], [false, false]);
});
