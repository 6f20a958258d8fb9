import { createRequire } from "node:module";
import hardhatMocha from "@nomicfoundation/hardhat-mocha";
import networkHelpers from "@nomicfoundation/hardhat-network-helpers";
import hardhatViem from "@nomicfoundation/hardhat-viem";
import viemAssertions from "@nomicfoundation/hardhat-viem-assertions";
import { defineConfig, overrideTask } from "hardhat/config";

const require = createRequire(import.meta.url);
const safeArtifact = (name: string) =>
  `node_modules/@safe-global/safe-smart-account/build/artifacts/contracts/${name}.json`;
/** The long form of the Solidity tests: `HEARTH_LONG=1`. */
const isLong = process.env.HEARTH_LONG === "1";

/** Set by scripts/coverage.ts: instrumented code must not take the place of what is deployed. */
const underCoverage = process.env.HEARTH_COVERAGE === "1";

/** For how many calls the optimiser weighs gas against size where nothing but gas matters. */
const OFTEN = 100_000;
const compiler = (viaIR: boolean, runs = 200) => ({
  version: "0.8.37",
  // The compiler comes from npm, so that nothing is downloaded at build time.
  path: require.resolve("solc/soljson.js"),
  settings: { optimizer: { enabled: true, runs }, evmVersion: "prague", ...(viaIR ? { viaIR } : {}) },
});

export default defineConfig({
  tasks: [
    overrideTask(["test", "solidity"])
      .setAction(() => import("./scripts/fuzz-statistics.ts"))
      .build(),
  ],
  plugins: [hardhatMocha, hardhatViem, viemAssertions, networkHelpers],
  solidity: {
    compilers: [compiler(false)],
    // The pipeline through Yul takes thrice as long to compile, so it is used where it makes frequent calls cheaper; Itmo and
    // Participants would be larger than a contract may be without it, and Itmo also if it were compiled for more calls. Of the contracts with frequent calls, those that are
    // far enough from the bound on size are compiled for gas alone.
    overrides: {
      "contracts/participants/Participants.sol": compiler(true),
      "contracts/vouchers/Vouchers.sol": compiler(true),
      "contracts/itmo/Itmo.sol": compiler(true, 50),
      "contracts/itmo/InvalidationBuffer.sol": compiler(false, OFTEN),
      "contracts/campaigns/Campaigns.sol": compiler(true, OFTEN),
      "contracts/certificates/Certificates.sol": compiler(true, OFTEN),
      "contracts/claims/Claims.sol": compiler(false, OFTEN),
      "contracts/carbon/Carbon.sol": compiler(false, OFTEN),
      "contracts/pool/Pool.sol": compiler(true, OFTEN),
    },
    npmFilesToBuild: ["@openzeppelin/contracts/access/manager/AccessManager.sol"],
  },
  paths: {
    sources: "./contracts",
    tests: { mocha: "./test/contracts", solidity: "./test/contracts" },
    ...(underCoverage ? { artifacts: "./coverage/artifacts", cache: "./coverage/cache" } : {}),
  },
  test: {
    solidity: {
      blockGasLimit: false,
      transactionGasCap: false,
      fsPermissions: { readFile: ["Safe.sol/Safe", "proxies/SafeProxyFactory.sol/SafeProxyFactory"].map(safeArtifact) },
      fuzz: { runs: isLong ? 10_000 : 256, seed: "0x48656172746800000000000000000000000000000000000000000000000000ff" },
      invariant: { runs: isLong ? 4_000 : 24, depth: isLong ? 250 : 150, failOnRevert: false },
    },
  },
  networks: {
    default: { type: "edr-simulated", chainType: "l1", hardfork: "prague", blockGasLimit: 500_000_000n },
  },
});
