import { queryClient } from "../../api/query-client.ts";
import type { Identity } from "../../identity/identity-store.ts";
import { FileStore } from "../file-store.ts";
import { type LinkRecord, linkRecord } from "./share-link.ts";

/** Folder of the namespace, hidden by its dot, with a record of each link, so that every device of its owner can list and revoke them. */
const folder = "/.shared-links";

export type StoredLink = LinkRecord & { fileId: string };

/** Store a link's record. It is stored before the link is shown: a link that nobody can list cannot be revoked. */
export async function storeLink({ key }: Identity, record: LinkRecord): Promise<void> {
  const store = new FileStore(key, true);
  await store.createText(`${folder}/${record.cid}.json`, JSON.stringify(record), "application/json");
}

/** The links that are not revoked, newest first; expired ones too. */
export async function listLinks({ key }: Identity): Promise<StoredLink[]> {
  const store = new FileStore(key, true);
  const links: StoredLink[] = [];
  for (let cursor: string | undefined, isOver = false; !isOver; ) {
    const page = await store.below(folder, cursor);
    for (const file of page.items) {
      const read = linkRecord.safeParse(await (await store.content(file.id)).json());
      if (read.success) links.push({ ...read.data, fileId: file.id });
    }
    cursor = page.nextCursor ?? undefined;
    isOver = cursor === undefined;
  }
  return links.sort((a, b) => b.madeAt - a.madeAt);
}

/** Make a link stop working everywhere, and remove it from the list. */
export async function revokeLink({ key }: Identity, { cid, token, fileId }: StoredLink): Promise<void> {
  const store = new FileStore(key, true);
  await store.revoke(cid, token);
  await store.trash(fileId);
  await queryClient.invalidateQueries({ queryKey: ["files"] });
}
