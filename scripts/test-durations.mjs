/**
 * A reporter of node's test runner: one line of JSON for each test that failed, and for each test file that has ended one with the
 * time of its whole process and whether all passed.
 */
export default async function* testDurations(events) {
  for await (const { type, data } of events) {
    const isFile = data.nesting === 0 && data.file?.endsWith(`/${data.name}`);
    if (type === "test:fail" && !isFile && data.details.error?.failureType !== "subtestsFailed") {
      const { error } = data.details;
      yield `${JSON.stringify({ test: data.name, file: data.file, message: String(error?.cause?.message ?? error?.message) })}\n`;
    }
    if (type !== "test:complete" || !isFile) continue;
    const { duration_ms: milliseconds, passed } = data.details;
    yield `${JSON.stringify({ file: data.name, seconds: milliseconds / 1000, passed })}\n`;
  }
}
