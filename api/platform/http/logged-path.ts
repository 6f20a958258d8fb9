/**
 * A request's path for the log. A CID confirms a guess of its bytes, also after they are shredded; a DID or an address is a household's.
 * None of them is written down.
 */
export function loggedPath(path: string): string {
  return path
    .replace(/\/cid\/.*$/, "/cid/:cid")
    .replace(/did(:|%3A)[^/?]+/gi, ":did")
    .replace(/0x[0-9a-f]{40}/gi, ":address");
}
