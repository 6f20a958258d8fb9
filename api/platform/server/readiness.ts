import { cachedFor } from "../cached-for.ts";

/** A check. It returns `ready`, and facts for the reader of the response. */
export type ReadyCheck = () => Promise<{ ready: boolean; [fact: string]: unknown }>;
export type ReadyReport = { ready: boolean; checks: Record<string, { ready: boolean; [fact: string]: unknown }> };
export type Readiness = ReturnType<typeof createReadiness>;

const timeLimitMs = 3_000;
/** How long a report is cached, in milliseconds: the route is public, and requests to the chain's node may cost money. */
const keptMs = 1_000;

/** Create the checks of GET /ready, to which features add theirs. A check that throws or takes over 3 s is not ready. */
export function createReadiness() {
  const checks = new Map<string, ReadyCheck>();
  let report = cachedFor(keptMs, look);

  async function look(): Promise<ReadyReport> {
    const results = await Promise.all([...checks].map(async ([name, check]) => [name, await runCheck(check)] as const));
    return { ready: results.every(([, { ready }]) => ready), checks: Object.fromEntries(results) };
  }

  return {
    add(name: string, check: ReadyCheck): void {
      checks.set(name, check);
      report = cachedFor(keptMs, look);
    },
    report: (): Promise<ReadyReport> => report(),
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
    // Only the message: a public response must not hold a stack, or a URL with a password.
    return {
      ready: false,
      reason: error instanceof Error ? (error.message.split("\n")[0] ?? "").replace(/\/\/[^@\s/]+@/g, "//") : "failed",
    };
  } finally {
    clearTimeout(timer);
  }
}
