import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import i18next from "i18next";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { queryClient } from "./api/query-client.ts";
import { ConsoleFrame } from "./app.tsx";
import type { Area } from "./areas.ts";
import { showLanguage, startI18n } from "./i18n/i18n.ts";
import { type Language, languages } from "./i18n/languages.ts";
import { lazyPage } from "./lazy-page.ts";
import { pages } from "./pages.ts";
import { begin, type Role, type Session } from "./session/session.ts";
import { Layout } from "./shell/layout.tsx";
import { areasOf } from "./shell/navigation.tsx";
import { SignInPage } from "./shell/sign-in-page.tsx";
import { Loading } from "./show/loading.tsx";

// The console's pages as HTML, for a browser to show before it has any script. The build loads this module (web/first-paint.ts),
// in Node; the console never does.

/** For whom a page is shown: a role, or nobody. */
export type Reader = Role | "guest";
const roles: readonly Role[] = ["admin", "implementer", "supplier", "evaluator", "regulator", "integrator"];
const readers: readonly Reader[] = ["guest", ...roles];
/** With it, a page does not ask for whom its reader acts. */
const did = "did:example:self";

/** What a browser shows first in one language. */
export type FirstTexts = {
  signIn: string;
  /** The header and the navigation with all areas; `<main>` is empty. */
  frame: string;
  /** What the button of the account menu says, by role and by the standing of a wallet. */
  accounts: { role: Record<string, string>; standing: Record<string, string> };
  /** Each page while it waits for its records: its path, and the HTML for these readers. */
  pages: Record<string, { readers: Reader[]; html: string }[]>;
};

/** Render the sign-in page, the frame of all other pages, and what is in it on each; with the areas of each reader, in their order. */
export async function renderAll(): Promise<{ texts: Record<Language, FirstTexts>; areas: Record<Reader, Area[]> }> {
  const areas = Object.fromEntries(readers.map((reader) => [reader, areasOf(sessionOf(reader))]));
  await startI18n();
  const rendered: Partial<Record<Language, FirstTexts>> = {};
  for (const language of languages) {
    await showLanguage(language);
    const signIn = render(<SignInPage />);
    begin(sessionOf("admin"), false);
    const frame = await renderRoute("/", () => <Layout pages={pages} />);
    const shell = i18next.getResource(language, "translation", "shell") as FirstTexts["accounts"];
    rendered[language] = {
      signIn,
      frame: frame.replace(/(<main[^>]*>).*(<\/main>)/s, "$1$2"),
      accounts: { role: shell.role, standing: shell.standing },
      pages: await renderPages(),
    };
  }
  // Its timers would let the build wait for minutes.
  queryClient.clear();
  return { texts: rendered as Record<Language, FirstTexts>, areas: areas as Record<Reader, Area[]> };
}

function sessionOf(reader: Reader): Session {
  if (reader === "guest") return { guest: true };
  const holder = { id: "", role: reader, supplierDid: null, implementerDid: null };
  const own = { ...holder, [`${reader}Did`]: did };
  return { key: { token: "", holder: own as unknown as NonNullable<Session["key"]>["holder"] } };
}

const render = (content: ReactNode) => renderToStaticMarkup(<ConsoleFrame>{content}</ConsoleFrame>);

const home = { path: "/", component: lazyPage("home", () => import("./shell/home-page.tsx"), "HomePage") };

async function renderPages(): Promise<FirstTexts["pages"]> {
  const found: FirstTexts["pages"] = {};
  for (const reader of readers) {
    begin(sessionOf(reader), false);
    for (const { path } of [home, ...pages]) {
      // What a page of one record says depends on the record.
      const html = path.includes("$") ? render(<Loading />) : (await renderRoute(path)).replaceAll(did, "…");
      const name = path.replaceAll(/\$\w+/g, "*");
      const variants = found[name] ?? [];
      found[name] = variants;
      const same = variants.find((each) => each.html === html);
      if (same) same.readers.push(reader);
      else variants.push({ readers: [reader], html });
    }
  }
  return found;
}

async function renderRoute(path: string, component?: () => ReactNode): Promise<string> {
  const root = createRootRoute(component && { component });
  const routes = component
    ? []
    : [home, ...pages]
        .filter((page) => page.path === path)
        .map((page) => createRoute({ getParentRoute: () => root, path, component: page.component }));
  const router = createRouter({
    routeTree: root.addChildren(routes),
    basepath: "/console",
    history: createMemoryHistory({ initialEntries: [`/console${path}`] }),
  });
  await router.load();
  return render(<RouterProvider router={router} />);
}
