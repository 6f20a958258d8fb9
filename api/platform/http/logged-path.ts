/**
 * Return a request's path for the log, without CIDs, DIDs and addresses. A CID confirms a guess of its bytes even after a purge;
 * a DID, an address, a card or a device may be a household's, and the name of a photo may name a person. Tokens of unsubscribe links,
 * ODK collectors, phone gateways and payout partners are left out too.
 */
export function loggedPath(path: string): string {
  return path
    .replace(/\/cid\/.*$/, "/cid/:cid")
    .replace(/\/notifications\/end\/.*$/, "/notifications/end/:token")
    .replace(/^\/v1\/cards\/(?!lookup$)[^/]+/, "/v1/cards/:card")
    .replace(/^\/v1\/devices\/(?!import$)[^/]+/, "/v1/devices/:serial")
    .replace(/^(\/v1\/odk\/submissions\/[^/]+\/files)\/.*$/, "$1/:name")
    .replace(/^\/phones\/key\/[^/]+/, "/phones/key/:token")
    .replace(/^\/payouts\/key\/[^/]+/, "/payouts/key/:token")
    .replace(/^\/odk\/key\/[^/]+/, "/odk/key/:token")
    .replace(/did(:|%3A)[^/?]+/gi, ":did")
    .replace(/0x[0-9a-f]{40}/gi, ":address");
}
