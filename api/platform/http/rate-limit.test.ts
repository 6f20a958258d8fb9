import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type pg from "pg";
import { openTestCore } from "../../../test/support/core.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { PostgresPool } from "../db/index.ts";
import { createRateLimiter } from "./rate-limit.ts";

let postgres: TestPostgres;
let one: pg.Pool;
let two: pg.Pool;
before(async () => {
  postgres = await startPostgres();
  const url = await postgres.createDatabase();
  // Creates the tables.
  await (await openTestCore({ DATABASE_URL: url })).close();
  one = new PostgresPool({ connectionString: url }, undefined);
  two = new PostgresPool({ connectionString: url }, undefined);
});
after(async () => {
  await one?.end();
  await two?.end();
  await postgres?.stop();
});

/** The pool of a process, with the number of its statements. */
function counted(pool: pg.Pool) {
  const watched = { statements: 0, pool: Object.create(pool) as pg.Pool };
  watched.pool.query = ((...given: Parameters<pg.Pool["query"]>) => {
    watched.statements += 1;
    return pool.query(...given);
  }) as pg.Pool["query"];
  return watched;
}

test("gives requests of the same moment, in two processes, one place each in the subject's count", async () => {
  const processes = [counted(one), counted(two)];
  const limiters = processes.map(({ pool }) => createRateLimiter(pool));
  const ask = () => limiters.flatMap((limiter) => Array.from({ length: 40 }, () => limiter.consume("together", 50)));
  const answers = await Promise.all(ask());
  const allowed = answers.filter((answer) => answer.allowed);
  assert.equal(allowed.length, 50);
  const remaining = allowed.map((answer) => answer.remaining).sort((a, b) => a - b);
  assert.deepEqual(
    remaining,
    Array.from({ length: 50 }, (_, at) => at),
  );
  assert.ok(answers.every(({ resetSeconds }) => resetSeconds > 55 && resetSeconds <= 60));
  assert.ok(processes.every(({ statements }) => statements <= 2));
});

test("counts subjects apart, and begins again when a subject's minute is over", async () => {
  const limiter = createRateLimiter(one);
  const ask = () => Promise.all(["a", "b", "a", "a"].map((subject) => limiter.consume(subject, 10)));
  const places = async () => (await ask()).map(({ remaining }) => remaining);
  assert.deepEqual(await places(), [9, 9, 8, 7]);
  await one.query("update rate_limits set expire = 0 where key = 'rpm10:a'");
  assert.deepEqual(await places(), [9, 8, 8, 7]);
});

for (const [where, open] of [
  ["PostgreSQL", () => createRateLimiter(one)],
  ["this process", () => createRateLimiter()],
] as const) {
  test(`counts a subject's hour in addition to its minute, in ${where}`, async () => {
    const limiter = open();
    const [hour, short] = await Promise.all([limiter.consume("long", 2, 3_600), limiter.consume("long", 2)]);
    assert.ok(hour.resetSeconds > 3_590 && hour.resetSeconds <= 3_600, String(hour.resetSeconds));
    assert.ok(short.resetSeconds <= 60, String(short.resetSeconds));
    const places = [await limiter.consume("long", 2, 3_600), await limiter.consume("long", 2, 3_600)];
    assert.deepEqual(
      places.map(({ allowed }) => allowed),
      [true, false],
    );
  });
}

test("fails only the request whose subject cannot be stored", async () => {
  const limiter = createRateLimiter(one);
  const subjects = ["good", "x".repeat(300), "nul \0", "good"];
  const answers = await Promise.allSettled(subjects.map((subject) => limiter.consume(subject, 10)));
  const [first, long, forbidden, last] = answers.map((answer) =>
    answer.status === "fulfilled" ? answer.value.remaining : "failed",
  );
  assert.deepEqual([long, forbidden], ["failed", "failed"]);
  assert.deepEqual(new Set([first, last]), new Set([8, 9]));
});
