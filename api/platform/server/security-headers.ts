import type { Server } from "node:http";

/** Scripts only from this server. Inline styles are allowed, because components set them. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "frame-src 'none'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The policy of a page that contains scripts: `hashes` of these scripts and of no others (SHA-256, base64). */
export function policyWith(hashes: readonly string[]): string {
  const allowed = ["script-src 'self'", ...hashes.map((hash) => `'sha256-${hash}'`)];
  return policy.replace("script-src 'self'", allowed.join(" "));
}

/** Headers of every page: the console and the API reference. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "permissions-policy": "camera=(self), microphone=(self), display-capture=(self), geolocation=(self)",
  "cross-origin-opener-policy": "same-origin",
};

/**
 * Headers of a script or a style sheet that a page loads. The page's own policy applies to these, so they carry none: it would be a
 * third of a small script. The script of a worker carries it, because a worker has the policy that comes with its script.
 */
export const assetHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
};

/** Headers of every other response: it is data, which a browser must not show as a page, run, frame, or send as a referrer. */
const dataHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Add security headers to every response of a server. A route can replace them. */
export function carrySecurityHeaders(server: Server): void {
  server.prependListener("request", (_request, response) => {
    for (const [name, value] of Object.entries(dataHeaders)) response.setHeader(name, value);
  });
}
