import type { AuditReport, RootsReport } from "../../api/files/audit/audit-report.ts";

/** The result of the audit's verification, as lines of text. */
export function formatAudit({ namespaces, events, roots, faults }: AuditReport): string[] {
  const lines = [
    `${count(events, "event")} in ${count(namespaces, "namespace")}: each hash fits its event and the one before.`,
    `${count(roots.days, "daily root")}: each matches its heads, and these are heads of the chains.`,
  ];
  if (roots.anchored === undefined) {
    lines.push(`Not compared with the contract, because the chain could not be asked: ${roots.unreachable}.`);
  } else {
    const overdue = roots.overdue === undefined ? "" : `; the chain should have ${roots.overdue} more and has not`;
    lines.push(`${roots.anchored} of them are equal on chain${overdue}.`);
  }
  if (faults.length === 0) return lines;
  const [first, ...others] = faults.map(({ namespace, sequence, eventId, problem }) =>
    [
      sequence === undefined ? "" : `event ${sequence}${eventId === undefined ? "" : ` (${eventId})`}`,
      namespace === undefined ? "" : `of ${namespace}`,
      sequence === undefined && namespace === undefined ? problem : `: ${problem}`,
    ]
      .join(" ")
      .replace(" : ", ": ")
      .trim(),
  );
  return [`BROKEN. The first fault: ${first}.`, ...others.map((line) => `Also: ${line}.`)];
}

/** Why the contract's roots do not prove the audit; undefined where they do. */
export function whyUnanchored({ anchored, overdue = 0 }: RootsReport): string | undefined {
  if (anchored === undefined) return "the roots were not compared with the contract";
  return overdue === 0 ? undefined : `the contract lacks ${count(overdue, "root")} that it should have by now`;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
