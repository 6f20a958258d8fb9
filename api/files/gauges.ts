import { sql } from "drizzle-orm";
import type { Database } from "../platform/db/index.ts";
import type { Gauges } from "../platform/gauges.ts";

/** Show how much the file store holds. @param limit of the whole store, in bytes */
export function addFileGauges(gauges: Gauges, db: Database, limit: number | undefined): void {
  gauges.add({
    group: "files",
    gauges: {
      files_stored_bytes: "Bytes of all versions of all files, uploads in progress included.",
      files_limit_bytes: "STORE_LIMIT_BYTES, where it is set.",
    },
    read: async () => {
      const { rows } = await db.execute<{ held: string }>(
        sql`select coalesce(sum(bytes + reserved), 0) as held from namespaces`,
      );
      return {
        files_stored_bytes: Number(rows[0]?.held),
        ...(limit === undefined ? {} : { files_limit_bytes: limit }),
      };
    },
  });
}
