import { preferredLanguage } from "../../i18n/i18n.ts";
import { loadedAssets } from "./loaded-assets.ts";

let started: Promise<boolean> | undefined;

/**
 * Keep the supplier's pages on this device, so that they open without a network. Answers whether they are kept;
 * it is not possible where the browser has no service workers (an address without https).
 */
export function keepForOffline(): Promise<boolean> {
  started ??= keep().catch(() => {
    started = undefined;
    return false;
  });
  return started;
}

async function keep(): Promise<boolean> {
  if (!("serviceWorker" in navigator)) return false;
  await navigator.serviceWorker.register("/console/sw.js", { scope: "/console/" });
  await loadPages();
  const { active } = await navigator.serviceWorker.ready;
  if (active === null) return false;
  return await new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data === "kept");
    active.postMessage({ assets: loadedAssets() }, [port2]);
  });
}

/** Everything that the pages load when it is needed, so that the browser has fetched it once. */
async function loadPages(): Promise<void> {
  const { codeReaderUrl, loadCodeReader } = await import("../scan/code-reader.ts");
  await Promise.all([
    import("../redeem/redeem-page.tsx"),
    import("../queue/queue-page.tsx"),
    import("../redemptions-page.tsx"),
    import("../claims/claim-page.tsx"),
    import("../claims/claims-page.tsx"),
    import("../../session/proof.ts"),
    loadCodeReader(),
    fetch(codeReaderUrl),
    preferredLanguage() === "fr" ? import("../../i18n/fr.ts") : import("../../i18n/en.ts"),
  ]);
}
