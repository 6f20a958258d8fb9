import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import { config as base } from "./vite.config.ts";

export default mergeConfig(
  base,
  defineConfig({
    test: {
      ...{ environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], maxWorkers: 1 },
      // Another stage of `npm test` may have the processor.
      ...{ testTimeout: 60_000, hookTimeout: 60_000 },
    },
  }),
);
