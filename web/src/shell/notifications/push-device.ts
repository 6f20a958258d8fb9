import type { Schemas } from "../../../../wire/src/routes.ts";

/** Whether this browser has web push; it has it for https and for this machine's own addresses only. */
export function canPush(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

/**
 * Ask for permission, and subscribe this browser.
 * @param publicKey the system's key for push services, in base64url
 * @throws Error when the browser cannot reach its push service
 */
export async function subscribeDevice(publicKey: string): Promise<Schemas["PushAddress"] | "refused"> {
  if ((await Notification.requestPermission()) !== "granted") return "refused";
  const registration = await navigator.serviceWorker.register("/console/sw.js", { scope: "/console/" });
  await untilActive(registration);
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  const { endpoint = "", keys = {} } = subscription.toJSON();
  return { endpoint, keys: { p256dh: keys.p256dh ?? "", auth: keys.auth ?? "" } };
}

/** `navigator.serviceWorker.ready` never resolves on a page that the worker does not control, such as /console. */
function untilActive({ active, installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting;
  if (active !== null || worker === null) return Promise.resolve();
  return new Promise((resolve, reject) => {
    worker.addEventListener("statechange", () => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant") reject(new Error("The browser could not start the service worker."));
    });
  });
}
