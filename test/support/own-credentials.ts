import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Deps } from "../../api/compose.ts";
import { createFileStore } from "../../api/files/file-store.ts";
import { mountFiles } from "../../api/files/http/mount.ts";
import { createDidResolver, didKeyMethod } from "../../api/platform/dids/did-resolution.ts";
import type { App } from "../../api/platform/http/context.ts";
import { identityRoutes } from "../../api/platform/identity/routes.ts";
import { createBaseApp, mount } from "../../api/platform/server/base-app.ts";
import type { CoreOptions } from "../../api/platform/server/core.ts";
import { createMetrics } from "../../api/platform/server/observe.ts";
import { serverOptions } from "../../api/platform/server/server-options.ts";
import { openAuthority } from "../../api/platform/ucan/authority.ts";
import { openCredentials } from "../../api/scheme/credentials/issuer.ts";
import { publicPaths } from "../../api/scheme/credentials/public-paths.ts";
import { credentialRoutes } from "../../api/scheme/credentials/routes.ts";
import { SchemeFiles } from "../../api/scheme/scheme-files/scheme-files.ts";
import { openTestFiles } from "./files/files.ts";
import { freePorts } from "./ports.ts";

export type TestIssuerService = {
  app: App;
  deps: Deps;
  /** Where it listens: its PUBLIC_URL. */
  url: string;
  close(): Promise<void>;
};

/** For tests: the service as issuer and file store behind a real socket, on a real database and folder. */
export async function openTestService(
  env: Record<string, string> = {},
  options: CoreOptions = {},
): Promise<TestIssuerService> {
  const [port] = (await freePorts(1)) as [number];
  const url = `http://127.0.0.1:${port}`;
  const settings = { FS_REQUESTS_PER_MINUTE: "1000000", REQUESTS_PER_MINUTE: "1000000", PUBLIC_URL: url, ...env };
  const store = await openTestFiles(settings, options);
  const { identity } = store.deps.files;
  const resolver = createDidResolver([didKeyMethod], Date.now);
  const authority = openAuthority({ ...store.deps, identity, resolver });
  const files = { ...store.deps.files, authority };
  const credentials = openCredentials({ ...store.deps, identity });
  const schemeFiles = new SchemeFiles({
    clock: store.deps.clock,
    store: createFileStore({ ...store.deps, files }),
    identity,
    authority,
  });
  const deps = { ...store.deps, files, credentials, schemeFiles, metrics: createMetrics() } as unknown as Deps;
  const app = createBaseApp(deps, { keyless: publicPaths });
  mount(app, credentialRoutes(deps));
  app.route("/", identityRoutes(identity));
  mountFiles(app, deps);
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  if ((server.address() as AddressInfo).port !== port) throw new Error("The port was taken.");
  const close = async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await store.close();
  };
  return { app, deps, url, close };
}
