import { isId } from "../new-id.ts";

/**
 * Return a request's path for the log, without CIDs, DIDs and addresses. A CID confirms a guess of its bytes even after a purge;
 * a DID, an address, a card or a device may be a household's, and the name of a photo or another file may name a person. Tokens of
 * unsubscribe links, ODK collectors, phone gateways and payout partners are left out too.
 */
export function loggedPath(path: string): string {
  return path
    .replace(/\/cid\/.*$/s, "/cid/:cid")
    .replace(/^(\/api\/fs\/files\/)(.*)$/s, (_, base: string, rest: string) => base + loggedFile(rest))
    .replace(/^(\/public\/)(?!cid\/)(.*)$/s, (_, base: string, rest: string) => base + loggedPublic(rest))
    .replace(/\/notifications\/end\/.*$/, "/notifications/end/:token")
    .replace(/^\/v1\/cards\/(?!lookup$)[^/]+/, "/v1/cards/:card")
    .replace(/^\/v1\/devices\/(?!import$)[^/]+/, "/v1/devices/:serial")
    .replace(/^(\/v1\/odk\/submissions\/[^/]+\/files)\/.*$/s, "$1/:name")
    .replace(/^\/phones\/key\/[^/]+/, "/phones/key/:token")
    .replace(/^\/payouts\/key\/[^/]+/, "/payouts/key/:token")
    .replace(/^\/odk\/key\/[^/]+/, "/odk/key/:token")
    .replace(/did(:|%3A)[^/?]+/gi, ":did")
    .replace(/0x[0-9a-f]{40}/gi, ":address");
}

/** What a request does with a file: the end of its path. */
const action =
  /\/(?:edit|content|read|restore|purge|hidden|public|events|versions(?:\/diff|\/prune|\/\d{1,10}\/(?:content|restore|label))?)$/;

/** A file in a path, by its id. One that is named by its path is not logged, nor what no route takes. */
function loggedFile(rest: string): string {
  const [done = ""] = action.exec(rest) ?? [];
  const file = rest.slice(0, rest.length - done.length);
  return `${isId(file) ? file : ":path"}${done}`;
}

/** A public file, by its id. */
function loggedPublic(rest: string): string {
  const [kind, id = "", ...more] = rest.split("/");
  return kind === "id" && more.length === 0 && isId(id) ? rest : ":path";
}
