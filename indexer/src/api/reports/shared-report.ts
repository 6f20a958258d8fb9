/** A result is cached for this many times its computing time, so that anonymous callers cannot keep the database busy. */
const restShare = 5;

/** One computation at a time: callers that ask meanwhile, or soon after, get the same result, which contains its block. */
export function sharedReport<Report>(compute: () => Promise<Report>): () => Promise<Report> {
  let latest: { report: Promise<Report>; until: number } | undefined;
  return () => {
    if (latest !== undefined && Date.now() < latest.until) return latest.report;
    const begin = Date.now();
    const report = compute();
    const mine = { report, until: Number.POSITIVE_INFINITY };
    latest = mine;
    report.then(
      () => {
        mine.until = Date.now() + restShare * (Date.now() - begin);
      },
      () => {
        mine.until = 0;
      },
    );
    return report;
  };
}
