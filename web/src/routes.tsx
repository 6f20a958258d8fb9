import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { lazyPage } from "./lazy-page.ts";
import { pages } from "./pages.ts";
import { Layout } from "./shell/layout.tsx";
import { NotFoundPage } from "./shell/not-found-page.tsx";
import { PageFailure } from "./shell/page-failure.tsx";
import { Loading } from "./show/loading.tsx";

const root = createRootRoute({ component: () => <Layout pages={pages} />, notFoundComponent: NotFoundPage });
const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyPage("home", () => import("./shell/home-page.tsx"), "HomePage"),
});
const others = pages.map(({ path, component, offline }) =>
  createRoute({ getParentRoute: () => root, path, component, staticData: { offline } }),
);

export const router = createRouter({
  routeTree: root.addChildren([home, ...others]),
  basepath: "/console",
  defaultPreload: "intent",
  defaultPendingComponent: Loading,
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
});
