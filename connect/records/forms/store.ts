import { and, eq } from "drizzle-orm";
import { BoundedCache } from "../../../api/platform/bounded-cache.ts";
import type { Database } from "../../../api/platform/db/index.ts";
import { type FormRow, odkForms } from "../tables.ts";

export type FormStore = ReturnType<typeof createFormStore>;

const keyOf = (...parts: [implementerDid: string, formId: string, version: string]) => JSON.stringify(parts);

export function createFormStore(db: Database) {
  /** Versions that are stored, so that offering a form again costs no statement. */
  const stored = new Set<string>();
  /** Forms by the same key. A version never changes. */
  const found = new BoundedCache<string, FormRow>(500);
  return {
    /** Remember a version that is offered. Repeating it changes nothing. */
    async keep(row: FormRow): Promise<void> {
      const key = keyOf(row.implementerDid, row.formId, row.version);
      if (stored.has(key)) return;
      await db.insert(odkForms).values(row).onConflictDoNothing();
      stored.add(key);
    },
    async find(implementerDid: string, formId: string, version: string): Promise<FormRow | undefined> {
      const same = [
        eq(odkForms.implementerDid, implementerDid),
        eq(odkForms.formId, formId),
        eq(odkForms.version, version),
      ];
      const read = async () => {
        const rows = await db
          .select()
          .from(odkForms)
          .where(and(...same));
        return rows[0] ?? null;
      };
      return (await found.through(keyOf(implementerDid, formId, version), read)) ?? undefined;
    },
  };
}
