/**
 * Lets pages open where there is no network. It keeps the console's page and its assets (whose names hold a hash of
 * their content), and nothing of the API: what the ledger says is never answered from a cache.
 */
const cacheName = "hearth-console-1";
const page = "/console/";
const isAsset = (path) => path.startsWith("/console/assets/") || /^\/console\/[\w-]+\.svg$/.test(path);

self.addEventListener("install", (event) => {
  event.waitUntil(keep([page]).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(self.clients.claim());
});

/** The page tells which assets it uses; those of an earlier build go. */
self.addEventListener("message", (event) => {
  const { assets, port } = { assets: event.data?.assets, port: event.ports[0] };
  if (!Array.isArray(assets)) return;
  const paths = assets.filter((path) => typeof path === "string" && isAsset(path));
  event.waitUntil(
    keep([page, ...paths]).then(
      () => port?.postMessage("kept"),
      () => port?.postMessage("failed"),
    ),
  );
});

async function keep(paths) {
  const cache = await caches.open(cacheName);
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (isAsset(pathname) && paths.length > 1 && !paths.includes(pathname)) await cache.delete(request);
  }
  const known = new Set((await cache.keys()).map((request) => new URL(request.url).pathname));
  await cache.addAll(paths.filter((path) => path === page || !known.has(path)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(openPage(request));
  else if (isAsset(url.pathname)) event.respondWith(findAsset(request));
});

async function openPage(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(page);
    if (kept === undefined) throw error;
    return kept;
  }
}

async function findAsset(request) {
  return (await caches.match(request)) ?? fetch(request);
}
