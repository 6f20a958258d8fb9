import { join } from "node:path";
import { pathToFileURL } from "node:url";

const list = pathToFileURL(join(import.meta.dirname, "../../web/src/pages.ts")).href;

/** One page of the console, as its area's `pages.ts` lists it. */
export type ConsoleRoute = { path: string; area: string; nav?: { label: string } };

/** Every page of the console's areas; a new one is among them by itself. */
export async function consoleRoutes(): Promise<ConsoleRoute[]> {
  // By its address: the console is typed by a project of its own.
  const { pages } = (await import(list)) as { pages: ConsoleRoute[] };
  return pages;
}
