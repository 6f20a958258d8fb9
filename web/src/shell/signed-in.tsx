import "@mantine/notifications/styles.css";
import { Notifications } from "@mantine/notifications";
import { RouterProvider } from "@tanstack/react-router";
import { router } from "../routes.tsx";

/** Everything that a session opens; whoever signs in first does not wait for its code. */
export function SignedIn() {
  return (
    <>
      <Notifications position="bottom-right" />
      <RouterProvider router={router} />
    </>
  );
}
