import { expect } from "chai";
import {
  type Address,
  concat,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  toHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { errorsAbi } from "../../../deployments/abi/errors.ts";
import { participantsAbi } from "../../../deployments/abi/participants.ts";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import { stablecoinAbi } from "../../../deployments/abi/stablecoin.ts";
import { timelockAbi } from "../../../deployments/abi/timelock.ts";
import type { Deployment } from "../../../deployments/deployment.ts";
import { artifacts } from "../../../scripts/deploy/artifacts.ts";
import { readRoleTable, roleTableProblems } from "../../../scripts/deploy/role-table.ts";
import { safeTypedData } from "../../../wire/src/typed-data.ts";
import { type OpenChain, openChain } from "../support/deployed.ts";
import { describeReal } from "../support/real-code.ts";

const safeAbi = artifacts.safeSingleton().abi;

describeReal("Council", function () {
  this.timeout(60_000);
  let chain: OpenChain;
  let deployment: Deployment;
  before(async () => {
    chain = await openChain();
    deployment = await chain.deploy();
  });
  after(() => chain.close());

  let snapshot: unknown;
  beforeEach(async () => {
    snapshot = await chain.anvil.rpc("evm_snapshot");
  });
  afterEach(async () => {
    await chain.anvil.rpc("evm_revert", [snapshot]);
  });

  /** Call as an account whose key is known; refused when the call would revert. */
  async function send(key: Hex, to: Address, data: Hex) {
    const account = privateKeyToAccount(key);
    await chain.client.call({ account, to, data });
    const wallet = createWalletClient({ account, transport: http(chain.anvil.url) });
    const hash = await wallet.sendTransaction({ chain: null, to, data, gas: 2_000_000n });
    const { status } = await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
    expect(status).to.equal("success");
  }

  /** Let the Safe make a call, with the signatures of some owners. */
  async function callAsSafe(to: Address, data: Hex, owners: Hex[]) {
    const { council } = deployment.contracts;
    const nonce = await chain.client.readContract({ address: council, abi: safeAbi, functionName: "nonce" });
    const rest = { operation: 0, safeTxGas: 0n, baseGas: 0n, gasPrice: 0n, gasToken: zeroAddress };
    const message = { to, value: 0n, data, ...rest, refundReceiver: zeroAddress, nonce: nonce as bigint };
    const signers = owners
      .map((key) => privateKeyToAccount(key))
      .sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
    const signatures = await Promise.all(
      signers.map((signer) => signer.signTypedData(safeTypedData({ chainId: deployment.chainId, council }, message))),
    );
    const args = [to, 0n, data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, concat(signatures)];
    await send(owners[0]!, council, encodeFunctionData({ abi: safeAbi, functionName: "execTransaction", args }));
  }

  const setPrice = encodeFunctionData({ abi: poolAbi, functionName: "setPrice", args: [20_100n] });
  const price = () =>
    chain.client.readContract({ address: deployment.contracts.pool, abi: poolAbi, functionName: "price" });

  /** The timelock's call for the change of price: to schedule it, or to execute it. */
  function timelockCall(functionName: "schedule" | "execute"): Hex {
    const operation = [deployment.contracts.pool, 0n, setPrice, zeroHash, zeroHash] as const;
    if (functionName === "execute") return encodeFunctionData({ abi: timelockAbi, functionName, args: operation });
    const args = [...operation, BigInt(deployment.timelockDelay)] as const;
    return encodeFunctionData({ abi: timelockAbi, functionName, args });
  }

  async function passDelay() {
    await chain.anvil.rpc("evm_increaseTime", [toHex(deployment.timelockDelay + 1)]);
    await chain.anvil.rpc("evm_mine", []);
  }

  async function refusal(promise: Promise<unknown>): Promise<string> {
    const error = await promise.then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error, "a refusal").to.be.instanceOf(Error);
    return String(error);
  }

  it("acts with a quorum, after the delay", async () => {
    const { timelock } = deployment.contracts;
    const owners = chain.keys.council.slice(1);
    await callAsSafe(timelock, timelockCall("schedule"), owners);
    expect(await price()).to.equal(20_000n);
    await refusal(callAsSafe(timelock, timelockCall("execute"), owners));
    await passDelay();
    await callAsSafe(timelock, timelockCall("execute"), owners);
    expect(await price()).to.equal(20_100n);
  });

  it("does nothing on one signature", async () => {
    const [owner] = chain.keys.council;
    const { timelock } = deployment.contracts;
    const message = await refusal(callAsSafe(timelock, timelockCall("schedule"), [owner!]));
    expect(message).to.match(/GS020/);
    await refusal(send(owner!, timelock, timelockCall("schedule")));
    await refusal(send(owner!, deployment.contracts.pool, setPrice));
  });

  it("is stopped by the guardian before the delay is over", async () => {
    const { timelock, pool } = deployment.contracts;
    await callAsSafe(timelock, timelockCall("schedule"), chain.keys.council);
    const id = await chain.client.readContract({
      address: timelock,
      abi: timelockAbi,
      functionName: "hashOperation",
      args: [pool, 0n, setPrice, zeroHash, zeroHash],
    });
    const cancel = encodeFunctionData({ abi: timelockAbi, functionName: "cancel", args: [id] });
    await send(chain.keys.guardian, timelock, cancel);
    await passDelay();
    await refusal(callAsSafe(timelock, timelockCall("execute"), chain.keys.council));
    expect(await price()).to.equal(20_000n);
  });

  it("shares its rights with none of the other roles", async () => {
    const { pool, participants } = deployment.contracts;
    const grant = encodeFunctionData({
      abi: participantsAbi,
      functionName: "grantRole",
      args: [3n, deployment.roles.guardian, 0],
    });
    const { operator, registrar, evaluator, guardian } = chain.keys;
    for (const key of [operator, registrar, evaluator, guardian]) {
      const account = privateKeyToAccount(key);
      const call = chain.client.simulateContract({
        account,
        address: pool,
        abi: [...poolAbi, ...errorsAbi],
        functionName: "setPrice",
        args: [20_100n],
      });
      expect(await refusal(call)).to.match(new RegExp(`MissingRole[^]*${account.address}, 0`));
      await refusal(send(key, participants, grant));
    }
  });

  describe("Role table", () => {
    async function callAsTimelock(to: Address, data: Hex) {
      const { timelock } = deployment.contracts;
      await chain.anvil.rpc("anvil_setBalance", [timelock, toHex(10n ** 18n)]);
      await chain.anvil.rpc("anvil_impersonateAccount", [timelock]);
      const hash = await chain.anvil.rpc("eth_sendTransaction", [{ from: timelock, to, data, gas: toHex(1_000_000) }]);
      const receipt = await chain.client.waitForTransactionReceipt({ hash: hash as Hex, pollingInterval: 50 });
      expect(receipt.status).to.equal("success");
    }
    const problems = async () => roleTableProblems(await readRoleTable(chain.client, deployment), deployment);
    const manage = (functionName: string, args: unknown[]) =>
      callAsTimelock(
        deployment.contracts.participants,
        encodeFunctionData({ abi: participantsAbi, functionName, args } as never),
      );

    it("names an unexpected holder, and a role outside the deployment's", async () => {
      const { guardian, operator } = deployment.roles;
      await manage("grantRole", [3n, guardian, 0]);
      await manage("grantRole", [9n, operator, 0]);
      const alone = "each needs a separate account";
      expect(await problems()).to.deep.equal([
        `${guardian} is guardian and operator: ${alone}`,
        `${operator} is operator and role 9: ${alone}`,
        `operator is held by ${[guardian, operator].sort().join(", ")}, not by ${operator}`,
        `role 9 is held by ${operator}, not by nobody`,
      ]);
    });

    it("names a role without a holder", async () => {
      await manage("revokeRole", [4n, deployment.roles.evaluator]);
      expect(await problems()).to.deep.equal([`evaluator is held by nobody, not by ${deployment.roles.evaluator}`]);
    });

    it("names configuration of the access manager that the scheme does not use", async () => {
      const { pool } = deployment.contracts;
      await manage("setRoleAdmin", [3n, 2n]);
      await manage("setRoleGuardian", [3n, 1n]);
      await manage("setTargetFunctionRole", [pool, ["0x12345678"], 3n]);
      await manage("setTargetClosed", [pool, true]);
      await manage("setTargetAdminDelay", [pool, 5]);
      await manage("grantRole", [4n, deployment.roles.evaluator, 60]);
      const text = (await problems()).join("\n");
      for (const name of ["RoleAdminChanged", "RoleGuardianChanged", "TargetFunctionRoleUpdated", "TargetClosed"]) {
        expect(text).to.contain(`${name} was emitted`);
      }
      expect(text).to.contain("TargetAdminDelayUpdated was emitted");
      expect(text).to.contain("has an execution delay of 60 s");
    });

    it("names another faucet owner, and a changed council", async () => {
      const transfer = encodeFunctionData({
        abi: stablecoinAbi,
        functionName: "transferOwnership",
        args: [deployment.roles.guardian],
      });
      await send(chain.keys.operator, deployment.contracts.stablecoin, transfer);
      const { council } = deployment.contracts;
      const module = encodeFunctionData({ abi: safeAbi, functionName: "enableModule", args: [council] });
      await refusal(callAsSafe(council, module, [chain.keys.council[0]!]));
      const pool = deployment.contracts.pool;
      await callAsSafe(
        council,
        encodeFunctionData({ abi: safeAbi, functionName: "enableModule", args: [pool] }),
        chain.keys.council,
      );
      await callAsSafe(
        council,
        encodeFunctionData({ abi: safeAbi, functionName: "changeThreshold", args: [1n] }),
        chain.keys.council,
      );
      expect(await problems()).to.deep.equal([
        "1 of the council must sign, fewer than 2",
        `council module is held by ${pool}, not by nobody`,
        "the council's threshold is 1",
        `the faucet is owned by ${deployment.roles.guardian}`,
      ]);
    });
  });
});
