import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { BootError } from "./boot-error.ts";
import { defineOraclePlugin } from "./plugin.ts";
import { type Features, readFeatures, selectPlugins } from "./select-plugins.ts";

type Definition = Parameters<typeof defineOraclePlugin>[0];

const plugin = (name: string, rest: Partial<Definition> = {}) =>
  defineOraclePlugin({
    name,
    version: "1.0.0",
    manifest: { title: name, summary: `Does ${name}.`, whenToUse: ["always"], category: "core" },
    ...rest,
  });

const needing = (name: string, variable: string) =>
  plugin(name, { configSchema: z.object({ [variable]: z.url("must be a URL") }) });

const namesOf = (plugins: ReturnType<typeof plugin>[], features: Features = {}, env = {}) =>
  selectPlugins(plugins, features, env).plugins.map((selected) => selected.plugin.name);

const linesOf = (act: () => unknown): string[] => {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof BootError);
    return error.lines;
  }
  assert.fail("it booted");
};

describe("the selection of plugins", () => {
  it("leaves out a plugin whose required variable is missing, blank or spaces, and names the variable", () => {
    for (const env of [{}, { MCP_SERVERS: "" }, { MCP_SERVERS: "  \t" }]) {
      const { plugins, lines } = selectPlugins([needing("mcp", "MCP_SERVERS"), plugin("memory")], {}, env);
      assert.deepEqual(
        plugins.map((selected) => selected.plugin.name),
        ["memory"],
      );
      assert.deepEqual(lines, ["[boot] excluded: mcp (MCP_SERVERS)"]);
    }
  });

  it("gives a plugin what it read of the environment", () => {
    const { plugins } = selectPlugins([needing("mcp", "MCP_SERVERS")], {}, { MCP_SERVERS: " https://a.example " });
    assert.deepEqual(plugins[0]?.config, { MCP_SERVERS: "https://a.example" });
  });

  it("stops at a variable that is set but invalid, without showing its value", () => {
    const lines = linesOf(() => selectPlugins([needing("mcp", "MCP_SERVERS")], {}, { MCP_SERVERS: "s3cret" }));
    assert.deepEqual(lines, [
      "[boot-error] Plugin 'mcp' env validation failed for 'MCP_SERVERS': must be a URL",
      "Set 'MCP_SERVERS' or disable: features: { mcp: false }",
    ]);
  });

  it("stops when a plugin is forced on whose variable is blank", () => {
    const lines = linesOf(() => selectPlugins([needing("mcp", "MCP_SERVERS")], { mcp: true }, { MCP_SERVERS: " " }));
    assert.deepEqual(lines, [
      "[boot-error] Plugin 'mcp' env validation failed for 'MCP_SERVERS': is blank or missing",
      "Set 'MCP_SERVERS' or disable: features: { mcp: false }",
    ]);
  });

  it("never loads a plugin that is switched off, whatever its variables", () => {
    const all = [needing("mcp", "MCP_SERVERS"), plugin("weather")];
    const { plugins, lines } = selectPlugins(all, { mcp: false }, { MCP_SERVERS: "not a URL" });
    assert.equal(plugins.length, 1);
    assert.deepEqual(lines, ["[boot] excluded: mcp (features)"]);
  });

  it("asks autoDetect when the feature is auto, and not when it is forced", () => {
    const shy = plugin("portal", { autoDetect: () => false });
    assert.deepEqual(namesOf([shy]), []);
    assert.deepEqual(namesOf([shy], { portal: "auto" }), []);
    assert.deepEqual(namesOf([shy], { portal: true }), ["portal"]);
  });

  it("loads a plugin after those that it depends on, softly too", () => {
    const all = [plugin("a", { dependsOn: ["b"] }), plugin("b", { softDependsOn: ["c", "none"] }), plugin("c")];
    assert.deepEqual(namesOf(all), ["c", "b", "a"]);
  });

  it("passes over a soft dependency that would turn a hard one round", () => {
    assert.deepEqual(namesOf([plugin("a", { softDependsOn: ["b"] }), plugin("b", { dependsOn: ["a"] })]), ["a", "b"]);
  });

  it("stops at a missing dependency, a circle, a name given twice and a feature without a plugin, naming each", () => {
    const all = [
      plugin("a", { dependsOn: ["gone"] }),
      plugin("b", { dependsOn: ["c"] }),
      plugin("c", { dependsOn: ["b"] }),
      plugin("d"),
      plugin("d"),
    ];
    assert.deepEqual(
      linesOf(() => selectPlugins(all, { wether: true }, {})),
      [
        "[boot-error] Two plugins are named 'd'",
        "[boot-error] features names 'wether', which is not a plugin; there are: a, b, c, d",
        "[boot-error] Plugin 'a' depends on 'gone', which is not loaded",
        "[boot-error] Plugins depend on each other: b → c → b",
      ],
    );
  });

  it("counts a dependency that is left out as missing", () => {
    const lines = linesOf(() => selectPlugins([plugin("a", { dependsOn: ["b"] }), plugin("b")], { b: false }, {}));
    assert.deepEqual(lines, ["[boot-error] Plugin 'a' depends on 'b', which is not loaded"]);
  });
});

describe("ORACLE_FEATURES", () => {
  it("is JSON of plugins to true, false or auto; blank is none", () => {
    assert.deepEqual(readFeatures(`{"mcp": true, "weather": "auto"}`), { mcp: true, weather: "auto" });
    assert.deepEqual(readFeatures(" "), {});
  });

  it("stops the boot when it is anything else", () => {
    for (const text of ["{", "[]", `{"mcp": 1}`, "null"]) {
      assert.match(linesOf(() => readFeatures(text))[0] ?? "", /^\[boot-error\] ORACLE_FEATURES/);
    }
  });
});
