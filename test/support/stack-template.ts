import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tryLock } from "../../scripts/process-lock.cjs";
import { createStack, type Stack, type StackOptions, startStack } from "./stack.ts";

const root = join(import.meta.dirname, "../..");
/** What decides the state of a system that has just been started for the first time. */
const sources = [
  "package-lock.json",
  "hardhat.config.ts",
  "contracts/**/*.sol",
  "api/migrations/*.sql",
  "indexer/**/*.ts",
  "scripts/{deploy,dev-stack,embedded-chain*}.ts",
  "scripts/{databases,deploy,stack}/*.ts",
  "test/support/{stack,stack-template}.ts",
];

/**
 * A system that was started before and holds nothing: a first start deploys the contracts and makes the databases, which takes twice
 * as long as another. That is done once per run of the tests, and copied; each test has its own copy.
 */
export async function createStackFromTemplate(options: Omit<StackOptions, "dataDir"> = {}): Promise<Stack> {
  const template = await stackTemplate();
  const stack = await createStack(options);
  cpSync(template, stack.dataDir, { recursive: true });
  return stack;
}

/** The same, ready. */
export async function startStackFromTemplate(options: Omit<StackOptions, "dataDir"> = {}): Promise<Stack> {
  const stack = await createStackFromTemplate(options);
  await stack.start();
  return stack;
}

/** The folder of such a system's data. */
async function stackTemplate(): Promise<string> {
  const folder = join(tmpdir(), `hearth-stack-template-${fingerprint()}`);
  // Wait while another process makes it, because two at a time would take longer.
  for (; !existsSync(folder); await sleep(200)) {
    const lock = tryLock(`${folder}.lock`);
    if (lock.release === undefined) continue;
    try {
      if (!existsSync(folder)) await makeTemplate(folder);
    } finally {
      lock.release();
    }
  }
  return folder;
}

async function makeTemplate(folder: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "hearth-stack-draft-"));
  const stack = await startStack({ dataDir });
  try {
    const code = await stack.stop();
    if (code !== 0) throw new Error(`The system ended with ${code}:\n${stack.output}`);
    rmSync(join(dataDir, "logs"), { recursive: true });
    renameSync(dataDir, folder);
  } finally {
    await stack.remove();
  }
}

function fingerprint(): string {
  const hash = createHash("sha256");
  // Ponder writes a file of types at its first start in a checkout.
  for (const path of globSync(sources, { cwd: root, exclude: ["**/generated/**", "indexer/*.d.ts"] }).sort()) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex").slice(0, 16);
}
