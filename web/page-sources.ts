import { readFileSync } from "node:fs";
import { join } from "node:path";
import { areas } from "./src/areas.ts";
import type { TextFile } from "./src/i18n/texts.ts";
import { textsOf } from "./src/i18n/texts-of.ts";

export type PageSource = {
  /** Below /console/; a star for the id of a record. */
  path: string;
  /** The page's module, below `src`. */
  source: string;
  /** Names of the texts that it loads in addition to those of every page. */
  texts: readonly TextFile[];
};

/** The pages of a session: the first page, and what the areas' pages.ts list. */
export function pageSources(): PageSource[] {
  const sources = join(import.meta.dirname, "src");
  const listed = areas.flatMap((area) => {
    const text = readFileSync(join(sources, area, "pages.ts"), "utf8");
    const found = [
      ...text.matchAll(/path: "\/([^"]+)",[^{}]*?lazyPage\((?:"([^"]+)"|area),\s*\(\) => import\("\.\/([^"]+)"\)/g),
    ];
    if (found.length !== text.match(/\bpath: /g)?.length)
      throw new Error(`Pages of ${area} were not found in its pages.ts.`);
    return found.map(([, path = "", texts = area, source = ""]) => ({
      path: path.replaceAll(/\$\w+/g, "*"),
      source: `${area}/${source}`,
      texts: textsOf[texts as keyof typeof textsOf],
    }));
  });
  return [{ path: "", source: "shell/home-page.tsx", texts: textsOf.home }, ...listed];
}

/** The pages that people open first: of each area the first in the navigation, and the page that a role opens first. */
export function firstOfAreas(): PageSource[] {
  const areaOf = ({ source }: PageSource) => source.replace(/\/.*/, "");
  return pageSources().filter((page, index, all) => {
    const isFirst = all.findIndex((each) => areaOf(each) === areaOf(page)) === index;
    return isFirst || ["regulator/vouchers", "implementer/campaigns"].includes(page.path);
  });
}
