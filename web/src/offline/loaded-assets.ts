const seen = new Set<string>();

/** The browser's record of what a page has loaded ends after some hundred entries, questions to the API among them. */
function take(): void {
  for (const { name } of performance.getEntriesByType("resource")) {
    const { origin, pathname } = new URL(name);
    if (origin === window.location.origin && pathname.startsWith("/console/")) seen.add(pathname);
  }
}

/** Keep the names of the console's files before the record is full. To be called when the page begins. */
export function watchLoadedAssets(): void {
  performance.addEventListener("resourcetimingbufferfull", () => {
    take();
    performance.clearResourceTimings();
  });
}

/** Paths of the console's files that this page has loaded. */
export function loadedAssets(): string[] {
  take();
  return [...seen];
}
