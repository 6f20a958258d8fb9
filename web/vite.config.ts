import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const sdk = (file: string) => join(import.meta.dirname, "../sdk/src", file);

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^@hearth\/oracles-client-sdk$/, replacement: sdk("index.ts") },
      { find: /^@hearth\/oracles-client-sdk\/core$/, replacement: sdk("core.ts") },
      { find: /^@hearth\/oracles-client-sdk\/live-agent$/, replacement: sdk("live-agent.ts") },
    ],
    dedupe: ["react", "react-dom", "viem", "zod"],
  },
  // Chunks smaller than this are not worth a request; data: URLs of scripts would need a weaker content policy.
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    // What nearly every page shows is one file each: left alone, it is forty, and on a slow network each costs a journey.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "ui", test: /@mantine|@floating-ui/, minShareCount: 30 },
            { name: "own", test: /web.src.(api|session|show|i18n|page|numbers|shell)|@tanstack/, minShareCount: 30 },
          ],
        },
      },
    },
  },
  // For work on the console itself: `npx vite web` beside a running system.
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
});
