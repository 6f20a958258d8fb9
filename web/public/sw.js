/**
 * Lets pages open where there is no network. It keeps the console's page and its assets (whose names hold a hash of
 * their content), and nothing of the API: what the ledger says is never answered from a cache.
 */
const cacheName = "hearth-console-1";
const page = "/console/";
const icon = "/console/hearth.svg";
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

/** A notification, encrypted by the server for this browser. */
self.addEventListener("push", (event) => {
  const { title, body, url, end } = event.data?.json() ?? {};
  if (typeof title !== "string") return;
  const actions = typeof end?.label === "string" ? [{ action: "end", title: end.label }] : [];
  event.waitUntil(self.registration.showNotification(title, { body, icon, actions, data: { title, url, end } }));
});

self.addEventListener("notificationclick", (event) => {
  const { action, notification } = event;
  notification.close();
  event.waitUntil(action === "end" ? endNotifications(notification.data) : openConsole(notification.data?.url));
});

/**
 * End the notifications of this browser. The message's link has a token that can do only this. What did not work can be tried again
 * on the link's page.
 */
async function endNotifications({ title, end }) {
  const { hash } = new URL(end.url);
  const answer = await fetch("/v1/notifications/end", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: hash.slice(hash.indexOf("=") + 1) }),
  }).catch(() => undefined);
  if (answer?.ok !== true) return await self.clients.openWindow(`${page}notifications${hash}`);
  await self.registration.showNotification(title, { body: end.done, icon });
  const subscription = await self.registration.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

/** Show a page of the console in an open window, or in a new one. */
async function openConsole(address) {
  const url = new URL(address ?? page, self.location.origin);
  // The server may be known by several addresses: keep to the one of this browser.
  const target = `${self.location.origin}${url.pathname.startsWith(page) ? url.pathname : page}`;
  const [open] = await self.clients.matchAll({ type: "window" });
  if (open === undefined) return await self.clients.openWindow(target);
  await open.navigate(target);
  return await open.focus();
}
