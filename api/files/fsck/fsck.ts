import { type VerifyOptions, verifyAudit } from "../audit/verify-audit.ts";
import { checkBlobs } from "./check-blobs.ts";
import { checkCounts } from "./check-counts.ts";
import { checkGroups, checkKeys, checkSecrets } from "./check-keys.ts";
import { checkPurges } from "./check-purges.ts";
import type { Check, Finding, FindingKind, FsckDeps, FsckReport } from "./report.ts";
import { Pace, scrub } from "./scrub.ts";

export type FsckOptions = Pick<VerifyOptions, "schemeKey" | "chain"> & {
  /** Repair orphans, unfinished purges and counts. Lost or damaged content is only reported. */
  repair?: boolean | undefined;
  /** Also decrypt and hash every byte. */
  scrub?: boolean | undefined;
  /** Most bytes per second that the scrub reads; unlimited when absent. */
  bytesPerSecond?: number | undefined;
  /** Age from which an unnamed blob or secret is an orphan, in milliseconds. Use the default while the service runs. */
  graceMs?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** Longer than any write takes from storing its blob to its commit, in milliseconds. */
export const defaultGraceMs = 3_600_000;
/** Most findings that are listed; further ones are only counted. */
const mostFindings = 1000;

/**
 * Check that rows, blobs, keys, counts and the audit agree. The service may run meanwhile.
 * @returns the report; `clean` when there is no finding or all are repaired
 */
export async function runFsck(deps: FsckDeps, options: FsckOptions): Promise<FsckReport> {
  const began = performance.now();
  const { repair = false, graceMs = defaultGraceMs, signal } = options;
  const findings = new Findings(repair);
  const check: Check = { deps, repair, graceMs, signal, found: findings.add };
  await checkPurges(check);
  const blobs = await checkBlobs(check);
  await checkGroups(check);
  const keys = await checkKeys(check);
  // A lost key may need an unnamed secret, so none is destroyed while keys are missing.
  const secrets = await checkSecrets(check, !findings.has("secret-missing", "key-unreadable"));
  await checkCounts(check);
  let scrubbedBytes = 0;
  if (options.scrub === true) {
    const pace = new Pace(options.bytesPerSecond ?? Number.POSITIVE_INFINITY);
    for await (const { bytes } of scrub(check, pace)) scrubbedBytes += bytes;
  }
  const { schemeKey, chain } = options;
  const audit = await verifyAudit({ db: deps.db, clock: deps.clock, schemeKey, chain, signal });
  for (const { namespace, sequence, problem } of audit.faults) {
    const message = `Audit${sequence === undefined ? "" : `, event ${sequence}`}: ${problem}.`;
    await findings.add({ kind: "audit-broken", message, ...(namespace === undefined ? {} : { namespace }) });
  }
  return {
    clean: findings.open === 0,
    checked: { files: keys.files, versions: blobs.versions, groups: secrets.groups, blobs: blobs.blobs },
    young: { blobs: blobs.young, secrets: secrets.young },
    scrubbedBytes,
    audit,
    findings: findings.list,
    seconds: (performance.now() - began) / 1000,
  };
}

/** Collects findings, and repairs each immediately if allowed and possible. */
class Findings {
  readonly list: Finding[] = [];
  /** Number of findings that are not repaired. */
  open = 0;
  readonly #repair: boolean;

  constructor(repair: boolean) {
    this.#repair = repair;
  }

  has(...kinds: FindingKind[]): boolean {
    return this.list.some(({ kind }) => kinds.includes(kind));
  }

  readonly add: Check["found"] = async (finding, repair) => {
    const repaired = this.#repair && repair !== undefined;
    if (repaired) await repair();
    else this.open += 1;
    if (this.list.length < mostFindings) this.list.push({ ...finding, repaired });
  };
}
