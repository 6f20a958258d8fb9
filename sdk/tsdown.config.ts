import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts", "src/core.ts", "src/live-agent.ts"],
  format: "esm",
  platform: "neutral",
  target: "es2022",
  // One file per module, so that bundlers drop unused ones and readers recognise the sources.
  unbundle: true,
  dts: true,
  fixedExtension: false,
  // No source maps: they contain paths of the build machine.
  sourcemap: false,
  hash: false,
  deps: { skipNodeModulesBundle: true },
  checks: { pluginTimings: false },
});
