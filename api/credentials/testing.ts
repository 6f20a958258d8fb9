import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { freePorts } from "../../test/support/ports.ts";
import { type App, createBaseApp, mount } from "../base-app.ts";
import { createDidResolver, didKeyMethod } from "../claims/did-resolution.ts";
import type { CoreOptions } from "../core-deps.ts";
import type { Deps } from "../deps.ts";
import { openAuthority } from "../files/authority/authority.ts";
import { mountFiles } from "../files/http/mount.ts";
import { openTestFiles } from "../files/testing.ts";
import { createMetrics } from "../http/observe.ts";
import { serverOptions } from "../http/server-options.ts";
import { identityRoutes } from "../identity/routes.ts";
import { SchemeFiles } from "../kpt/scheme-files.ts";
import { openCredentials } from "./issuer.ts";
import { credentialRoutes } from "./routes.ts";

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
  const files = { ...store.deps.files, authority: openAuthority({ ...store.deps, identity, resolver }) };
  const credentials = openCredentials({ ...store.deps, identity });
  const schemeFiles = new SchemeFiles({ ...store.deps, files });
  const deps = { ...store.deps, files, credentials, schemeFiles, metrics: createMetrics() } as unknown as Deps;
  const app = createBaseApp(deps);
  mount(app, credentialRoutes());
  app.route("/", identityRoutes(identity));
  mountFiles(app);
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
