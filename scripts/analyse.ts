import { type Accepted, accepted } from "./analysis/accepted.ts";
import { analyse, type Finding } from "./analysis/rules.ts";
import { readProgram } from "./analysis/tree.ts";
import { readOptions } from "./command-options.ts";
import { productionFiles } from "./solc.ts";

const help = `node scripts/analyse.ts
Look in the contracts for weaknesses that compile. Exit code 1 on a finding that is not accepted with a reason.`;

/**
 * Check the contracts' resolved syntax trees for weaknesses that the compiler and solhint do not report. Exits with 1 on a
 * finding that is not accepted with a reason, and on an acceptance that matches no finding.
 */
const isFor = (finding: Finding, { rule, where }: Accepted) => finding.rule === rule && finding.where === where;

readOptions(help, {});
const findings = analyse(readProgram(productionFiles()));
const open = findings.filter((finding) => !accepted.some((one) => isFor(finding, one)));
const idle = accepted.filter((one) => !findings.some((finding) => isFor(finding, one)));
for (const { rule, path, line, where, what } of open) console.error(`${path}:${line} ${rule}: ${where} ${what}`);
for (const { rule, where } of idle) console.error(`accepted without need: ${rule} in ${where}`);
console.log(
  `${findings.length} findings, ${findings.length - open.length} accepted with a reason, ${open.length} open`,
);
process.exitCode = open.length + idle.length > 0 ? 1 : 0;
