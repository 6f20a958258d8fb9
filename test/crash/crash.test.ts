import assert from "node:assert/strict";
import { test } from "node:test";
import { fileSteps } from "../../api/files/steps.ts";
import { crashAgainAndAgain, type Engine } from "./harness.ts";

const kills = process.env.HEARTH_LONG === "1" ? 500 : 8;

const engines: Record<string, Engine> = { "PGlite and a folder": "pglite", "PostgreSQL and a bucket": "postgres" };
for (const [name, engine] of Object.entries(engines)) {
  test(`${name}: after ${kills} kills every acknowledged write is there, and nothing half done`, async (t) => {
    const report = await crashAgainAndAgain({ engine, kills, log: (line) => t.diagnostic(line) });
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.kills, kills);
    assert.ok(report.acknowledged > 0, "nothing was written between the kills");
    const missed = fileSteps.filter((step) => report.killedAt[step] === undefined);
    if (kills >= 500) assert.deepEqual(missed, [], "steps at which nobody was killed");
  });
}
