import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts"],
  format: "esm",
  platform: "neutral",
  target: "es2022",
  unbundle: true,
  dts: true,
  fixedExtension: false,
  // Source maps would contain paths of the build machine.
  sourcemap: false,
  hash: false,
  deps: { skipNodeModulesBundle: true },
  checks: { pluginTimings: false },
});
