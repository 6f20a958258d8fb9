import { appendFileSync } from "node:fs";
import { Transform } from "node:stream";
import { cpuSeconds } from "./cpu-time.ts";

/** Later mocks of the clock leave this one alone. */
const { setTimeout } = globalThis;
/** What still runs after all tests of a file have ended is left behind by them. Milliseconds. */
const quietLimit = Number(process.env.HEARTH_TEST_QUIET_MS ?? 120_000);
const path = process.env.HEARTH_TEST_RECORDS ?? "/dev/null";
const write = (record) => appendFileSync(path, `${JSON.stringify(record)}\n`);

const messageOf = ({ details: { error } }) => String(error?.cause?.message ?? error?.message);

/** A failure is reported only where it occurred, not again by each suite around it. */
const isOwnFailure = ({ details }) => !details.passed && details.error?.failureType !== "subtestsFailed";

/** Tests that have begun or wait at the top of the file, and, by nesting, those that ended in the suite that is open there. */
let waiting = 0;
const ended = [];
let quiet;

function record({ type, data }) {
  const { name, nesting, file, line } = data;
  clearTimeout(quiet);
  if (type === "test:enqueue" && nesting === 0) waiting++;
  if (type === "test:dequeue") write({ event: "begins", name, nesting, file, line });
  if (type === "test:complete") write({ event: "ends", name, nesting, file, line, ...endOf(data) });
  if (type === "test:summary") write({ event: "done", cpu: cpuSeconds() });
  if (waiting === 0) quiet = setTimeout(leave, quietLimit).unref();
}

function endOf(data) {
  const { nesting, details, skip, todo } = data;
  if (nesting === 0) waiting--;
  const inside = ended[nesting + 1] ?? 0;
  ended[nesting + 1] = 0;
  ended[nesting] = (ended[nesting] ?? 0) + 1;
  const failure = isOwnFailure(data) ? messageOf(data) : undefined;
  const seconds = details.duration_ms / 1_000;
  // Of the process until now. A file's is the difference to the file before.
  const cpu = nesting === 0 ? cpuSeconds() : undefined;
  return { isSuite: details.type === "suite", inside, seconds, cpu, skip: skip ?? todo, failure };
}

/** The process would wait for ever, for a server that nobody closed. */
function leave() {
  write({ event: "left", resources: [...new Set(process.getActiveResourcesInfo())] });
  process.exit(1);
}

/**
 * A reporter of node's test runner, loaded in the process of one or more test files. It writes each event immediately to the file
 * that HEARTH_TEST_RECORDS names, so that what ran is known however the process ends: one line of JSON for each test or suite
 * that begins, one for each that ends, and one when all have.
 */
export default new Transform({
  writableObjectMode: true,
  transform(event, _encoding, done) {
    record(event);
    done();
  },
});
