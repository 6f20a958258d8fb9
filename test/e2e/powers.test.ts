import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { createPublicClient, encodeFunctionData, http, keccak256, type PublicClient, pad, stringToHex } from "viem";
import { abis } from "../../api/platform/chain/contracts.ts";
import { type Power, powersOf, readCapsInForce } from "../../scripts/deploy/powers.ts";
import { type CouncilChain, openCouncilChain } from "../support/council-chain.ts";

/** The rows of the first table whose header names the worst loss: role, holder, what it can do, worst loss, who stops it. */
async function documented(): Promise<Power[]> {
  const lines = (await readFile("docs/powers.md", "utf8")).split("\n").filter((line) => line.startsWith("| **"));
  return lines.map((line) => {
    const [, role = "", , , worstLossInADay = "", stoppedBy = ""] = line.split("|").map((cell) => cell.trim());
    return { role: role.replaceAll("*", ""), worstLossInADay, stoppedBy };
  });
}

describe("What one key can cost in a day", () => {
  let chain: CouncilChain;
  let client: PublicClient;
  before(async () => {
    chain = await openCouncilChain();
    client = createPublicClient({ transport: http(chain.anvil.url), cacheTime: 0, pollingInterval: 20 });
  });
  after(() => chain.close());
  const powers = async () => powersOf(await readCapsInForce(client, chain.deployment));
  const lossOf = async (role: string) => (await powers()).find((each) => each.role === role)?.worstLossInADay;
  const roles = () => {
    const args = ["scripts/roles.ts", "--rpc", chain.anvil.url, "--deployment", chain.out];
    return spawnSync(process.execPath, args, { encoding: "utf8", timeout: 120_000 });
  };

  it("is in docs/powers.md what the embedded chain's caps make it", async () => {
    assert.deepEqual(await documented(), await powers());
  });

  it("is printed by `npm run roles`, computed from the caps in force", async () => {
    const before = roles();
    assert.equal(before.status, 0, before.stderr);
    assert.match(before.stdout, /10,000,000 CARBON, for which the pool pays 200,000 of stablecoin/);
    const cap = (await client.readContract({
      address: chain.deployment.contracts.claims,
      abi: abis.claims,
      functionName: "operatorCap",
    })) as bigint;
    const lower = encodeFunctionData({ abi: abis.claims, functionName: "lowerOperatorCap", args: [cap / 2n] });
    await mined(await chain.sendAs("guardian", chain.deployment.contracts.claims, lower));
    assert.match(roles().stdout, /5,000,000 CARBON, for which the pool pays 100,000 of stablecoin/);
  });

  it("is nothing in stablecoin while the pool is paused, and no ITMO under a cap of 0", async () => {
    const { pool, itmo } = chain.deployment.contracts;
    await mined(await chain.sendAs("guardian", pool, encodeFunctionData({ abi: abis.pool, functionName: "pause" })));
    const lower = encodeFunctionData({ abi: abis.itmo, functionName: "lowerDailyCap", args: [0n] });
    await mined(await chain.sendAs("guardian", itmo, lower));
    assert.match((await lossOf("operator")) ?? "", /the pool pays 0 of stablecoin/);
    assert.match((await lossOf("registrar")) ?? "", /^0 t of ITMOs/);
  });

  it("is a supplier's under the plan with the highest cap, which an operator cannot exceed", async () => {
    const { participants } = chain.deployment.contracts;
    const encode = (functionName: string, args: unknown[]) =>
      encodeFunctionData({ abi: abis.participants, functionName, args } as never);
    const send = (by: "registrar" | "operator" | "guardian", functionName: string, args: unknown[]) =>
      chain.sendAs(by, participants, encode(functionName, args));
    await mined(await send("registrar", "registerImplementer", ["did:plan", chain.deployment.contracts.timelock, "I"]));
    const terms = {
      implementer: 1,
      startDay: 1,
      endDay: 2,
      claimWindowHours: 1,
      reviewShare: 0,
      supplierMayIssue: false,
    };
    const register = (planId: string, unconsentedCap: number) =>
      send("operator", "registerPlan", [
        { planId, ...terms, unconsentedCap, products: [], trustedIssuers: [], terms: "{}" },
      ]);
    await assert.rejects(register("high", 10_001).then(mined));
    for (let i = 0; i < 51; i++) await mined(await register(`low ${i}`, 9_000));
    assert.equal(await lossOf("supplier"), "20,000 CARBON redeemed without consent");
    await mined(await send("guardian", "setUnconsentedCap", [0, 5_000]));
    assert.equal(await lossOf("supplier"), "18,000 CARBON redeemed without consent");
    const lowered = Array.from({ length: 51 }, (_, i) => encode("setUnconsentedCap", [i + 1, 0]));
    await mined(await send("guardian", "multicall", [lowered]));
    assert.equal(await lossOf("supplier"), "10,000 CARBON redeemed without consent");
  });

  it("is an oracle settler's all that payers have deposited", async () => {
    const { oracles, stablecoin } = chain.deployment.contracts;
    const payer = chain.address("deployer");
    const send = (by: "operator" | "deployer", to: `0x${string}`, data: `0x${string}`) =>
      chain.sendAs(by, to, data).then(mined);
    const registration = {
      did: "did:x:oracle",
      apiUrl: "http://127.0.0.1:4000",
      wsUrl: "",
      agentCardUri: "",
      price: 1_000n,
      freeMessages: 0,
      allowance: 0,
      settler: payer,
      payee: payer,
    };
    const encode = (functionName: string, args: unknown[]) =>
      encodeFunctionData({ abi: abis.oracles, functionName, args } as never);
    await send("operator", oracles, encode("register", [registration, payer]));
    const token = (functionName: string, args: unknown[]) =>
      encodeFunctionData({ abi: abis.stablecoin, functionName, args } as never);
    await send("operator", stablecoin, token("mint", [payer, 2_500_000n]));
    await send("deployer", stablecoin, token("approve", [oracles, 2_500_000n]));
    const oracle = keccak256(stringToHex(registration.did));
    await send("deployer", oracles, encode("contractOracle", [oracle, pad("0x"), 2_500_000n, 1_000n]));
    assert.match((await lossOf("oracle settler")) ?? "", /^2\.5 of stablecoin/);
  });

  it("allows no redemption without consent or on a PIN under caps of 0", async () => {
    const { participants, vouchers } = chain.deployment.contracts;
    const none = encodeFunctionData({ abi: abis.participants, functionName: "setUnconsentedCap", args: [0, 0] });
    await mined(await chain.sendAs("guardian", participants, none));
    const noPins = encodeFunctionData({ abi: abis.vouchers, functionName: "lowerPinCap", args: [0n] });
    await mined(await chain.sendAs("guardian", vouchers, noPins));
    assert.match((await lossOf("supplier")) ?? "", /^0 CARBON redeemed without consent$/);
    assert.match((await lossOf("operator")) ?? "", /; 0 CARBON redeemed on PINs;/);
  });

  it("is the pool's own cap, or what it holds, where that is less than the operator's", () => {
    const caps = {
      operatorCap: 1_000_000_000n,
      poolPerDay: 1_000_000_000n,
      stablecoinReserve: 10n ** 12n,
      price: 20_000n,
      fee: 100,
      paused: false,
      itmoDailyCap: 1n,
      timelockDelay: 86_400n,
      unconsentedCap: 3_000_000n,
      pinCap: 2_000_000n,
      lifecycleCap: 5_000_000n,
      oracleDeposits: 7_500_000n,
    };
    const operator = (change: Partial<typeof caps>) =>
      powersOf({ ...caps, ...change }).find(({ role }) => role === "operator")?.worstLossInADay;
    const pins = "; 4 CARBON redeemed on PINs; 10 CARBON of redemptions reversed";
    assert.equal(operator({}), `claims for 1,000 CARBON, for which the pool pays 19.8 of stablecoin${pins}`);
    assert.equal(
      operator({ poolPerDay: 500_000_000n }),
      `claims for 1,000 CARBON, for which the pool pays 9.9 of stablecoin${pins}`,
    );
    assert.equal(
      operator({ stablecoinReserve: 1n }),
      `claims for 1,000 CARBON, for which the pool pays 0.000001 of stablecoin${pins}`,
    );
    const supplier = powersOf(caps).find(({ role }) => role === "supplier")?.worstLossInADay;
    assert.equal(supplier, "6 CARBON redeemed without consent");
    const settler = powersOf(caps).find(({ role }) => role === "oracle settler")?.worstLossInADay;
    assert.equal(settler, "7.5 of stablecoin from payers' deposits, paid to the oracle's payee");
    const council = powersOf({ ...caps, timelockDelay: 5n })[0];
    assert.match(council?.worstLossInADay ?? "", /^everything, 1,000,000 of stablecoin: its delay is 5 s/);
  });

  async function mined(hash: `0x${string}`): Promise<void> {
    assert.equal((await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })).status, "success");
  }
});
