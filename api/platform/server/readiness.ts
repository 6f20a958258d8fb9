/** What one check found: `ready`, and facts for whoever reads the answer. */
export type ReadyCheck = () => Promise<{ ready: boolean; [fact: string]: unknown }>;
export type ReadyReport = { ready: boolean; checks: Record<string, { ready: boolean; [fact: string]: unknown }> };
export type Readiness = ReturnType<typeof createReadiness>;

const timeLimitMs = 3_000;
/** How long a report answers those who ask again, in milliseconds: anybody may ask, and a chain's node may cost money. */
const keptMs = 1_000;

/** The checks behind GET /ready. Features add theirs; one that throws or takes over 3 s is not ready. */
export function createReadiness() {
  const checks = new Map<string, ReadyCheck>();
  let latest: { report: Promise<ReadyReport>; begun: number } | undefined;

  async function look(): Promise<ReadyReport> {
    const results = await Promise.all([...checks].map(async ([name, check]) => [name, await runCheck(check)] as const));
    return { ready: results.every(([, { ready }]) => ready), checks: Object.fromEntries(results) };
  }

  return {
    add(name: string, check: ReadyCheck): void {
      checks.set(name, check);
      latest = undefined;
    },
    report(): Promise<ReadyReport> {
      const now = performance.now();
      if (latest === undefined || now - latest.begun >= keptMs) latest = { report: look(), begun: now };
      return latest.report;
    },
  };
}

async function runCheck(check: ReadyCheck): ReturnType<ReadyCheck> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), timeLimitMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch (error) {
    // The message alone: a stack or an address with a password has no place in a public answer.
    return {
      ready: false,
      reason: error instanceof Error ? (error.message.split("\n")[0] ?? "").replace(/\/\/[^@\s/]+@/g, "//") : "failed",
    };
  } finally {
    clearTimeout(timer);
  }
}
