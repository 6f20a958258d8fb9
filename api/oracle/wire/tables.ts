import { bigserial, pgTable, timestamp } from "drizzle-orm/pg-core";
import { bytes } from "../../platform/db/index.ts";

/** Socket messages between processes that are too large for a notification; the socket library's own table. */
export const socketIoAttachments = pgTable("socket_io_attachments", {
  id: bigserial("id", { mode: "bigint" }).notNull().unique(),
  createdAt: timestamp("created_at", { withTimezone: true }).defaultNow(),
  payload: bytes("payload"),
});
