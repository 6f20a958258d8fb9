import { createECDH, hkdfSync } from "node:crypto";
import { callOutside, OutboundError, type OutboundRules } from "../outbound/index.ts";
import { SendError } from "./send-error.ts";

/** A browser's push subscription, as `PushSubscription.toJSON()` gives it. */
export type PushAddress = { endpoint: string; keys: { p256dh: string; auth: string } };
export type VapidKey = { publicKey: string; privateKey: string };
export type Pusher = { publicKey: string; send: (address: PushAddress, text: string) => Promise<void> };

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** How long a push service keeps a message for a device that is off, in seconds: three days. */
const KEEP_SECONDS = 3 * 24 * 60 * 60;

/** Open web push (RFC 8030) with payloads encrypted for the browser (RFC 8291). @param subject https: or mailto: URL of the operator */
export function openPusher(vapid: VapidKey, subject: string, outbound: OutboundRules): Pusher {
  return {
    publicKey: vapid.publicKey,
    async send(address, text) {
      const { default: webpush } = await import("web-push");
      const { endpoint, headers, body } = webpush.generateRequestDetails(address, text, {
        vapidDetails: { subject, ...vapid },
        TTL: KEEP_SECONDS,
        timeout: TIMEOUT_MS,
      });
      const request = {
        method: "POST",
        headers: textHeaders(headers),
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
      } as const;
      const { status } = await callOutside(endpoint, request, outbound).catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        throw new SendError(`The push service ${error.message}.`, { isFinal: false });
      });
      if (status >= 200 && status <= 299) return;
      // RFC 8030, 7.3: the subscription does not exist any more.
      const isFinal = status === 404 || status === 410;
      throw new SendError(`The push service answers ${status}.`, { isFinal });
    },
  };
}

/**
 * Derive the key pair that push services know this system by (RFC 8292), so that all its processes have the same one.
 * @param schemeKey 64 hexadecimal digits
 */
export function deriveVapidKey(schemeKey: string): VapidKey {
  const root = Buffer.from(schemeKey.replace(/^0x/, ""), "hex");
  const pair = createECDH("prime256v1");
  for (let attempt = 0; ; attempt++) {
    const bytes = Buffer.from(hkdfSync("sha256", root, "", `hearth web push ${attempt}`, 32));
    try {
      pair.setPrivateKey(bytes);
    } catch (error) {
      // About one in 2³² numbers of this length is too large for a private key; then the next one is taken.
      if (attempt < 8) continue;
      throw error;
    }
    return { publicKey: pair.getPublicKey("base64url"), privateKey: bytes.toString("base64url") };
  }
}

function textHeaders(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
