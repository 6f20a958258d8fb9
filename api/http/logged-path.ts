/** A request's path for the log. A CID confirms a guess of its bytes, also after they are shredded: it is not written down. */
export function loggedPath(path: string): string {
  return path.replace(/\/cid\/.*$/, "/cid/:cid");
}
