import { and, desc, eq, gte, ilike, lt, or, type SQL } from "drizzle-orm";
import { type Database, together } from "../db/index.ts";
import { auditEntries } from "./tables.ts";

export type AuditEntry = Omit<typeof auditEntries.$inferSelect, "number">;
export type AuditRow = typeof auditEntries.$inferSelect;
export type AuditFilter = {
  keyId?: string | undefined;
  role?: string | undefined;
  /** Part of the summary or the subject. */
  text?: string | undefined;
  result?: AuditResult | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
};
/** done: below 400; refused: below 500; failed: the rest. */
export type AuditResult = "done" | "refused" | "failed";

export type AuditStore = ReturnType<typeof createAuditStore>;

/** Create the store of the audit. Entries of the same moment share a statement. */
export function createAuditStore(db: Database) {
  const insert = together(async (entries: readonly AuditEntry[]) => {
    await db.insert(auditEntries).values([...entries]);
    return entries.map(() => undefined);
  });
  return {
    /** Store an entry. It is durable when the promise resolves. */
    insert: (entry: AuditEntry): Promise<undefined> => insert(entry),
    /** List entries, newest first, before the given number: one more than `limit`, to show whether a page follows. */
    list(filter: AuditFilter, limit: number, before?: number): Promise<AuditRow[]> {
      const where = [...conditions(filter), ...(before === undefined ? [] : [lt(auditEntries.number, before)])];
      const found = db
        .select()
        .from(auditEntries)
        .where(and(...where));
      return found.orderBy(desc(auditEntries.number)).limit(limit + 1);
    },
  };
}

function conditions({ keyId, role, text, result, from, until }: AuditFilter): SQL[] {
  const found: (SQL | undefined)[] = [];
  if (keyId !== undefined) found.push(eq(auditEntries.keyId, keyId));
  if (role !== undefined) found.push(eq(auditEntries.role, role));
  if (text !== undefined) found.push(containing(text));
  if (result !== undefined) found.push(statusOf(result));
  if (from !== undefined) found.push(gte(auditEntries.at, from));
  if (until !== undefined) found.push(lt(auditEntries.at, until));
  return found.filter((each) => each !== undefined);
}

function containing(text: string): SQL | undefined {
  const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  return or(ilike(auditEntries.summary, pattern), ilike(auditEntries.subject, pattern));
}

function statusOf(result: AuditResult): SQL | undefined {
  if (result === "done") return lt(auditEntries.status, 400);
  if (result === "failed") return gte(auditEntries.status, 500);
  return and(gte(auditEntries.status, 400), lt(auditEntries.status, 500));
}
