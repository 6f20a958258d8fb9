import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const list = pathToFileURL(join(import.meta.dirname, "../../web/src/pages.ts")).href;

/** A page of the console, from its area's `pages.ts`. */
export type ConsoleRoute = { path: string; area: string; nav?: { label: string } };

/** Every page of all areas. */
export async function consoleRoutes(): Promise<ConsoleRoute[]> {
  // Vite replaces import.meta.glob when it builds the console; Node does not have it. The list of pages needs none of its files.
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith("/web/src/i18n/i18n.ts")) return loaded;
      return {
        ...loaded,
        source: String(loaded.source).replaceAll("import.meta.glob<object>", "((..._: unknown[]) => ({}))"),
      };
    },
  });
  try {
    // Imported by URL, because the console has a separate TypeScript project.
    const { pages } = (await import(list)) as { pages: ConsoleRoute[] };
    return pages;
  } finally {
    hooks.deregister();
  }
}
