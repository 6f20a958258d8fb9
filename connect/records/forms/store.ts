import { and, eq } from "drizzle-orm";
import type { Database } from "../../../api/platform/db/index.ts";
import { type FormRow, odkForms } from "../tables.ts";

export type FormStore = ReturnType<typeof createFormStore>;

export function createFormStore(db: Database) {
  /** Versions that are stored, so that offering a form again costs no statement. */
  const stored = new Set<string>();
  return {
    /** Remember a version that is offered. Repeating it changes nothing. */
    async keep(row: FormRow): Promise<void> {
      const key = JSON.stringify([row.implementerDid, row.formId, row.version]);
      if (stored.has(key)) return;
      await db.insert(odkForms).values(row).onConflictDoNothing();
      stored.add(key);
    },
    async find(implementerDid: string, formId: string, version: string): Promise<FormRow | undefined> {
      const [row] = await db
        .select()
        .from(odkForms)
        .where(
          and(eq(odkForms.implementerDid, implementerDid), eq(odkForms.formId, formId), eq(odkForms.version, version)),
        );
      return row;
    },
  };
}
