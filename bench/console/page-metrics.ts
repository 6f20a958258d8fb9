import type { CDPSession, Page } from "playwright-core";

/** Processor time of a page's main thread so far, in milliseconds; unlike elapsed time, the same on a busy machine. */
export type Spent = { all: number; script: number; layout: number };

/** Open Chromium's metrics of a page. */
export async function openMetrics(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await session.send("HeapProfiler.enable");
  return {
    async spent(): Promise<Spent> {
      const value = await read(session);
      const layout = value("LayoutDuration") + value("RecalcStyleDuration");
      return { all: value("TaskDuration") * 1_000, script: value("ScriptDuration") * 1_000, layout: layout * 1_000 };
    },
    /** Script heap and DOM nodes in use after garbage collection. */
    async kept(): Promise<{ heapMiB: number; nodes: number }> {
      await session.send("HeapProfiler.collectGarbage");
      const value = await read(session);
      return { heapMiB: value("JSHeapUsedSize") / 2 ** 20, nodes: value("Nodes") };
    },
  };
}

async function read(session: CDPSession): Promise<(name: string) => number> {
  const { metrics } = await session.send("Performance.getMetrics");
  const values = new Map(metrics.map(({ name, value }) => [name, value]));
  return (name) => values.get(name) ?? Number.NaN;
}

type Heard = Window & { heard?: Map<number, number>; longTasks?: number[] };

/** Start recording the time between each press or key and the next frame, and the tasks over 50 ms. */
export async function listen(page: Page): Promise<void> {
  await page.evaluate(() => {
    const own = window as Heard;
    const heard = new Map<number, number>();
    const longTasks: number[] = [];
    [own.heard, own.longTasks] = [heard, longTasks];
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
        if (interactionId > 0) heard.set(interactionId, Math.max(heard.get(interactionId) ?? 0, duration));
      }
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
    });
  });
}

/** Recorded since `listen`: milliseconds of each interaction that took a frame or more, and of each long task. */
export async function heardOf(page: Page): Promise<{ interactions: number[]; longTasks: number[] }> {
  // An interaction is reported after the frame that shows its effect.
  await page.waitForTimeout(200);
  return page.evaluate(() => {
    const { heard = new Map<number, number>(), longTasks = [] } = window as Heard;
    return { interactions: [...heard.values()], longTasks };
  });
}
