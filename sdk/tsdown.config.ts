import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts", "src/core.ts", "src/live-agent.ts"],
  format: "esm",
  platform: "neutral",
  target: "es2022",
  // A file for each module: a bundler drops what an app does not import, and a reader finds the sources again.
  unbundle: true,
  dts: true,
  fixedExtension: false,
  // Its own code as it is: source maps would tell where it was built.
  sourcemap: false,
  hash: false,
  deps: { skipNodeModulesBundle: true },
  checks: { pluginTimings: false },
});
