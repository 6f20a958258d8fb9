/** When this tab was last loaded again for a new version, in milliseconds since 1970. */
const reloadedAt = "hearth.reloaded-at";
/** Shortest time between two such reloads, in milliseconds: the page must not reload for ever. */
const pauseMs = 60_000;

/** Whether an error says that a part of the page's code could not be loaded. Each browser words it differently. */
export function isCodeLost(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|importing a module script failed|unable to preload css/i.test(error.message)
  );
}

/**
 * Load the page again if the server has another version of the console: then the files of this one are gone.
 *
 * @returns whether the page is being loaded again
 */
export async function reloadForNewVersion(reload = () => window.location.reload()): Promise<boolean> {
  const last = Number(sessionStorage.getItem(reloadedAt));
  if (Date.now() - last < pauseMs) return false;
  const answer = await fetch("/console/", { cache: "no-store" }).catch(() => undefined);
  // Without an answer there is no new version to load: the page says that its code could not be loaded.
  if (answer?.ok !== true) return false;
  const page = await answer.text();
  const scripts = [...document.querySelectorAll("script[type=module][src]")].map((each) => each.getAttribute("src"));
  if (scripts.every((src) => src !== null && page.includes(src))) return false;
  sessionStorage.setItem(reloadedAt, String(Date.now()));
  reload();
  return true;
}

/** Reload for a new version when a part of the code cannot be loaded. Call it when the page starts. */
export function watchLostCode(): void {
  window.addEventListener("vite:preloadError", () => void reloadForNewVersion());
}
