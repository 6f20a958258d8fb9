import type { Config } from "./config.ts";
import { type CoreDeps, openCoreDeps } from "./core-deps.ts";
import type { Log } from "./log.ts";

/** Everything that a request may need, made once by openDeps and handed in: no singletons. Each feature adds its field. */
export type Deps = CoreDeps;

export type OpenDeps = { deps: Deps; close: () => Promise<void> };

/** Open everything in order; `close` closes it in the opposite order. What opens before a failure is closed again. */
export async function openDeps(config: Config, log: Log, options: { operatorKey?: string } = {}): Promise<OpenDeps> {
  const core = await openCoreDeps(config, log, options);
  const closers = [core.close];
  const close = async () => {
    for (const each of closers.reverse()) await each();
  };
  try {
    return { deps: core.deps, close };
  } catch (error) {
    await close();
    throw error;
  }
}
