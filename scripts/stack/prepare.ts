// Child process of npm start, see preparation.ts. Prints its progress, and ends when its parent disconnects or dies.
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Config, readConfig } from "../../api/config.ts";
import { readIncomplete } from "../../deployments/deployment.ts";
import { buildApi } from "../build-api.ts";
import { addMissingContracts } from "../deploy/additions.ts";
import { compileChanged } from "../deploy/compile.ts";
import { compareDeployed } from "../deploy/earlier-code.ts";
import { deploy } from "../deploy.ts";
import { loadRoleAccounts } from "./accounts.ts";
import type { PreparationReport, PreparationRequest } from "./preparation.ts";

const say = (line: string) => console.log(line);

const report = (message: PreparationReport) => process.send?.(message);

async function nextRequest(): Promise<PreparationRequest> {
  const [request] = (await once(process, "message")) as [PreparationRequest];
  return request;
}

/** Have the parent save the chain's state, so that a kill loses nothing that was done so far. */
async function saveChain(): Promise<void> {
  report({ kind: "save" });
  const request = await nextRequest();
  if (request !== "saved") throw new Error(`Unexpected request: ${request}`);
}

async function deployContracts({ dataDir, chain }: Config): Promise<void> {
  const { deployment: out, rpcUrl } = chain;
  const existing = await readIncomplete(out);
  const deploys = existing === undefined || existing.missing.length > 0;
  if (deploys) await compileChanged(say);
  const added = await addMissingContracts({ rpcUrl, out, persist: saveChain });
  if (added.length > 0) say(`contracts: added to those of an earlier version: ${added.join(", ")}`);
  const other = await compareDeployed({ rpcUrl, out });
  if (other !== undefined) say(`contracts: ${other}`);
  const roles = await loadRoleAccounts(dataDir, chain);
  await mkdir(join(out, ".."), { recursive: true });
  const { contracts } = await deploy({ rpcUrl, out, roles });
  await saveChain();
  say(`contracts: ${Object.keys(contracts).length} deployed, see ${out}`);
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const { host, port, publicUrl, dataDir, adminApiKey, chain, indexer } = config;
  report({ kind: "settings", settings: { host, port, publicUrl, dataDir, adminApiKey, chain, indexer } });
  const building = buildApi();
  // Its error is reported when the program is asked for.
  building.catch(() => {});
  let request = await nextRequest();
  if (request === "deploy") {
    await deployContracts(config);
    report({ kind: "deployed" });
    request = await nextRequest();
  }
  if (request !== "build") throw new Error(`Unexpected request: ${request}`);
  report({ kind: "built", program: await building });
}

process.once("disconnect", () => process.exit());
// The parent may have died while the imports were loaded.
if (!process.connected) process.exit();
main().catch((error: unknown) => {
  report({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
});
