import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startPostgres, type TestPostgres } from "../../../../test/support/postgres.ts";
import { openDatabase } from "../../../platform/db/client.ts";
import { sealingKeysOf } from "../../../platform/secret-box.ts";
import { Pins } from "./pins.ts";

const right = "735914";
const hourMs = 3_600_000;
let postgres: TestPostgres;
let open: Awaited<ReturnType<typeof openDatabase>>[];
let now = Date.now();
/** The PINs of two API processes on one database, with separate connections. */
let pins: [Pins, Pins];

before(async () => {
  postgres = await startPostgres();
  const databaseUrl = await postgres.createDatabase();
  open = [await openDatabase({ dataDir: "", databaseUrl }), await openDatabase({ dataDir: "", databaseUrl })];
  const clock = { now: () => new Date(now) };
  const [one, two] = open.map(({ db }) => new Pins({ db, clock, sealingKeys: sealingKeysOf("00".repeat(32)) }));
  assert.ok(one && two);
  pins = [one, two];
});
after(async () => {
  for (const { close } of open ?? []) await close();
  await postgres?.stop();
});

const set = async (household: number) =>
  open[0]?.db.transaction(await pins[0].newPin(household, right, { reason: null, role: "admin", caller: "test" }));

/** Guess several times together, each time in the other process, and list the rules that were broken. */
async function guess(household: number, callers: readonly string[]): Promise<string[]> {
  const tries = callers.map((caller, i) => pins[i % 2 === 0 ? 0 : 1].check(household, `90${100 + i}`, caller));
  return (await Promise.all(tries)).flat().map(({ rule }) => rule);
}
const ruleFor = async (household: number, caller: string) =>
  (await Promise.all(pins.map((each) => each.check(household, right, caller)))).map(([broken]) => broken?.rule);

test("five wrong tries lock the PIN in both processes, also when they come together", async () => {
  await set(1);
  const rules = await guess(
    1,
    Array.from({ length: 12 }, () => "shop"),
  );
  assert.equal(rules.filter((rule) => rule === "pin-correct").length, 5, rules.join(" "));
  assert.equal(rules.filter((rule) => rule === "pin-not-locked").length, 7, rules.join(" "));
  assert.deepEqual(await ruleFor(1, "shop"), ["pin-not-locked", "pin-not-locked"]);
  assert.deepEqual(await ruleFor(1, "another shop"), [undefined, undefined]);
});

test("two suppliers together lock the PIN for all for a day from the tenth try", async () => {
  await set(2);
  const rules = await guess(
    2,
    Array.from({ length: 14 }, (_, i) => (i % 4 < 2 ? "shop" : "its friend")),
  );
  assert.equal(rules.filter((rule) => rule === "pin-correct").length, 10, rules.join(" "));
  assert.deepEqual(await ruleFor(2, "honest"), ["pin-not-locked", "pin-not-locked"]);
  // Tries while it is locked make the lock no longer.
  now += 23 * hourMs;
  assert.deepEqual(new Set(await guess(2, ["shop", "its friend", "shop"])), new Set(["pin-not-locked"]));
  now += 1.1 * hourMs;
  assert.deepEqual(await ruleFor(2, "honest"), [undefined, undefined]);
});
