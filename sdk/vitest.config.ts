import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

type Alias = { find: RegExp; replacement: string };

const from = (folder: string, name: string): Alias => ({
  find: new RegExp(`^${name}(/.*)?$`),
  replacement: `${fileURLToPath(new URL(`${folder}/${name}`, import.meta.url))}$1`,
});

/** Run every test with both pairs of supported peers. */
const pairs: Record<string, Alias[]> = {
  "react-19-zod-4": [],
  "react-18-zod-3": ["react", "react-dom", "zod"].map((name) => from("../test/react-18/node_modules", name)),
};

/** The package's main entry is CommonJS, and aliases do not apply to its imports. */
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
    // Apply the aliases to packages that import React too: two copies of React in one tree do not work.
    server: { deps: { inline: [/@testing-library\/react/, /react-markdown/] } },
  },
});

export default defineConfig({
  test: {
    globalSetup: ["test/oracle.ts"],
    // Two stages of `npm test` share two cores.
    maxWorkers: 1,
    // As in web/: an environment for each file takes more processor time than the tests.
    isolate: false,
    ...{ testTimeout: 60_000, hookTimeout: 60_000 },
    projects: Object.entries(pairs).map(([name, alias]) => project(name, alias)),
  },
});
