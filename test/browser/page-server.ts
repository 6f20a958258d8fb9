import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

type Bundle = ReadonlyMap<string, Uint8Array>;
/** By script: the files of one process have the same page. */
const bundles = new Map<string, Promise<Bundle>>();

export type PageServer = { url: string; close: () => Promise<void> };

const sdk = (file: string) => fileURLToPath(new URL(`../../sdk/src/${file}`, import.meta.url));

/**
 * Bundle a page's script with the SDK's sources, and serve it from a separate origin, like a third-party app.
 *
 * @param script path of the entry file, from this folder
 */
export async function servePage(script: string): Promise<PageServer> {
  const made = bundles.get(script) ?? bundle(script);
  bundles.set(script, made);
  const files = await made;
  const html =
    '<!doctype html><meta charset="utf-8"><title>Hearth</title><script type="module" src="/main.js"></script>';
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://page").pathname;
    const file = files.get(path);
    if (file !== undefined) response.writeHead(200, { "content-type": "text/javascript" }).end(file);
    else if (path === "/") response.writeHead(200, { "content-type": "text/html" }).end(html);
    else response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  // Another host name than the oracle's, so that the two share nothing in the browser.
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, close };
}

/** Set Vue's flags: without them Vue writes warnings to the console. */
const flagsOfVue = {
  __VUE_OPTIONS_API__: "true",
  __VUE_PROD_DEVTOOLS__: "false",
  __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
};

async function bundle(script: string): Promise<Bundle> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(script, import.meta.url))],
    alias: {
      "@hearth/oracles-client-sdk": sdk("index.ts"),
      "@hearth/oracles-client-sdk/core": sdk("core.ts"),
      "@hearth/oracles-client-sdk/live-agent": sdk("live-agent.ts"),
    },
    bundle: true,
    format: "esm",
    splitting: true,
    outdir: "/",
    write: false,
    jsx: "automatic",
    target: "es2022",
    // Styles of libraries change nothing that a test asserts.
    loader: { ".css": "empty" },
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"development"', ...flagsOfVue },
  });
  return new Map(outputFiles.map(({ path, contents }) => [path, contents]));
}
