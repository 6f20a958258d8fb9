export { type Audit, createAudit } from "./audit.ts";
export type { AuditResult, AuditRow } from "./store.ts";
export { subjectOf } from "./subject.ts";
