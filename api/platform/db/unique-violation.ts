/** Detect a unique violation, which both drivers report as the cause of drizzle's error. */
export function isUniqueViolation(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ((each as { code?: unknown }).code === "23505") return true;
  }
  return false;
}
