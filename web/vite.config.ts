import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "vite";
import { chunkGroups } from "./chunks.ts";
import { startEarly } from "./early.ts";

const sdk = (file: string) => join(import.meta.dirname, "../sdk/src", file);

export const config = {
  base: "/console/",
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^@hearth\/oracles-client-sdk$/, replacement: sdk("index.ts") },
      { find: /^@hearth\/oracles-client-sdk\/core$/, replacement: sdk("core.ts") },
      { find: /^@hearth\/oracles-client-sdk\/live-agent$/, replacement: sdk("live-agent.ts") },
    ],
    // One copy of what the libraries of tokens bring in several versions: their code signs the same bytes.
    dedupe: ["react", "react-dom", "viem", "zod", "multiformats", "cborg", "@ipld/dag-cbor"],
  },
  // Chunks smaller than this are not worth a request; data: URLs of scripts would need a weaker content policy.
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    manifest: true,
    // Modules are grouped into larger files; scripts/check-console.ts enforces a size limit on the whole.
    chunkSizeWarningLimit: 1_000,
    modulePreload: { polyfill: false },
  },
  // In a separate folder, because the server sends a policy with them (api/platform/server/console.ts).
  worker: {
    format: "es",
    rolldownOptions: { output: { entryFileNames: "assets/workers/[name]-[hash].js" } },
  },
  // For development of the console: `npx vite web` with a running system.
  server: {
    proxy: Object.fromEntries(
      ["/v1", "/graphql", "/sql", "/reports", "/api", "/public", "/openapi.json", "/sessions", "/messages", "/runs"]
        .concat("/delegation", "/user-preferences", "/models", "/oracle", "/ag-ui", "/socket.io")
        .map((path) => [
          path,
          { target: process.env.HEARTH_URL ?? "http://127.0.0.1:3000", ws: path === "/socket.io" },
        ]),
    ),
  },
} satisfies UserConfig;

export default defineConfig(async ({ command }) => {
  if (command === "serve") return config;
  const output = { codeSplitting: { groups: await chunkGroups(config) } };
  const plugins = [...config.plugins, startEarly(config)];
  return { ...config, plugins, build: { ...config.build, rolldownOptions: { output } } };
});
