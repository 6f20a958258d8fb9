/**
 * Return a request's path for the log, without CIDs, DIDs and addresses. A CID confirms a guess of its bytes even after a purge;
 * a DID or an address may be a household's.
 */
export function loggedPath(path: string): string {
  return path
    .replace(/\/cid\/.*$/, "/cid/:cid")
    .replace(/did(:|%3A)[^/?]+/gi, ":did")
    .replace(/0x[0-9a-f]{40}/gi, ":address");
}
