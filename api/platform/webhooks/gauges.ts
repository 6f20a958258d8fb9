import { sql } from "drizzle-orm";
import type { Database } from "../db/index.ts";
import type { Gauges } from "../gauges.ts";

/** Show the deliveries that receivers have not taken yet. */
export function addWebhookGauges(gauges: Gauges, db: Database): void {
  gauges.add({
    group: "webhooks",
    gauges: {
      webhook_deliveries_pending: "Webhook deliveries that have not succeeded or been given up.",
      webhook_oldest_delivery_age_seconds:
        "Age of the oldest pending webhook delivery, in seconds; 0 if there is none.",
    },
    read: async () => {
      const { rows } = await db.execute<{ pending: string; age: string }>(sql`
        select count(*) as pending, coalesce(extract(epoch from now() - min(created_at)), 0) as age
        from webhook_deliveries where status = 'pending'`);
      return {
        webhook_deliveries_pending: Number(rows[0]?.pending),
        webhook_oldest_delivery_age_seconds: Number(rows[0]?.age),
      };
    },
  });
}
