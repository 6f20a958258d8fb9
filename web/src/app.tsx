import { createTheme, DirectionProvider, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { type JSX, type LazyExoticComponent, lazy, type ReactNode } from "react";
import { queryClient } from "./api/query-client.ts";
import { withTexts } from "./i18n/with-texts.ts";
import { onBegin, onEnd, onSignOut, type Session, session, useSession } from "./session/session.ts";
import { WhenLoaded } from "./show/when-loaded.tsx";

// Two entry points that do not load each other's code.
const loadSignedIn = async () => {
  const { SignedIn, loadPage } = await import("./shell/signed-in.tsx");
  return { default: SignedIn, loadPage };
};
const SignedIn = lazy(loadSignedIn);
const loadSignIn = async () => {
  const page = { default: (await import("./shell/sign-in-page.tsx")).SignInPage };
  // Someone who begins to sign in needs the other one next. An error is ignored here: it is loaded again when it is shown.
  const loadNext = () => void loadSignedIn().catch(() => undefined);
  for (const event of ["pointerdown", "keydown"]) window.addEventListener(event, loadNext, { once: true });
  return page;
};
const SignInPage = lazy(loadSignIn);
/** Pages of links that people are sent. They are shown with and without a session. */
const linkPages: Record<string, LazyExoticComponent<() => JSX.Element>> = {
  "/console/join": lazy(async () => ({ default: (await import("./shell/join-page.tsx")).JoinPage })),
  "/console/shared": lazy(async () => ({
    default: (await withTexts("files", () => import("./files/shared-page.tsx"))).SharedPage,
  })),
  "/console/notifications": lazy(async () => ({
    default: (await import("./shell/notifications/notification-link-page.tsx")).NotificationLinkPage,
  })),
};
const linkPage = () => linkPages[window.location.pathname];
/** What loadFirstPage has loaded: it is shown without an empty page in between. */
const loaded: { signedIn?: () => JSX.Element; signIn?: () => JSX.Element } = {};
const isBegun = ({ key, guest }: Session) => key !== undefined || guest === true;

/** Load the code of what `App` shows first, in parallel with `texts`, those of every page. Call it before `App` is rendered. */
export async function loadFirstPage(texts: Promise<void>): Promise<void> {
  if (linkPage() !== undefined) return;
  if (isBegun(session())) {
    const [{ default: signedIn, loadPage }] = await Promise.all([loadSignedIn(), texts]);
    // Until it is loaded, the page stays as the browser showed it first (web/early.ts).
    await loadPage();
    loaded.signedIn = signedIn;
  } else loaded.signIn = (await loadSignIn()).default;
}

const theme = createTheme({
  primaryColor: "teal",
  primaryShade: 9,
  defaultRadius: "md",
  respectReducedMotion: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  // Badges are never cut off, also in a narrow table.
  components: { Badge: { styles: { root: { minWidth: "max-content" } } } },
});
onSignOut(() => queryClient.clear());
onBegin(() => queryClient.clear());
onEnd(async (key) => {
  if (key.proof === undefined) return;
  const { endOnServer } = await import("./session/end-on-server.ts");
  await endOnServer(key);
});

/** What every page is in: styles, and the cache of requests. */
export function ConsoleFrame({ children }: { children: ReactNode }) {
  return (
    <DirectionProvider>
      <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={contrast}>
        <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  );
}

/** The console. Public data needs no key, so a guest also has a session. */
export function App() {
  const isSignedIn = isBegun(useSession());
  const { signedIn: First = SignedIn, signIn: FirstSignIn = SignInPage } = loaded;
  const LinkPage = linkPage();
  return (
    <ConsoleFrame>
      <WhenLoaded>{LinkPage ? <LinkPage /> : isSignedIn ? <First /> : <FirstSignIn />}</WhenLoaded>
    </ConsoleFrame>
  );
}

/** Raise the contrast between text and background to at least 4.5: greys, tinted backgrounds, hovered buttons. */
const contrast = () => ({
  variables: {},
  light: {
    "--mantine-color-anchor": "#06694b",
    "--mantine-color-dimmed": "#5c636a",
    "--mantine-color-placeholder": "#6b7280",
    "--mantine-color-error": "#b42318",
    "--mantine-color-teal-filled-hover": "#066649",
    "--mantine-color-teal-light-color": "#05553d",
    "--mantine-color-red-light-color": "#8f1d1d",
    "--mantine-color-orange-light-color": "#8a3206",
    "--mantine-color-yellow-light-color": "#6b4100",
    "--mantine-color-blue-light-color": "#134d8a",
  },
  dark: {
    "--mantine-color-dimmed": "#a6a7ab",
    "--mantine-color-placeholder": "#9a9ca1",
    "--mantine-color-error": "#ff8787",
    "--mantine-color-teal-filled": "#087f5b",
    "--mantine-color-teal-filled-hover": "#066649",
    "--mantine-color-teal-light-color": "#63e6be",
    "--mantine-color-red-light-color": "#ffc9c9",
  },
});
