/** A reporter of node's test runner: one line of JSON for each test file that has ended, with the time of its whole process. */
export default async function* testDurations(events) {
  for await (const { type, data } of events) {
    const isFile = type === "test:complete" && data.nesting === 0 && data.file?.endsWith(`/${data.name}`);
    if (isFile) yield `${JSON.stringify({ file: data.name, seconds: data.details.duration_ms / 1000 })}\n`;
  }
}
