import { createRequire } from "node:module";
import hardhatMocha from "@nomicfoundation/hardhat-mocha";
import networkHelpers from "@nomicfoundation/hardhat-network-helpers";
import hardhatViem from "@nomicfoundation/hardhat-viem";
import viemAssertions from "@nomicfoundation/hardhat-viem-assertions";
import { defineConfig } from "hardhat/config";

const require = createRequire(import.meta.url);

export default defineConfig({
  plugins: [hardhatMocha, hardhatViem, viemAssertions, networkHelpers],
  solidity: {
    version: "0.8.37",
    // The compiler comes from npm, so that nothing is downloaded at build time.
    path: require.resolve("solc/soljson.js"),
    settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: "prague" },
    npmFilesToBuild: [
      "@openzeppelin/contracts/governance/TimelockController.sol",
      "@openzeppelin/contracts/access/manager/AccessManager.sol",
    ],
  },
  paths: { sources: "./contracts", tests: { mocha: "./test/contracts", solidity: "./test/contracts" } },
  networks: {
    default: { type: "edr-simulated", chainType: "l1", hardfork: "prague", blockGasLimit: 500_000_000n },
  },
});
