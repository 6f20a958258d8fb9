import type { Server } from "node:http";

/** Scripts come from this server alone, none is inline; styles are set by components, so those may be. */
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

/** What every page of this server carries: the console and the API reference. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "permissions-policy": "camera=(self), microphone=(self), display-capture=(self), geolocation=()",
  "cross-origin-opener-policy": "same-origin",
};

/** What every other answer carries: it is data, which no browser shall take for a page, run, frame or tell others of. */
const dataHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Have each answer of a server carry security headers, whoever writes it; a route's own replace them. */
export function carrySecurityHeaders(server: Server): void {
  server.prependListener("request", (_request, response) => {
    for (const [name, value] of Object.entries(dataHeaders)) response.setHeader(name, value);
  });
}
