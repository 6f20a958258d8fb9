import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

type Alias = { find: RegExp; replacement: string };

const from = (folder: string, name: string): Alias => ({
  find: new RegExp(`^${name}(/.*)?$`),
  replacement: `${fileURLToPath(new URL(`${folder}/${name}`, import.meta.url))}$1`,
});

/** Every test runs on both pairs: what the package's peers say works is shown to work. */
const pairs: Record<string, Alias[]> = {
  "react-19-zod-4": [],
  "react-18-zod-3": ["react", "react-dom", "zod"].map((name) => from("../test/react-18/node_modules", name)),
};

/** Its main entry is CommonJS, whose imports no alias reaches. */
const testingLibrary: Alias = {
  find: /^@testing-library\/react$/,
  replacement: fileURLToPath(
    new URL("dist/@testing-library/react.esm.js", import.meta.resolve("@testing-library/react/package.json")),
  ),
};

const project = (name: string, alias: Alias[]): TestProjectInlineConfiguration => ({
  extends: true,
  resolve: { alias: [...alias, testingLibrary] },
  test: {
    name,
    environment: "jsdom",
    include: ["test/unit/**/*.test.{ts,tsx}"],
    setupFiles: ["test/setup.ts"],
    provide: { pair: name },
    // Packages that import React go through the aliases too: two Reacts in one tree break each other.
    server: { deps: { inline: [/@testing-library\/react/, /react-markdown/] } },
  },
});

export default defineConfig({
  test: {
    globalSetup: ["test/oracle.ts"],
    // Two stages of `npm test` share two cores.
    maxWorkers: 1,
    ...{ testTimeout: 60_000, hookTimeout: 60_000 },
    projects: Object.entries(pairs).map(([name, alias]) => project(name, alias)),
  },
});
