import { and, asc, eq, gt } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { monitoringPlans, type PlanRow } from "./tables.ts";

export function openPlanStore(db: Database) {
  return {
    async byId(planId: string): Promise<PlanRow | null> {
      return (await db.select().from(monitoringPlans).where(eq(monitoringPlans.planId, planId)))[0] ?? null;
    },
    async byIndex(index: number): Promise<PlanRow | null> {
      return (await db.select().from(monitoringPlans).where(eq(monitoringPlans.plan, index)))[0] ?? null;
    },
    async storedIndexes(): Promise<number[]> {
      const rows = await db
        .select({ index: monitoringPlans.plan })
        .from(monitoringPlans)
        .orderBy(asc(monitoringPlans.plan));
      return rows.map(({ index }) => index);
    },
    /** At most `limit` rows after an index, in the order of registration; of one implementer if its index is given. */
    async listAfter(index: number, limit: number, implementer?: number): Promise<PlanRow[]> {
      const later = gt(monitoringPlans.plan, index);
      const own = implementer === undefined ? later : and(later, eq(monitoringPlans.implementer, implementer));
      return db.select().from(monitoringPlans).where(own).orderBy(asc(monitoringPlans.plan)).limit(limit);
    },
    async save(row: PlanRow): Promise<void> {
      await db.insert(monitoringPlans).values(row).onConflictDoNothing();
    },
  };
}
export type PlanStore = ReturnType<typeof openPlanStore>;
