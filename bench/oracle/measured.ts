/** Resources that a measured server has used. */
export type Usage = { cpuMs: number; rssBytes: number; peakBytes: number };

/** Answer the bench's requests for resource usage in a process that it started. */
export function tellUsage(): void {
  let peak = 0;
  setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 200).unref();
  process.on("message", (asked) => {
    if (asked !== "usage") return;
    const { user, system } = process.cpuUsage();
    const rssBytes = process.memoryUsage.rss();
    process.send?.({ cpuMs: (user + system) / 1000, rssBytes, peakBytes: Math.max(peak, rssBytes) } satisfies Usage);
  });
}
