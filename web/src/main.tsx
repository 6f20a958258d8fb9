import "@mantine/core/styles.css";
import "./touch.css";
import { createRoot } from "react-dom/client";
import { App, loadFirstPage } from "./app.tsx";
import { startI18n } from "./i18n/i18n.ts";
import { watchLoadedAssets } from "./offline/loaded-assets.ts";
import { watchLostCode } from "./offline/new-version.ts";
import { applyStyles } from "./show/apply-styles.ts";

watchLoadedAssets();
watchLostCode();
// Errors are ignored here: the page loads this code again and shows the error.
loadFirstPage().catch(() => undefined);
await Promise.all([startI18n(), applyStyles()]);
const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the console.");
createRoot(root).render(<App />);
