import { verifyAudit } from "../api/files/audit/verify-audit.ts";
import { readOptions } from "./command-options.ts";
import { formatAudit } from "./files/format-audit.ts";
import { openStore, printFailure } from "./files/open-store.ts";

const help = `npm run audit:verify     proves that the file store's audit is as it was written; the service is stopped meanwhile
Recomputes every hash chain and every daily root, and compares the roots with the contract when the chain answers.
Exit 0: all is proved. Exit 1: the first broken event is named. Running: POST /v1/admin/audit/verify.`;

async function main(): Promise<number> {
  const { deps, schemeKey, chain, close } = await openStore();
  try {
    const report = await verifyAudit({ db: deps.db, schemeKey, chain });
    for (const line of formatAudit(report)) console.log(line);
    return report.faults.length === 0 ? 0 : 1;
  } finally {
    await close();
  }
}

readOptions(help, {});
process.exitCode = await main().catch((error: unknown) => {
  printFailure(error, "POST /v1/admin/audit/verify");
  return 1;
});
