import { brokenPathRules } from "./paths.ts";

const maxDidLength = 1024;

/** A DID without path, query or fragment, as namespaces and issuers are named. */
export function isDid(text: string): boolean {
  return text.length <= maxDidLength && /^did:[a-z0-9]+:(?:[A-Za-z0-9._%-]*:)*[A-Za-z0-9._%-]+$/.test(text);
}

/** The resource of a namespace, or of a folder or file in it: `vfs://<owner>[/<path>]`, percent-encoded. */
export function formatResource(owner: string, path = "/"): `vfs://${string}` {
  const encoded = path === "/" ? "" : path.split("/").map(encodeURIComponent).join("/");
  return `vfs://${encodeURIComponent(owner)}${encoded}`;
}

export type Resource = { owner: string; path: string };

/** True for resources of file stores; others in a token are other services' and give nothing here. */
export function isVfs(resource: string): boolean {
  return /^vfs:/i.test(resource);
}

/** Take a resource apart: percent-decoded once, its path in NFC. Undefined when it is none. */
export function parseResource(resource: string): Resource | undefined {
  const [, host, rest] = /^vfs:\/\/([^/?#]+)(\/[^?#]*)?$/.exec(resource) ?? [];
  if (host === undefined) return undefined;
  try {
    const owner = decodeURIComponent(host);
    const path = decodeURIComponent(rest ?? "/").normalize("NFC");
    return isDid(owner) && brokenPathRules(path).length === 0 ? { owner, path } : undefined;
  } catch {
    return undefined;
  }
}
