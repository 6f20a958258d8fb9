import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import { config as base } from "./vite.config.ts";

export default mergeConfig(
  base,
  defineConfig({
    test: {
      ...{ environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], maxWorkers: 1 },
      // An environment for each file takes seven times the processor time of all tests, so they share one.
      isolate: false,
      // Another stage of `npm test` may use the processor.
      ...{ testTimeout: 60_000, hookTimeout: 60_000 },
    },
  }),
);
