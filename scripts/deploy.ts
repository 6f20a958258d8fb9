import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  type Account,
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  getAddress,
  type Hex,
  HttpRequestError,
  http,
  isAddress,
  keccak256,
  type PublicClient,
  stringToHex,
  TimeoutError,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Deployment, parseDeployment, type RoleAccounts, readDeployment } from "../deployments/deployment.ts";
import { readOptions } from "./command-options.ts";
import { addMissingContracts } from "./deploy/additions.ts";
import { compileChanged } from "./deploy/compile.ts";
import { embeddedSettings, type Plan, planDeployment, type Settings, type Step } from "./deploy/plan.ts";
import { readRoleTable, roleTableProblems } from "./deploy/role-table.ts";
import { readStablecoin, unsoundness } from "./deploy/soundness.ts";
import { writeVerification } from "./deploy/verification.ts";
import { writeDurably } from "./disk-files.ts";
import { readSecretFiles } from "./secret-files.ts";

export type DeployOptions = {
  rpcUrl: string;
  /** Deployment file to write. The file `<out>.journal` (0600) next to it lets an interrupted deployment continue. */
  out: string;
  roles: Omit<RoleAccounts, "threshold"> & { threshold?: number };
  /** Pays for and signs the deployment; has no rights afterwards. Absent: created, funded by the test chain and discarded. */
  deployerKey?: Hex;
  /** Absent settings are as on the embedded chain. */
  settings?: Partial<Omit<Settings, "roles">>;
  /** Takes lines of progress. */
  log?: (line: string) => void;
};

/** State that is needed to send the same transactions again. */
type Journal = {
  genesisHash: Hex;
  planHash: Hex;
  stepCount: number;
  deployerKey?: Hex;
  deployer: Address;
  firstNonce: number;
  startBlock: number;
};

const DEVELOPMENT_CHAINS = new Set([1337, 31337]);
const FUNDS = 10_000n * 10n ** 18n;

/**
 * Deploy the whole scheme, continue an interrupted deployment, or find it deployed.
 *
 * Every transaction has its place in the deployer's nonces, so a run that was killed, and a chain that lost its last blocks, both
 * continue from the nonce that the chain shows, to the same addresses.
 * @throws when the file belongs to another chain, when a transaction reverts, or when the outcome is not as planned.
 */
export async function deploy(options: DeployOptions): Promise<Deployment> {
  const log = options.log ?? (() => {});
  const client = createPublicClient({ transport: http(options.rpcUrl), pollingInterval: 50, cacheTime: 0 });
  const chainId = await client.getChainId();
  const { hash: genesisHash } = await client.getBlock({ blockNumber: 0n });
  const settings = completeSettings(options, chainId);
  await refuseUnsound(client, settings, chainId);
  const existing = await readDeployment(options.out);
  if (existing !== undefined && (existing.chainId !== chainId || existing.genesisHash !== genesisHash)) {
    throw new Error(
      `${options.out} belongs to another chain (${existing.chainId}, genesis ${existing.genesisHash}); this one is ` +
        `${chainId}, genesis ${genesisHash}. Use a fresh data folder with a fresh chain.`,
    );
  }
  if (options.deployerKey === undefined) await fund(options, Object.values(settings.roles).flat().filter(isHex));
  if (existing !== undefined && (await isComplete(client, existing, options.out))) return existing;

  const journal = await openJournal(client, { options, settings, genesisHash });
  const account = privateKeyToAccount(options.deployerKey ?? (journal.deployerKey as Hex));
  if (options.deployerKey === undefined) await fund(options, [account.address]);
  const plan = planDeployment(journal.deployer, journal.firstNonce, settings);
  await sendSteps(client, { rpcUrl: options.rpcUrl, account, firstNonce: journal.firstNonce, steps: plan.steps, log });
  const deployment = describe(plan, settings, { chainId, genesisHash, startBlock: journal.startBlock });
  const problems = roleTableProblems(await readRoleTable(client, deployment), deployment);
  if (problems.length > 0) throw new Error(`The deployment did not come out as planned: ${problems.join("; ")}`);
  await writeDurably(options.out, `${JSON.stringify(deployment, null, 2)}\n`, 0o644);
  return deployment;
}

const isHex = (value: unknown): value is Address => typeof value === "string" && value.startsWith("0x");

function completeSettings(options: DeployOptions, chainId: number): Settings {
  const { council, threshold = 2, ...single } = options.roles;
  const settings = { ...embeddedSettings, ...options.settings, roles: { ...single, council, threshold } };
  if (settings.stablecoin === undefined && !DEVELOPMENT_CHAINS.has(chainId)) {
    throw new Error(`Chain ${chainId} is not a development chain: set the stablecoin in which the pool pays.`);
  }
  return settings;
}

/** Check the deployment before anything is sent. @throws Error naming every broken rule */
async function refuseUnsound(client: PublicClient, settings: Settings, chainId: number): Promise<void> {
  const { stablecoin, timelockDelay } = settings;
  const { council, threshold, ...single } = settings.roles;
  const problems = unsoundness({
    chainId,
    timelockDelay: Number(timelockDelay),
    // The test token is deployed with the rest.
    stablecoin: stablecoin === undefined ? { code: true, decimals: 6 } : await readStablecoin(client, stablecoin),
    holders: { ...Object.fromEntries(Object.entries(single).map(([role, account]) => [role, [account]])), council },
    owners: council.length,
    threshold,
  });
  if (problems.length > 0) throw new Error(`Nothing is deployed: ${problems.join("; ")}.`);
}

/** Test chains only: makes sure that accounts can pay for gas. */
async function fund({ rpcUrl }: DeployOptions, accounts: readonly Address[]): Promise<void> {
  const client = createTestClient({ mode: "anvil", transport: http(rpcUrl) });
  for (const address of accounts) await client.setBalance({ address, value: FUNDS });
}

/** Check whether the chain still has a whole deployment that was complete: it may have lost its last blocks. */
async function isComplete(client: PublicClient, deployment: Deployment, out: string): Promise<boolean> {
  const codes = await Promise.all(Object.values(deployment.contracts).map((address) => client.getCode({ address })));
  if (codes.some((code) => code === undefined)) return false;
  const journal = await readJournal(out);
  if (journal === undefined || journal.genesisHash !== deployment.genesisHash) return true;
  const nonce = await client.getTransactionCount({ address: journal.deployer, blockTag: "latest" });
  return nonce >= journal.firstNonce + journal.stepCount;
}

async function readJournal(out: string): Promise<Journal | undefined> {
  const text = await readFile(`${out}.journal`, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

/** The journal of a deployment that was begun on this chain with these contracts and settings, or a new one. */
async function openJournal(
  client: PublicClient,
  { options, settings, genesisHash }: { options: DeployOptions; settings: Settings; genesisHash: Hex },
): Promise<Journal> {
  const block = Number(await client.getBlockNumber());
  const begun = await readJournal(options.out);
  if (begun !== undefined && begun.genesisHash === genesisHash && signs(options.deployerKey, begun)) {
    // A chain that lost blocks may deploy again below the block where the deployment first began.
    const same = begun.planHash === planOf(begun, settings).hash;
    if (same) return { ...begun, startBlock: Math.min(begun.startBlock, block) };
  }
  const thrownAway: Hex = `0x${randomBytes(32).toString("hex")}`;
  const deployer = privateKeyToAccount(options.deployerKey ?? thrownAway).address;
  const firstNonce = await client.getTransactionCount({ address: deployer, blockTag: "latest" });
  const { hash: planHash, stepCount } = planOf({ deployer, firstNonce }, settings);
  const journal: Journal = { genesisHash, planHash, stepCount, deployer, firstNonce, startBlock: block };
  if (options.deployerKey === undefined) journal.deployerKey = thrownAway;
  await writeDurably(`${options.out}.journal`, JSON.stringify(journal), 0o600);
  return journal;
}

/** Check whether the given key, or the discarded one, is the journal's. */
function signs(deployerKey: Hex | undefined, journal: Journal): boolean {
  if (deployerKey === undefined) return journal.deployerKey !== undefined;
  return privateKeyToAccount(deployerKey).address === journal.deployer;
}

/** The hash changes with the contracts' code and with the settings. */
function planOf({ deployer, firstNonce }: Pick<Journal, "deployer" | "firstNonce">, settings: Settings) {
  const { steps } = planDeployment(deployer, firstNonce, settings);
  return { hash: keccak256(stringToHex(steps.map(({ to, data }) => `${to}:${data}`).join())), stepCount: steps.length };
}

type Sending = {
  rpcUrl: string;
  account: Account;
  firstNonce: number;
  steps: Step[];
  log: (line: string) => void;
};

/** Send all missing transactions together (the nonces keep the order), and wait until each has succeeded. */
async function sendSteps(client: PublicClient, { rpcUrl, account, firstNonce, steps, log }: Sending): Promise<void> {
  const wallet = createWalletClient({ account, transport: http(rpcUrl) });
  const chainId = await client.getChainId();
  const done = (await client.getTransactionCount({ address: account.address, blockTag: "latest" })) - firstNonce;
  const fees = await client.estimateFeesPerGas();
  const sent: { step: Step; nonce: number; hash?: Hex }[] = [];
  for (const [i, step] of steps.entries()) {
    if (i < done) continue;
    const nonce = firstNonce + i;
    const { to, data, gas } = step;
    const hash = await wallet
      .sendTransaction({ chain: null, account, to, data, gas, nonce, type: "eip1559", ...fees })
      .catch(async (error: Error) => {
        // A killed run sent this step before, so it is in the pool or mined: its receipt decides.
        if (/already known|nonce too low|already imported|underpriced/i.test(error.message)) return undefined;
        throw error;
      });
    sent.push({ step, nonce, hash });
  }
  log(`chain ${chainId}: ${sent.length} of ${steps.length} deployment transactions sent`);
  for (const { step, nonce, hash } of sent) {
    await awaitNonce(client, account.address, nonce);
    if (hash === undefined) continue;
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 120_000 });
    if (receipt.status !== "success") throw new Error(`Deployment step "${step.name}" reverted (${hash}).`);
  }
}

async function awaitNonce(client: PublicClient, address: Address, nonce: number): Promise<void> {
  const end = Date.now() + 300_000;
  while ((await client.getTransactionCount({ address, blockTag: "latest" })) <= nonce) {
    if (Date.now() > end) throw new Error(`Transaction ${nonce} of the deployer ${address} was not mined in 300 s.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function describe(
  { contracts }: Plan,
  { roles, timelockDelay, stablecoin }: Settings,
  chain: { chainId: number; genesisHash: Hex; startBlock: number },
): Deployment {
  const rest = { roles, timelockDelay: Number(timelockDelay), testStablecoin: stablecoin === undefined };
  return { ...chain, contracts, ...rest };
}

const help = `DEPLOYER_KEY=0x… npm run deploy -- --rpc URL --out deployments/<chainId>.json
  --operator 0x… --registrar 0x… --evaluator 0x… | --secrets the folder of npm run secrets
  --guardian 0x… --council 0x…,0x…,0x… [--threshold 2]
  --stablecoin 0x… [--price base units per CARBON] [--delay seconds]
  [--verification folder for what block explorers need to verify the contracts, as of npm run verification-input]
DEPLOYER_KEY=0x… npm run deploy -- --add --rpc URL --out deployments/<chainId>.json
  deploys contracts that a deployment of an earlier version lacks`;

async function main(): Promise<void> {
  const text = { type: "string" } as const;
  const values = readOptions(help, {
    rpc: text,
    out: text,
    secrets: text,
    operator: text,
    registrar: text,
    evaluator: text,
    guardian: text,
    council: text,
    threshold: text,
    stablecoin: text,
    price: text,
    delay: text,
    verification: text,
    add: { type: "boolean", default: false },
  });
  const accounts = values.secrets === undefined ? {} : accountsIn(values.secrets);
  const { rpc, out, council, operator, registrar, evaluator, guardian } = { ...noOptions, ...accounts, ...values };
  requireGiven(values.add ? { rpc, out } : { rpc, out, operator, registrar, evaluator, guardian, council });
  if (values.add) return add(rpc, out);
  requireWellFormed(values);
  const settings: DeployOptions["settings"] = {};
  if (values.stablecoin !== undefined) settings.stablecoin = getAddress(values.stablecoin);
  if (values.price !== undefined) settings.price = BigInt(values.price);
  if (values.delay !== undefined) settings.timelockDelay = BigInt(values.delay);
  await compileChanged(console.error);
  const deployment = await deploy({
    rpcUrl: rpc,
    out,
    roles: {
      operator: getAddress(operator),
      registrar: getAddress(registrar),
      evaluator: getAddress(evaluator),
      guardian: getAddress(guardian),
      council: council.split(",").map((address) => getAddress(address)),
      threshold: values.threshold === undefined ? undefined : Number(values.threshold),
    },
    deployerKey: deployerKey(),
    settings,
    log: console.error,
  });
  console.log(parseDeployment(JSON.stringify(deployment), out));
  if (values.verification !== undefined) {
    await writeVerification(deployment, { rpcUrl: rpc, folder: values.verification });
  }
}

/** The key that pays for the deployment: DEPLOYER_KEY, or the file that DEPLOYER_KEY_FILE names. */
function deployerKey(): Hex | undefined {
  const { env, problems } = readSecretFiles(process.env, ["DEPLOYER_KEY"]);
  for (const { path, message } of problems) console.error(`${path} ${message}`);
  if (problems.length > 0) process.exit(2);
  if (env.DEPLOYER_KEY && !/^0x[0-9a-f]{64}$/i.test(env.DEPLOYER_KEY)) {
    console.error("DEPLOYER_KEY is not a private key: 0x and 64 hexadecimal digits.");
    process.exit(2);
  }
  return env.DEPLOYER_KEY as Hex | undefined;
}

const noOptions = { rpc: "", out: "", council: "", operator: "", registrar: "", evaluator: "", guardian: "" };

/** Find the accounts of the roles in the folder of `npm run secrets`. */
function accountsIn(folder: string): Record<"operator" | "registrar" | "evaluator", Address> {
  const names = { operator: "RELAYER_KEY", registrar: "REGISTRAR_KEY", evaluator: "EVALUATOR_KEY" };
  const { env, problems } = readSecretFiles({ SECRETS_DIR: folder }, Object.values(names));
  const missing = Object.values(names).filter((name) => env[name] === undefined);
  if (missing.length > 0) {
    const why = problems.map(({ message }) => message).join("; ") || `it lacks ${missing.join(", ")}`;
    console.error(`--secrets ${folder}: ${why}.`);
    process.exit(2);
  }
  const address = (name: string) => privateKeyToAccount(env[name] as Hex).address;
  return {
    operator: address(names.operator),
    registrar: address(names.registrar),
    evaluator: address(names.evaluator),
  };
}

/** End the process with exit code 2 unless every option has a value. */
function requireGiven(options: Record<string, string>): void {
  const missing = Object.entries(options).flatMap(([name, value]) => (value === "" ? [`--${name}`] : []));
  if (missing.length === 0) return;
  console.error(`Give ${missing.join(", ")}.\n${help}`);
  process.exit(2);
}

const addressOptions = ["operator", "registrar", "evaluator", "guardian", "council", "stablecoin"];
const numberOptions = ["threshold", "price", "delay"];

/** End the process with exit code 2 unless every address and number can be read. */
function requireWellFormed(options: Record<string, string | boolean | undefined>): void {
  const broken = Object.entries(options).flatMap(([name, value]) => {
    if (typeof value !== "string") return [];
    if (numberOptions.includes(name)) return /^\d+$/.test(value) ? [] : [`--${name}: ${value} is not a whole number.`];
    if (!addressOptions.includes(name)) return [];
    const wrong = value.split(",").filter((address) => !isAddress(address));
    return wrong.map((address) => `--${name}: "${address}" is not an address, or its checksum is wrong.`);
  });
  if (broken.length === 0) return;
  console.error(broken.join("\n"));
  process.exit(2);
}

async function add(rpcUrl: string, out: string): Promise<void> {
  const key = deployerKey();
  await compileChanged(console.error);
  const added = await addMissingContracts({ rpcUrl, out, ...(key === undefined ? {} : { deployerKey: key }) });
  console.log(added.length === 0 ? `${out} lacks nothing.` : `Added to ${out}: ${added.join(", ")}.`);
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    const isSilent = error instanceof HttpRequestError || error instanceof TimeoutError;
    // Every refusal of the deployment is a plain Error; another class is a fault of the program.
    if (!isSilent && (error as Error).constructor !== Error) throw error;
    console.error(isSilent ? `The node at ${error.url} does not answer: ${error.details}` : (error as Error).message);
    process.exit(1);
  });
}
