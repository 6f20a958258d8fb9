import { createTheme, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { queryClient } from "./api/query-client.ts";
import { onBegin, onEnd, onSignOut, type Session, session, useSession } from "./session/session.ts";
import { Loading } from "./show/loading.tsx";

// Two entry points that do not load each other's code.
const loadSignedIn = async () => ({ default: (await import("./shell/signed-in.tsx")).SignedIn });
const SignedIn = lazy(loadSignedIn);
const loadSignIn = async () => ({ default: (await import("./shell/sign-in-page.tsx")).SignInPage });
const SignInPage = lazy(async () => {
  const page = await loadSignIn();
  // After signing in, the user needs the other one next.
  window.setTimeout(loadSignedIn, 1_000);
  return page;
});
const isBegun = ({ key, guest }: Session) => key !== undefined || guest === true;

/** Load the code of what `App` shows first, in parallel with other requests. */
export async function loadFirstPage(): Promise<void> {
  await (isBegun(session()) ? loadSignedIn() : loadSignIn());
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

/** The console. Public data needs no key, so a guest also has a session. */
export function App() {
  const isSignedIn = isBegun(useSession());
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={contrast}>
      <QueryClientProvider client={queryClient}>
        <Suspense fallback={<Loading />}>{isSignedIn ? <SignedIn /> : <SignInPage />}</Suspense>
      </QueryClientProvider>
    </MantineProvider>
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
