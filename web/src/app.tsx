import { createTheme, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { queryClient } from "./api/query-client.ts";
import { router } from "./routes.tsx";
import { onSignOut, useSession } from "./session/session.ts";
import { SignInPage } from "./shell/sign-in-page.tsx";

const theme = createTheme({
  primaryColor: "teal",
  primaryShade: 9,
  defaultRadius: "md",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
});
onSignOut(() => queryClient.clear());

/** The whole console: what everybody may read needs no key, so looking around is a session, too. */
export function App() {
  const { key, wallet, guest } = useSession();
  const isSignedIn = key !== undefined || wallet !== undefined || guest === true;
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={contrast}>
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        {isSignedIn ? <RouterProvider router={router} /> : <SignInPage />}
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Colours that keep a contrast of 4.5 between text and ground: of greys, of tinted grounds, and of buttons under the pointer. */
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
