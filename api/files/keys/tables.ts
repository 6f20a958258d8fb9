import { index, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/**
 * Key groups: up to 256 files of one namespace, whose keys are wrapped by one secret. The secret is stored outside the database.
 */
export const fileKeyGroups = pgTable(
  "file_key_groups",
  {
    /** ULID. */
    id: text("id").primaryKey(),
    namespace: text("namespace").notNull(),
    /** Name of the current secret, `secrets/<id>` in the blob store; a purge replaces it. */
    secretId: text("secret_id").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("file_key_groups_namespace").on(table.namespace, table.id)],
);

/** Secrets that a committed change replaced and that must still be destroyed. */
export const retiredSecrets = pgTable("file_retired_secrets", {
  secretId: text("secret_id").primaryKey(),
  retiredAt: timestamp("retired_at", { withTimezone: true }).notNull(),
});
