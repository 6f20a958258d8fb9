// The files for Prometheus and Grafana agree with what this API serves.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { type ServerProcess, startServer } from "../test/support/api-server.ts";
import { createTestWorld, type TestWorld } from "../test/support/chain.ts";

type Rules = { groups: { rules: { alert: string; expr: string }[] }[] };
type Dashboard = { panels: { id: number; title: string; targets: { expr: string }[] }[] };

const { groups } = parse(readFileSync("monitoring/alerts.yml", "utf8")) as Rules;
const rules = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(readFileSync("monitoring/dashboard.json", "utf8")) as Dashboard;

let world: TestWorld;
let server: ServerProcess;
before(async () => {
  world = await createTestWorld();
  server = await startServer(world);
});
after(async () => {
  await server?.stop("SIGKILL");
  await world?.close();
});

test("every metric of an alert or a panel is one that the API serves, with its labels", async () => {
  await fetch(`${server.url}/health`);
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const served = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const used = new Set(expressions.flatMap((expr) => expr.match(/\b(hearth|http|process)_\w+/g) ?? []));
  const unknown = [...used].filter((name) => !served.has(name.replace(/_(bucket|count)$/, "")));
  assert.deepEqual(unknown, []);
  assert.ok(used.size >= 20, `${used.size} metrics`);
  assert.match(text, /^http_requests_total\{[^}]*status="200"/m);
  assert.match(text, /^hearth_worker_runs_total\{[^}]*outcome="success"/m);
});

test("the operator's page names every metric of Hearth, and none that the API does not serve", async () => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const served = [...text.matchAll(/^# TYPE (hearth_\w+)/gm)].map(([, name]) => name);
  const table = readFileSync("docs/operations.md", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `hearth_"));
  const named = table.flatMap((line) => line.split(" | ")[0]?.match(/hearth_\w+/g) ?? []);
  const elsewhere = ["hearth_gauge_errors_total"];
  assert.deepEqual(named.sort(), served.filter((name) => !elsewhere.includes(String(name))).sort());
});

test("every alert has a section that says what to do", () => {
  const sections = [...readFileSync("docs/runbooks.md", "utf8").matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  assert.deepEqual(sections.sort(), rules.map(({ alert }) => alert).sort());
});

test("no two panels have the same number", () => {
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
});

test("promtool accepts the files, and the alerts fire when they should", (t) => {
  try {
    execFileSync("promtool", ["--version"], { stdio: "ignore" });
  } catch {
    return t.skip("promtool is not installed (apt-get install prometheus)");
  }
  execFileSync("promtool", ["check", "config", "monitoring/prometheus.yml"]);
  execFileSync("promtool", ["test", "rules", "monitoring/alerts.test.yml"]);
});
