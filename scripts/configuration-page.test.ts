import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { variableNames } from "../api/config.ts";
import { bundledPlugins } from "../api/oracle/plugins/bundled.ts";
import { environmentOf, settingsFrom } from "../indexer/lib/settings.ts";

const page = await readFile("docs/configuration.md", "utf8");
/** The first cell of each row of the tables. */
const documented = new Set(
  [...page.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  ),
);

describe("docs/configuration.md", () => {
  it("has a row for each variable of the API, of the oracle's plugins and of the indexer", () => {
    const settings = {
      RPC_URL: "http://x",
      RPC_SOCKET_URL: "ws://x",
      CHAIN_ID: "1",
      DEPLOYMENT: "x",
      INDEXER_DATABASE_URL: "postgres://x",
      INDEXER_READER_DATABASE_URL: "postgres://x",
      INDEXER_TOKEN: "x",
    };
    const ofPlugins = bundledPlugins.flatMap(({ configSchema }) => Object.keys(configSchema?.shape ?? {}));
    const ofIndexer = Object.keys(environmentOf(settingsFrom(settings))).filter((name) => !name.startsWith("PONDER_"));
    const read = [...variableNames, ...ofPlugins, ...ofIndexer];
    assert.ok(ofPlugins.includes("WEATHER_API_URL") && ofIndexer.includes("INDEXER_DIR"));
    assert.deepEqual(
      read.filter((name) => !documented.has(name)),
      [],
    );
  });

  it("has no row for a variable that no program reads", async () => {
    const elsewhere = await Promise.all(
      ["scripts/update-oracle-api-url.ts", "api/oracle/plugins/host/load-plugins.ts", "api/oracle/open-oracle.ts"].map(
        (file) => readFile(file, "utf8"),
      ),
    );
    const plugins = bundledPlugins.flatMap(({ configSchema }) => Object.keys(configSchema?.shape ?? {}));
    const settings = await readFile("indexer/lib/settings.ts", "utf8");
    const known = (name: string) =>
      variableNames.includes(name) ||
      plugins.includes(name) ||
      [settings, ...elsewhere].some((text) => text.includes(name));
    assert.deepEqual(
      [...documented].filter((name) => name === undefined || !known(name)),
      [],
    );
  });
});
