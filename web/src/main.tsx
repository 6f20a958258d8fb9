import "@mantine/core/styles.css";
import "./touch.css";
import { createRoot } from "react-dom/client";
import { App, loadFirstPage } from "./app.tsx";
import { startI18n } from "./i18n/i18n.ts";
import { watchLoadedAssets } from "./offline/loaded-assets.ts";
import { watchLostCode } from "./offline/new-version.ts";

watchLoadedAssets();
watchLostCode();
// Errors are ignored here: the page loads this code again and shows the error.
loadFirstPage().catch(() => undefined);
await startI18n();
const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the console.");
createRoot(root).render(<App />);
