import { readFile, stat, writeFile } from "node:fs/promises";
import { expect } from "chai";
import {
  type Address,
  getAddress,
  type Hex,
  hexToString,
  parseEther,
  toFunctionSelector,
  toHex,
  trim,
  zeroAddress,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { campaignsAbi } from "../../../deployments/abi/campaigns.ts";
import { carbonAbi } from "../../../deployments/abi/carbon.ts";
import { directoryAbi } from "../../../deployments/abi/directory.ts";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import { parametersAbi } from "../../../deployments/abi/parameters.ts";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import { contractNames, parseDeployment, readDeployment } from "../../../deployments/deployment.ts";
import { addMissingContracts } from "../../../scripts/deploy/additions.ts";
import { compareDeployed } from "../../../scripts/deploy/earlier-code.ts";
import { defaultParameters } from "../../../scripts/deploy/parameters.ts";
import { readRoleTable, roleTableProblems } from "../../../scripts/deploy/role-table.ts";
import { unsoundness } from "../../../scripts/deploy/soundness.ts";
import { type OpenChain, openChain, openFailingRpc } from "../support/deployed.ts";
import { describeReal } from "../support/real-code.ts";

async function rejection(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It was not refused.");
}

const journalOf = async (chain: OpenChain) => JSON.parse(await readFile(`${chain.out}.journal`, "utf8"));

describeReal("Deployment", function () {
  this.timeout(60_000);
  let chain: OpenChain;
  beforeEach(async () => {
    chain = await openChain();
  });
  afterEach(() => chain.close());

  it("puts every contract on chain, names it in the directory and seeds the pool", async () => {
    const deployment = await chain.deploy();
    const { contracts } = deployment;
    for (const name of contractNames) expect(await chain.client.getCode({ address: contracts[name] }), name).to.exist;
    expect(await chain.client.getCode({ address: contracts.didRegistry! }), "DID registry").to.exist;
    const directory = { address: contracts.directory, abi: directoryAbi } as const;
    const names = await chain.client.readContract({ ...directory, functionName: "names" });
    const named = await Promise.all(
      names.map(async (name) => [
        hexToString(trim(name, { dir: "right" })).replace(/^./, (first) => first.toLowerCase()),
        await chain.client.readContract({ ...directory, functionName: "contractOf", args: [name] }),
      ]),
    );
    const { directory: _, didRegistry: __, ...others } = contracts;
    expect(Object.fromEntries(named)).to.deep.equal(others);
    const pool = { address: contracts.pool, abi: poolAbi } as const;
    expect(await chain.client.readContract({ ...pool, functionName: "price" })).to.equal(20_000n);
    expect(await chain.client.readContract({ ...pool, functionName: "stablecoinReserve" })).to.equal(10n ** 13n);
    const caps = await chain.client.readContract({ ...pool, functionName: "caps" });
    expect([caps.perTransaction, caps.perDay]).to.deep.equal([10n ** 12n, 10n ** 13n]);
    const carbon = { address: contracts.carbon, abi: carbonAbi } as const;
    expect(await chain.client.readContract({ ...carbon, functionName: "VOUCHERS" })).to.equal(contracts.vouchers);
  });

  it("gives each role to its configured account, and the deployer none", async () => {
    const deployment = await chain.deploy();
    const { contracts, roles } = deployment;
    const table = await readRoleTable(chain.client, deployment);
    expect(table).to.deep.equal({
      participants: {
        council: [contracts.timelock],
        guardian: [roles.guardian],
        registrar: [roles.registrar],
        operator: [roles.operator],
        evaluator: [roles.evaluator],
        ledger: [contracts.vouchers],
        converter: [contracts.itmo],
      },
      timelock: {
        DEFAULT_ADMIN: [contracts.timelock],
        PROPOSER: [contracts.council],
        EXECUTOR: [zeroAddress],
        CANCELLER: [contracts.council, roles.guardian],
      },
      council: { owners: roles.council, threshold: 2, modules: [], guard: table.council.guard },
      faucet: roles.operator,
      delay: 86_400,
      stablecoin: { code: true, decimals: 6 },
      surprises: [],
    });
    expect(JSON.stringify(table)).not.to.contain((await journalOf(chain)).deployer);
  });

  it("finds the same deployment again and sends nothing", async () => {
    const first = await chain.deploy();
    const { deployer, firstNonce, stepCount } = await journalOf(chain);
    expect(await chain.deploy()).to.deep.equal(first);
    expect(await chain.client.getTransactionCount({ address: deployer })).to.equal(firstNonce + stepCount);
    expect(await readDeployment(chain.out)).to.deep.equal(first);
    expect((await stat(`${chain.out}.journal`)).mode & 0o777).to.equal(0o600);
  });

  it("continues after an interrupted run, with the same addresses", async () => {
    for (const transactions of [0, 5]) {
      const broken = await openFailingRpc(chain.anvil.url, transactions);
      await rejection(chain.deploy({ rpcUrl: broken.url }));
      broken.close();
      expect(await readDeployment(chain.out)).to.equal(undefined);
    }
    const { deployer } = await journalOf(chain);
    const deployment = await chain.deploy();
    expect((await journalOf(chain)).deployer).to.equal(deployer);
    expect(roleTableProblems(await readRoleTable(chain.client, deployment), deployment)).to.deep.equal([]);
  });

  it("deploys again at the same addresses when the chain has lost its last blocks", async () => {
    const snapshot = await chain.anvil.rpc("evm_snapshot");
    const first = await chain.deploy();
    await chain.anvil.rpc("evm_revert", [snapshot]);
    const second = await chain.deploy();
    expect(second.contracts).to.deep.equal(first.contracts);
    expect(await chain.client.getCode({ address: second.contracts.timelock })).to.exist;
  });

  it("names the transaction that reverted, and starts again when its cause is fixed", async () => {
    const message = await rejection(chain.deploy({ settings: { price: 0n } }));
    expect(message).to.match(/Deployment step "create pool" reverted/);
    await chain.deploy();
  });

  it("adds contracts that a deployment of an earlier version lacks, and keeps the others unchanged", async () => {
    const whole = await chain.deploy();
    const { campaigns: _, audits: __, oracles: ___, parameters: ____, ...rest } = whole.contracts;
    await writeFile(chain.out, JSON.stringify({ ...whole, contracts: rest }));
    const kept: string[] = [];
    const persist = async () => {
      kept.push(await readFile(chain.out, "utf8"));
    };
    const options = { rpcUrl: chain.anvil.url, out: chain.out, persist };
    expect(await addMissingContracts(options)).to.deep.equal(["audits", "campaigns", "oracles", "parameters"]);
    // The file names only contracts that are final on the chain.
    expect(kept).to.deep.equal([JSON.stringify({ ...whole, contracts: rest })]);
    const { contracts, ...facts } = (await readDeployment(chain.out))!;
    const { audits, campaigns, oracles, parameters, ...others } = contracts;
    expect([facts.startBlock, others]).to.deep.equal([whole.startBlock, rest]);
    const view = { address: campaigns, abi: campaignsAbi } as const;
    expect(await chain.client.readContract({ ...view, functionName: "PARTICIPANTS" })).to.equal(rest.participants);
    expect(await chain.client.readContract({ ...view, functionName: "CERTIFICATES" })).to.equal(rest.certificates);
    const token = { address: oracles, abi: oraclesAbi, functionName: "stablecoin" } as const;
    expect(await chain.client.readContract(token)).to.equal(rest.stablecoin);
    expect(await chain.client.getCode({ address: audits })).to.exist;
    const list = { address: parameters, abi: parametersAbi, functionName: "parameterCount" } as const;
    expect(await chain.client.readContract(list)).to.equal(defaultParameters.length);
    expect(await addMissingContracts(options)).to.deep.equal([]);
    expect((await chain.deploy()).contracts).to.deep.equal(contracts);
  });

  it("refuses to add a contract that others refer to, or on another chain", async () => {
    const whole = await chain.deploy();
    const { pool: _, ...rest } = whole.contracts;
    const options = { rpcUrl: chain.anvil.url, out: chain.out };
    await writeFile(chain.out, JSON.stringify({ ...whole, contracts: rest }));
    expect(await rejection(addMissingContracts(options))).to.contain("lacks pool, which cannot be added");
    const { campaigns: __, ...others } = whole.contracts;
    const genesisHash = `0x${"1".repeat(64)}`;
    await writeFile(chain.out, JSON.stringify({ ...whole, genesisHash, contracts: others }));
    expect(await rejection(addMissingContracts(options))).to.contain("belongs to another chain");
  });

  it("detects contracts of another version, and refuses those that lack a function that this one needs", async () => {
    const compare = () => compareDeployed({ rpcUrl: chain.anvil.url, out: chain.out });
    expect(await compare()).to.equal(undefined);
    const { contracts } = await chain.deploy();
    expect(await compare()).to.equal(undefined);
    const code = (await chain.client.getCode({ address: contracts.pool }))!;
    // An unreachable byte before the metadata: other code, the same interface.
    const metadata = 2 * (Number.parseInt(code.slice(-4), 16) + 2);
    await chain.anvil.rpc("anvil_setCode", [contracts.pool, `${code.slice(0, -metadata)}00${code.slice(-metadata)}`]);
    expect(await compare()).to.match(/of another version, with all that this one calls: pool; a new DATA_DIR/);
    const selector = toFunctionSelector("setFee(uint16)").slice(2);
    await chain.anvil.rpc("anvil_setCode", [contracts.pool, code.replaceAll(selector, "00000000")]);
    expect(await rejection(compare())).to.match(/lack what this one needs: pool \(setFee\)\. .*new data folder/);
  });

  it("refuses a deployment file of another chain", async () => {
    await chain.deploy();
    // A genesis differs by its second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const other = await openChain();
    try {
      const message = await rejection(chain.deploy({ rpcUrl: other.anvil.url }));
      expect(message).to.match(/belongs to another chain/);
    } finally {
      await other.close();
    }
  });

  it("uses a given key and stablecoin, and then there is no faucet", async () => {
    const { contracts } = await chain.deploy();
    const deployerKey: Hex = generatePrivateKey();
    const { address } = privateKeyToAccount(deployerKey);
    await chain.anvil.rpc("anvil_setBalance", [address, toHex(parseEther("100"))]);
    const stablecoin = contracts.stablecoin;
    const out = `${chain.out}.second`;
    const deployment = await chain.deploy({ out, deployerKey, settings: { stablecoin, timelockDelay: 5n } });
    expect(deployment.contracts.stablecoin).to.equal(stablecoin);
    expect(deployment).to.include({ testStablecoin: false, timelockDelay: 5 });
    expect(deployment.contracts).not.to.have.property("didRegistry");
    const table = await readRoleTable(chain.client, deployment);
    expect(table.faucet).to.equal(undefined);
    expect(roleTableProblems(table, deployment)).to.deep.equal([]);
    expect(await readFile(`${out}.journal`, "utf8")).not.to.contain("deployerKey");
  });

  it("refuses invalid options and names every broken rule, before anything is sent", async () => {
    const { roles } = chain;
    const stablecoin: Address = "0x00000000000000000000000000000000000000A1";
    const nonsense = {
      roles: { ...roles, registrar: roles.operator, council: roles.council.slice(0, 2), threshold: 1 },
      settings: { stablecoin },
    };
    expect(await rejection(chain.deploy(nonsense))).to.equal(
      "Nothing is deployed: there is no contract at the stablecoin's address; " +
        "the council has 2 owners, fewer than 3; 1 of the council must sign, fewer than 2; " +
        `${roles.operator} is operator and registrar: each needs a separate account.`,
    );
    const many = await rejection(chain.deploy({ roles: { ...roles, threshold: 4 } }));
    expect(many).to.match(/4 of the council must sign, and it has 3 owners/);
    const member = await rejection(chain.deploy({ roles: { ...roles, guardian: roles.council[0] as Address } }));
    expect(member).to.match(/is guardian and council/);
    expect(await chain.client.getTransactionCount({ address: roles.operator })).to.equal(0);
    expect(await readDeployment(chain.out)).to.equal(undefined);
  });

  it("refuses a stablecoin that does not have 6 decimals", async () => {
    const { contracts } = await chain.deploy();
    for (const [stablecoin, decimals] of [
      [contracts.participants, "no"],
      [await tokenOfDecimals(chain, 18), "18"],
    ] as const) {
      const message = await rejection(chain.deploy({ out: `${chain.out}.other`, settings: { stablecoin } }));
      expect(message).to.match(new RegExp(`the stablecoin has ${decimals} decimals, not 6`));
    }
  });
});

/** An address that returns this number from every call, like a token with this many decimals. */
async function tokenOfDecimals(chain: OpenChain, decimals: number): Promise<Address> {
  const address: Address = "0x00000000000000000000000000000000000000D1";
  // PUSH1 decimals, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
  await chain.anvil.rpc("anvil_setCode", [address, `0x60${toHex(decimals).slice(2)}60005260206000f3`]);
  return address;
}

describe("Foundations of a deployment", () => {
  const sound = {
    chainId: 1,
    timelockDelay: 86_400,
    stablecoin: { code: true, decimals: 6 },
    holders: {},
    owners: 3,
    threshold: 2,
  };

  it("allow a delay below a day only on the embedded chain", () => {
    expect(unsoundness(sound)).to.deep.equal([]);
    expect(unsoundness({ ...sound, timelockDelay: 86_399 })).to.deep.equal([
      "the council's delay is 86399 s, less than 86400 s",
    ]);
    expect(unsoundness({ ...sound, timelockDelay: 5, chainId: 31_337 })).to.deep.equal([]);
  });
});

describe("Deployment file", () => {
  const file = {
    chainId: 1,
    genesisHash: `0x${"ab".repeat(32)}`,
    startBlock: 0,
    contracts: Object.fromEntries(contractNames.map((name) => [name, `0x${"cd".repeat(20)}`])),
  };

  it("is read with checksummed addresses", () => {
    const { contracts } = parseDeployment(JSON.stringify(file), "x.json");
    expect(contracts.pool).to.equal(getAddress(`0x${"cd".repeat(20)}`));
  });

  it("is refused by name when something is missing", () => {
    const refuse = (text: string, what: RegExp) => expect(() => parseDeployment(text, "x.json")).to.throw(what);
    refuse("{", /x\.json is not one: it is not JSON/);
    refuse("null", /chainId, startBlock/);
    refuse(JSON.stringify({ ...file, genesisHash: "0x" }), /genesisHash/);
    refuse(JSON.stringify({ ...file, contracts: { ...file.contracts, pool: "0x1" } }), /contracts\.pool/);
  });
});
