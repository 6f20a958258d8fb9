import { verifyAudit } from "../api/files/audit/verify-audit.ts";
import { readOptions } from "./command-options.ts";
import { formatAudit, whyUnanchored } from "./files/format-audit.ts";
import { openStore, printFailure } from "./files/open-store.ts";

const help = `npm run audit:verify     proves that the file store's audit is as it was written; the service is stopped meanwhile
Recomputes every hash chain and every daily root, and compares the roots with the contract.
--unanchored   accept roots that were not compared with the contract: anyone who can write to the database could have created another history
Exit 0: all is proved. Exit 1: the first broken event is named, or the roots could not be compared with the contract, or one
of a day that ended more than a day ago is not there.
Running: POST /v1/admin/audit/verify.`;

async function main(acceptsUnanchored: boolean): Promise<number> {
  const { deps, schemeKey, chain, close } = await openStore();
  try {
    const report = await verifyAudit({ ...deps, schemeKey, chain });
    for (const line of formatAudit(report)) console.log(line);
    if (report.faults.length > 0) return 1;
    const unproved = whyUnanchored(report.roots);
    if (unproved === undefined || acceptsUnanchored) return 0;
    console.error(`Not verified: ${unproved}. --unanchored accepts that.`);
    return 1;
  } finally {
    await close();
  }
}

const { unanchored } = readOptions(help, { unanchored: { type: "boolean", default: false } });
process.exitCode = await main(unanchored).catch((error: unknown) => {
  printFailure(error, "POST /v1/admin/audit/verify");
  return 1;
});
