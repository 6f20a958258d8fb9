import { readFile, writeFile } from "node:fs/promises";
import { mountRoutes } from "../api/app.ts";
import { createEmptyApp, type Deps } from "../api/compose.ts";
import { readConfig } from "../api/config.ts";
import { bundledPlugins, type Services } from "../api/oracle/index.ts";
import { createLog } from "../api/platform/log.ts";
import { DiskSpace } from "../api/platform/server/disk-space.ts";
import { type ApiDocument, describeApi } from "../api/platform/server/docs.ts";
import { createMetrics } from "../api/platform/server/observe.ts";
import { createReadiness } from "../api/platform/server/readiness.ts";
import { openRooms, type RoomHost } from "../connect/index.ts";
import { readOptions } from "./command-options.ts";

const help = `npm run openapi [-- --check]
Writes openapi.json from the routes. --check writes nothing and fails when the file is stale.`;

const path = new URL("../openapi.json", import.meta.url);

/** The document of the whole API. No request is served, so nothing that a request needs is opened. */
async function document(): Promise<string> {
  const config = readConfig({});
  const log = createLog({ logLevel: "silent" });
  const services = {} as Services;
  const pluginRoutes = bundledPlugins.flatMap((plugin) => {
    const app = plugin.getRoutes?.({ services, config: {} as never });
    return app === undefined ? [] : [{ app, publicRoutes: plugin.getAuthExcludedRoutes?.() ?? [] }];
  });
  const oracle = { pluginRoutes };
  const unopened = {
    metrics: createMetrics(),
    readiness: createReadiness(),
    disk: new DiskSpace(config.dataDir, 0),
    files: { identity: {} },
    sessions: {},
    oracle,
    rooms: await openRooms(undefined, () => ({}) as RoomHost),
  };
  const deps = { config, log, ...unopened } as unknown as Deps;
  const app = createEmptyApp(deps);
  mountRoutes(app, deps);
  return `${onePathPerLine(describeApi(app))}\n`;
}

/** JSON with a line for each path and each schema, so that a change shows as the lines that it concerns. */
function onePathPerLine({ paths = {}, components = {}, ...rest }: ApiDocument): string {
  const lines = (entries: object) =>
    Object.entries(entries).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const { schemas = {}, ...others } = components;
  const head = JSON.stringify(rest).slice(1, -1);
  const tail = JSON.stringify(others).slice(1, -1);
  return `{${head},"paths":{\n${lines(paths).join(",\n")}\n},"components":{${tail},"schemas":{\n${lines(schemas).join(",\n")}\n}}}`;
}

const { check } = readOptions(help, { check: { type: "boolean", default: false } });
if (check) {
  const kept = await readFile(path, "utf8").catch(() => "");
  if (kept !== (await document())) {
    console.error("openapi.json is stale: run npm run openapi and commit it.");
    process.exitCode = 1;
  }
} else await writeFile(path, await document());
