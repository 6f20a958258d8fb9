const seen = new Set<string>();

/** Save the browser's list of loaded resources: it holds only some hundred entries, including API requests. */
function take(): void {
  for (const { name } of performance.getEntriesByType("resource")) {
    const { origin, pathname } = new URL(name);
    if (origin === window.location.origin && pathname.startsWith("/console/")) seen.add(pathname);
  }
}

/** Record the console's files before the browser's list is full. Call it when the page starts. */
export function watchLoadedAssets(): void {
  performance.addEventListener("resourcetimingbufferfull", () => {
    take();
    performance.clearResourceTimings();
  });
}

/** Paths of the console's files loaded by this page. */
export function loadedAssets(): string[] {
  take();
  return [...seen];
}
