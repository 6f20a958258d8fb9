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
const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the console.");
// An error is ignored here: the page loads this code again and shows the error.
const texts = startI18n();
const firstPage = loadFirstPage(texts).catch(() => undefined);
await Promise.all([texts, applyStyles()]);
// Not awaited here: the first page's files import from this one, and wait for it.
void firstPage.then(() => {
  // Until now, the page showed what was made at build time (web/first-paint.ts), where nothing worked.
  root.inert = false;
  createRoot(root).render(<App />);
});
