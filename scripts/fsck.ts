import { runFsck } from "../api/files/fsck/fsck.ts";
import type { FsckReport } from "../api/files/fsck/report.ts";
import { readOptions } from "./command-options.ts";
import { formatAudit } from "./files/format-audit.ts";
import { openStore, printFailure } from "./files/open-store.ts";

const help = `npm run fsck -- [--scrub] [--repair] [--grace <seconds>] [--json]     checks the file store; the service is stopped meanwhile
Holds rows, blobs, keys, counts and the audit against each other.
  --scrub    opens and hashes every byte too
  --repair   collects orphans, finishes purges, puts counts right; lost or damaged content is only told
  --grace    age from which a blob that no row names is an orphan (3600); 0 when surely nobody else writes
Exit 0: clean, or all that was wrong is repaired. Exit 1: it is not. Running: POST /v1/admin/fsck.`;

const options = readOptions(help, {
  scrub: { type: "boolean", default: false },
  repair: { type: "boolean", default: false },
  grace: { type: "string", default: "3600" },
  json: { type: "boolean", default: false },
});

async function main(): Promise<number> {
  const graceMs = Number(options.grace) * 1000;
  if (!(graceMs >= 0)) throw new Error("--grace is a number of seconds.");
  const { deps, schemeKey, chain, close } = await openStore();
  try {
    const { repair, scrub } = options;
    const report = await runFsck(deps, { schemeKey, chain, repair, scrub, graceMs });
    if (options.json) console.log(JSON.stringify(report, null, 2));
    else for (const line of say(report)) console.log(line);
    return report.clean ? 0 : 1;
  } finally {
    await close();
  }
}

function say({ checked, young, scrubbedBytes, findings, audit, clean, seconds }: FsckReport): string[] {
  const { files, versions, groups, blobs } = checked;
  const read = scrubbedBytes > 0 ? `, ${scrubbedBytes} bytes read` : "";
  return [
    `${files} files, ${versions} versions, ${blobs} blobs, ${groups} key groups${read}, in ${seconds.toFixed(1)} s.`,
    ...(young.blobs > 0 ? [`${young.blobs} blobs that no row names are too young to judge.`] : []),
    ...formatAudit(audit),
    ...findings.map(({ message, repaired }) => `${repaired ? "Repaired" : "WRONG"}: ${message}`),
    clean ? "Clean." : "Not clean.",
  ];
}

process.exitCode = await main().catch((error: unknown) => {
  printFailure(error, "POST /v1/admin/fsck");
  return 1;
});
