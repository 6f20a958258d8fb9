import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Deps } from "../../../api/compose.ts";
import { mountFiles, mountUploadOptions } from "../../../api/files/http/mount.ts";
import type { FilesOptions } from "../../../api/files/open-files.ts";
import { createDidResolver, didKeyMethod } from "../../../api/platform/dids/did-resolution.ts";
import { createBaseApp } from "../../../api/platform/server/base-app.ts";
import type { CoreOptions } from "../../../api/platform/server/core.ts";
import { createMetrics } from "../../../api/platform/server/observe.ts";
import { serverOptions } from "../../../api/platform/server/server-options.ts";
import { mintToken, openAuthority } from "../../../api/platform/ucan/index.ts";
import { generateKey, type Key, type MintOptions } from "../../../api/platform/ucan/mint.ts";
import { openTestFiles } from "./files.ts";

export type TestHttp = {
  app: ReturnType<typeof createBaseApp>;
  deps: Deps;
  owner: Key;
  /** `Authorization` of a token that the owner signed, for everything unless the options say less. */
  bearer(options?: Partial<MintOptions>): Promise<string>;
  /** A request below /api/fs with the owner's token. */
  fs(method: string, path: string, init?: RequestInit & { as?: string }): Promise<Response>;
  close(): Promise<void>;
};

/** For tests: the file store's routes on a real database and folder, with real tokens. */
export async function openTestHttp(
  env: Record<string, string> = {},
  options: CoreOptions & FilesOptions = {},
): Promise<TestHttp> {
  const store = await openTestFiles({ FS_REQUESTS_PER_MINUTE: "1000000", ...env }, options);
  const { identity } = store.deps.files;
  const resolver = createDidResolver([didKeyMethod], Date.now);
  const authority = openAuthority({ ...store.deps, identity, resolver });
  // The core's own app has registered its metrics already.
  const files = { ...store.deps.files, authority };
  const deps = { ...store.deps, files, metrics: createMetrics() } as unknown as Deps;
  const app = createBaseApp(deps, { beforeCors: (base) => mountUploadOptions(base, deps.config.files) });
  mountFiles(app, deps);
  const owner = await generateKey();
  const bearer = async (given: Partial<MintOptions> = {}) => {
    const token = await mintToken({ issuer: owner, audience: identity.did, abilities: ["fs/*"], ...given });
    return `Bearer ${token}`;
  };
  const own = await bearer();
  const fs: TestHttp["fs"] = async (method, path, { as = own, headers, ...init } = {}) =>
    app.request(`/api/fs${path}`, { ...init, method, headers: { authorization: as, ...(headers as object) } });
  return { app, deps, owner, bearer, fs, close: store.close };
}

export type Listening = { url: string; close(): Promise<void> };

/** The app behind a real socket, with the options of the real server; `attach` adds what else the server serves. */
export async function listen(
  app: Pick<Parameters<typeof createAdaptorServer>[0], "fetch">,
  attach: (server: Server) => void = () => {},
): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions });
  attach(server as Server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        if ("closeAllConnections" in server) server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
