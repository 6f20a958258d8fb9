import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  echoAgent,
  newTestUser,
  openTestOracle,
  type TestOracle,
  type TestUser,
} from "../../../test/support/oracle/oracle.ts";
import { newWorkers } from "../../../test/support/workers.ts";
import { AppError } from "../../platform/errors.ts";
import { startTaskTurn } from "../open-oracle.ts";
import { checkSchedule } from "./schedule.ts";
import { TaskRunner } from "./task-runner.ts";
import { TaskStore } from "./task-store.ts";

const at = (iso: string) => new Date(iso);

describe("a task's schedule", () => {
  it("comes due in its own time zone, past a change of the clocks too", () => {
    const daily = { schedule: "0 8 * * *", timezone: "Europe/Berlin" };
    assert.deepEqual(checkSchedule(daily, at("2026-10-24T12:00:00Z")), at("2026-10-25T07:00:00Z"));
    assert.deepEqual(checkSchedule(daily, at("2026-10-24T00:00:00Z")), at("2026-10-24T06:00:00Z"));
  });

  it("is refused when it is none, comes too often or is past", () => {
    const now = at("2026-07-01T00:00:00Z");
    const rules = (schedule: string, timezone = "UTC") => {
      try {
        checkSchedule({ schedule, timezone }, now);
      } catch (error) {
        return error instanceof AppError ? error.details.map(({ rule }) => rule) : error;
      }
    };
    assert.deepEqual(rules("every day"), ["schedule"]);
    assert.deepEqual(rules("0 8 * * *", "Mars/Base"), ["schedule"]);
    assert.deepEqual(rules("* * * * *"), ["schedule-interval"]);
    assert.deepEqual(rules("0,5 8 * * *"), ["schedule-interval"]);
    assert.deepEqual(rules("2026-01-01T00:00:00"), ["schedule-due"]);
    assert.equal(rules("2026-08-01T00:00:00"), undefined);
  });
});

describe("due tasks", () => {
  let oracle: TestOracle;
  let user: TestUser;
  let now = at("2026-07-01T07:59:00Z");
  const tasksOf = () => {
    const clock = { now: () => now };
    const tasks = new TaskStore({ db: oracle.core.db, clock });
    const runner = new TaskRunner({ tasks, startTurn: startTaskTurn(oracle.oracle), workers: newWorkers({ clock }) });
    runner.start();
    return { tasks, runner };
  };
  before(async () => {
    oracle = await openTestOracle(echoAgent);
    user = await newTestUser(oracle);
  });
  after(() => oracle.close());

  const said = async (sessionId: string) => {
    const answer = await user.call("GET", `/messages/${encodeURIComponent(sessionId)}`);
    const { messages } = (await answer.json()) as { messages: { type: string; content: string }[] };
    return messages.map(({ type, content }) => `${type}: ${content}`);
  };

  it("are begun once, whichever of two processes looks first, and come again at their next time", async () => {
    const sessionId = await user.session();
    const [one, two] = [tasksOf(), tasksOf()];
    const given = { user: user.did, sessionId, message: "good morning", schedule: "0 8 * * *", timezone: "UTC" };
    const { id } = await one.tasks.add(given);
    await Promise.all([one.runner.runDue(), two.runner.runDue()]);
    assert.deepEqual(await said(sessionId), []);
    now = at("2026-07-01T08:00:05Z");
    await Promise.all([one.runner.runDue(), two.runner.runDue(), one.runner.runDue()]);
    await until(async () => (await said(sessionId)).length === 2);
    assert.deepEqual(await said(sessionId), ["human: good morning", "ai: good morning"]);
    const [task] = await two.tasks.list(user.did);
    assert.deepEqual([task?.id, task?.nextAt, task?.problem], [id, at("2026-07-02T08:00:00Z"), null]);
    await one.runner.close();
    await two.runner.close();
  });

  it("are their user's alone, and end with their session", async () => {
    const { tasks, runner } = tasksOf();
    const other = await newTestUser(oracle);
    const sessionId = await user.session();
    const given = { user: user.did, sessionId, message: "x", schedule: "0 9 * * *", timezone: "UTC" };
    const { id } = await tasks.add(given);
    assert.deepEqual(await tasks.list(other.did), []);
    await assert.rejects(tasks.cancel(other.did, id), /no task/);
    await user.call("DELETE", `/sessions/${encodeURIComponent(sessionId)}`);
    now = at("2026-07-01T09:00:01Z");
    await runner.runDue();
    const ended = (await tasks.list(user.did)).find((task) => task.id === id);
    assert.equal(ended?.nextAt, null);
    assert.ok(ended?.problem);
    await runner.close();
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200 && !(await holds()); i += 1) await new Promise((resolve) => setTimeout(resolve, 20));
}
