import { loadMenus } from "../show/lazy-menu.tsx";
import { loadedAssets } from "./loaded-assets.ts";

let started: Promise<boolean> | undefined;

/**
 * Cache everything that `load` loads and that the console needs to start, so that the pages open without a network.
 * Returns whether it is cached: browsers have no service workers for an address without https.
 */
export function keepForOffline(load: () => Promise<unknown>): Promise<boolean> {
  started ??= keep(load).catch(() => {
    started = undefined;
    return false;
  });
  return started;
}

async function keep(load: () => Promise<unknown>): Promise<boolean> {
  if (!("serviceWorker" in navigator)) return false;
  await navigator.serviceWorker.register("/console/sw.js", { scope: "/console/" });
  await Promise.all([load(), import("../session/proof.ts"), loadMenus()]);
  const { active } = await navigator.serviceWorker.ready;
  if (active === null) return false;
  return await new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data === "kept");
    active.postMessage({ assets: loadedAssets() }, [port2]);
  });
}
