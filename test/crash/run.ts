import { readOptions } from "../../scripts/command-options.ts";
import { crashAgainAndAgain, type Engine } from "./harness.ts";

const help = `npm run test:crash -- [--kills 1000] [--engine pglite|postgres|both]
Kills a process that writes files, at named steps and at random moments, and checks the store after each start: every
acknowledged write is there, every other one is there whole or not at all, fsck is clean and the audit's chain unbroken.`;

const values = readOptions(help, {
  kills: { type: "string", default: "1000" },
  engine: { type: "string", default: "both" },
});
const chosen: Engine[] = values.engine === "both" ? ["pglite", "postgres"] : [values.engine as Engine];
const kills = Math.ceil(Number(values.kills) / chosen.length);
if (!(kills > 0) || !chosen.every((engine) => ["pglite", "postgres"].includes(engine))) {
  console.error(help);
  process.exit(2);
}
for (const engine of chosen) {
  const { killedAt, ...report } = await crashAgainAndAgain({ engine, kills, log: console.log });
  console.log(`${engine}: nothing acknowledged was lost in ${report.kills} kills`);
  console.table(report);
  console.table(killedAt);
}
