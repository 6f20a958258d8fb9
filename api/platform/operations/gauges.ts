import { sql } from "drizzle-orm";
import type { Database } from "../db/index.ts";
import type { Gauges } from "../gauges.ts";

/** Show the operations that have not ended. */
export function addOperationGauges(gauges: Gauges, db: Database): void {
  gauges.add({
    group: "operations",
    gauges: {
      operations_open: "Operations that are queued or running.",
      operations_oldest_age_seconds:
        "Age of the oldest open operation that is not scheduled for later, in seconds; 0 if there is none.",
    },
    read: async () => {
      const { rows } = await db.execute<{ open: string; age: string }>(sql`
        select count(*) as open,
          coalesce(extract(epoch from now() - min(created_at) filter (where waits_until is null)), 0) as age
        from operations where status in ('queued', 'running')`);
      return { operations_open: Number(rows[0]?.open), operations_oldest_age_seconds: Number(rows[0]?.age) };
    },
  });
}
