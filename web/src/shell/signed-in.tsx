import { RouterProvider } from "@tanstack/react-router";
import { router } from "../routes.tsx";

/** The signed-in console, loaded separately so that the sign-in page stays small. */
export function SignedIn() {
  return <RouterProvider router={router} />;
}

/** Load the code and texts of the opened page. */
export const loadPage = () => router.load();
