import type { Locker } from "@tus/server";
import { AppError } from "../../../platform/errors.ts";

/** How long a request waits for an earlier one on the same upload, in milliseconds. */
const waitMs = 30_000;

type Holder = { release: Promise<void>; requestRelease: () => Promise<void> | void };

/**
 * Lock uploads, so that only one request at a time works on each. A later request asks the earlier one to stop, and waits for it.
 */
export function createUploadLocks(): Locker {
  const holders = new Map<string, Holder>();
  return {
    newLock(id) {
      let unlock = () => {};
      return {
        async lock(stopSignal, requestRelease) {
          const deadline = performance.now() + waitMs;
          for (let holder = holders.get(id); holder !== undefined; holder = holders.get(id)) {
            await holder.requestRelease();
            const left = deadline - performance.now();
            if (stopSignal.aborted || left <= 0 || !(await endsWithin(holder.release, left))) throw busy();
          }
          const release = new Promise<void>((resolve) => {
            unlock = resolve;
          });
          holders.set(id, { release, requestRelease });
        },
        async unlock() {
          holders.delete(id);
          unlock();
        },
      };
    },
  };
}

async function endsWithin(release: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms).unref();
  });
  try {
    return await Promise.race([release.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function busy(): AppError {
  const message = "Another request is still working on this upload; try again.";
  return new AppError("CONFLICT", message, {
    details: [{ rule: "upload-busy", message }],
    headers: { "Retry-After": "5" },
  });
}
