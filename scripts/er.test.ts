import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { parse as parseCsv } from "csv-parse/sync";
import type { Method } from "../api/scheme/emissions/methods/definition.ts";
import { methods } from "../api/scheme/emissions/methods/registry.ts";
import { describeMethod, listMethods } from "./er-methods.ts";

const root = join(import.meta.dirname, "..");
const example = join(root, "docs/examples/emissions.json");
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-er-"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** The command as its script in package.json runs it, once the launcher has found a Node. */
async function er(args: string[], input = "", cwd = root) {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const [launcher, launch, , script = ""] = (scripts.er ?? "").split(" ");
  assert.deepEqual([launcher, launch], ["node", "scripts/launch.cjs"]);
  const { INIT_CWD: _, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, script), ...args], { cwd: root, env: { ...env, INIT_CWD: cwd } });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { out, err, code };
}

test("shows the method, its formula and every step down to the reduction", async () => {
  const { out, err, code } = await er([example]);
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^Gold Standard simplified methodology for efficient cookstoves, version 4\.0 \(smec-4\)$/m);
  assert.match(out, /^ {2}ER {2}= \(BE − AE\)·HE − LE$/m);
  assert.match(out, /^Baseline emissions, BE +2606\.351904 {2}tCO2e/m);
  assert.match(out, /^Embodied leakage +17 {2}tCO2e +0\.017 tCO2e a new unit/m);
  assert.match(out, /^Emission reduction, ER +726\.66552832 {2}tCO2e/m);
});

test("gives the route's answer with --json, and takes a path from where it is called", async () => {
  await writeFile(join(folder, "input.json"), await readFile(example));
  const { out, code } = await er(["input.json", "--json"], "", folder);
  assert.equal(code, 0);
  const { lines, ...results } = JSON.parse(out) as { lines: unknown[] };
  assert.deepEqual(results, { be: 2606.351904, ae: 1761.27744, le: 33.90148928, er: 726.66552832 });
  assert.ok(lines.length > 20);
});

test("gives the lines as CSV from standard input", async () => {
  const input = await readFile(example, "utf8");
  const { out, code } = await er(["--csv", "-"], input);
  assert.equal(code, 0);
  const rows: Record<string, string>[] = parseCsv(out, { columns: true });
  assert.deepEqual(Object.keys(rows[0] ?? {}), ["name", "value", "unit", "source"]);
  const reduction = rows.find(({ name }) => name === "Emission reduction, ER");
  assert.deepEqual([reduction?.value, reduction?.unit], ["726.66552832", "tCO2e"]);
  assert.equal((await er(["--csv"], input)).out, out);
});

test("names every broken rule and leaves with 1", async () => {
  const input = JSON.parse(await readFile(example, "utf8"));
  Object.assign(input.baselinePairs[0], { usage: 2, p_fuel: "1.3" });
  const malformed = await er([], JSON.stringify(input));
  assert.equal(malformed.code, 1);
  assert.equal(malformed.out, "");
  assert.match(malformed.err, /baselinePairs\.0\.usage: .* \(range\)/);
  assert.match(malformed.err, /baselinePairs\.0\.p_fuel: .* \(type\)/);
  const fnrb = (await readFile(example, "utf8")).replace('"daf"', '"fnrbArea": "ZMB", "daf"');
  const refused = await er([], fnrb);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /baselinePairs\.0\.fnrb: .*regulator's approval.* \(fnrb-within-default\)/);
  assert.equal((await er([], "not JSON")).code, 1);
});

test("says in a sentence what it cannot read or understand", async () => {
  const absent = await er([join(folder, "absent.json")]);
  assert.deepEqual(
    [absent.code, absent.err.trim()],
    [1, `${join(folder, "absent.json")} cannot be read: there is no such file.`],
  );
  for (const args of [["--unknown"], [example, example], [example, "--json", "--csv"]]) {
    const { code, err } = await er(args);
    assert.equal(code, 2, args.join(" "));
    assert.match(err, /Usage: npm run er/);
  }
  const help = await er(["--help"]);
  assert.deepEqual([help.code, help.err], [0, ""]);
  assert.match(help.out, /^Usage: npm run er/);
});

test("calculates by a method, every step with its formula", async () => {
  const { out, err, code } = await er([join(root, "docs/examples/vm0050.json"), "--method", "vm0050-1"]);
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^Verra VM0050 .*, version 1\.0 \(vm0050-1\)$/m);
  assert.match(out, /^fNRB +project lpg +1 +1 +a fossil fuel: all of its CO2 counts$/m);
  assert.match(out, /^k +0\.754269449715 +1 +k = eta_new >= 0\.7 \? 1 : \(sum\(EC_b\) > 0 \? min\(EC_est /m);
  assert.match(out, /^ER +147\.531460409222 +tCO2e +ER = BE - PE - LE /m);
  const json = await er([join(root, "docs/examples/vm0050.json"), "--method", "vm0050-1", "--json"]);
  const { method, project, steps } = JSON.parse(json.out);
  assert.deepEqual([method, project, steps.at(-1).symbol], ["vm0050-1", 72.8270836, "ER"]);
});

test("evaluates a campaign: both readings, what can be certified, or every reason against it", async () => {
  const file = join(root, "docs/examples/campaign.json");
  const { out, err, code } = await er([file, "--campaign"]);
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^intervention households +31 of 32 measured, 1 missing$/m);
  assert.match(out, /^certifiable +\d+\.\d+ tCO2e$/m);
  const short = (await readFile(file, "utf8")).replace('"endDate": "2025-08-07"', '"endDate": "2025-08-05"');
  const refused = await er(["--campaign"], short);
  assert.match(refused.out, /^certifiable +nothing$/m);
  assert.match(refused.out, /not certifiable: The test lasted 2 days; 3 are needed .*\(days-reach-minimum\)/);
  const outcome = JSON.parse((await er(["--campaign", "--json"], short)).out);
  assert.deepEqual([outcome.certifiable, outcome.reasons.length], [null, 1]);
  assert.ok(outcome.asMeasured.result.reductions > outcome.withMissing.result.reductions);
});

test("describes each method, and refuses what does not belong to it", async () => {
  for (const method of methods.values()) {
    assert.match(listMethods(), new RegExp(`^  ${method.id} `, "m"));
    for (const part of ["parameters:", "each fuel of baseline:", "formulas:", "minimums:", "  ER = "]) {
      assert.ok(describeMethod(method).includes(part), `${method.id} ${part}`);
    }
  }
  const help = await er(["--method", "tpddtec-4", "--help"]);
  assert.deepEqual([help.code, help.out.trimEnd()], [0, describeMethod(methods.get("tpddtec-4") as Method)]);
  const input = JSON.stringify({ parameters: { LE: -1, gift: 1 }, baseline: [{ fuel: "wood", N: 1 }], project: [] });
  const refused = await er(["--method", "tpddtec"], input);
  assert.equal(refused.code, 1);
  for (const path of ["parameters.LE", "parameters.gift", "baseline.0.U", "baseline.0.P", "baseline.0.fNRB"]) {
    assert.ok(refused.err.includes(`  ${path}: `), path);
  }
  for (const args of [
    ["--method", "none"],
    ["--method", "smec-4", "--campaign"],
  ]) {
    assert.equal((await er(args, "{}")).code, 2, args.join(" "));
  }
});
