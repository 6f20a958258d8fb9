import { sql } from "drizzle-orm";
import type { Database } from "../../api/platform/db/client.ts";

/** A row of `files` as far as finding it goes; what it holds is made up. */
export type FileRowSketch = {
  id: string;
  namespace: string;
  path: string;
  hidden?: boolean;
  public?: boolean;
  trashed?: boolean;
};

/** Put rows of files straight into the database, without content. */
export async function insertFileRows(db: Database, rows: readonly FileRowSketch[]): Promise<void> {
  const given = rows.map((row) => ({ hidden: false, public: false, trashed: false, ...row }));
  await db.execute(sql`
    insert into files (id, namespace, path, version, hidden, public, key_group, file_key, sealed_version, blob, size,
      version_key, details, cid_tag, created_at, created_by, written_at, written_by, updated_at, trashed_at)
    select id, namespace, path, 1, hidden, public, 'group', '', 1, id, 0, '', '', convert_to(id, 'UTF8'),
      now(), namespace, now(), namespace, now(), case when trashed then now() end
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (
      id text, namespace text, path text, hidden boolean, public boolean, trashed boolean)`);
}

export type FolderMark = { namespace: string; path: string; hidden?: boolean; public?: boolean };

/** Mark folders straight in the database. */
export async function insertFolderMarks(db: Database, marks: readonly FolderMark[]): Promise<void> {
  const given = marks.map((mark) => ({ hidden: false, public: false, ...mark }));
  await db.execute(sql`
    insert into folder_flags (namespace, path, hidden, public)
    select namespace, path, hidden, public
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (
      namespace text, path text, hidden boolean, public boolean)`);
}
