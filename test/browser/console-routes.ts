import { join } from "node:path";
import { pathToFileURL } from "node:url";

const list = pathToFileURL(join(import.meta.dirname, "../../web/src/pages.ts")).href;

/** A page of the console, from its area's `pages.ts`. */
export type ConsoleRoute = { path: string; area: string; nav?: { label: string } };

/** Every page of all areas. */
export async function consoleRoutes(): Promise<ConsoleRoute[]> {
  // Imported by URL, because the console has a separate TypeScript project.
  const { pages } = (await import(list)) as { pages: ConsoleRoute[] };
  return pages;
}
