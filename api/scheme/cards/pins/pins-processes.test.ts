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

test("suppliers that act together lock the PIN for all three days, and then once a week", async () => {
  await set(3);
  const attack = () =>
    guess(
      3,
      Array.from({ length: 14 }, (_, i) => (i % 4 < 2 ? "shop" : "its friend")),
    );
  let lockedDays = 0;
  let guesses = 0;
  for (let day = 0; day < 28; day += 1) {
    guesses += (await attack()).filter((rule) => rule === "pin-correct").length;
    // The household pays elsewhere, or its team sets a new PIN: neither lets the two start again.
    const [broken] = await pins[0].check(3, right, "honest");
    if (broken !== undefined) lockedDays += 1;
    if (day === 10) await set(3);
    now += 24.1 * hourMs;
  }
  assert.ok(lockedDays <= 8, `${lockedDays} days`);
  assert.ok(guesses <= 80, `${guesses} guesses`);
});

test("a right PIN lets its caller start again", async () => {
  await set(4);
  const five = Array.from({ length: 5 }, () => "shop");
  for (const days of [1.1, 1.1, 7.1]) {
    await guess(4, five);
    now += 0.9 * days * 24 * hourMs;
    assert.deepEqual(await ruleFor(4, "shop"), ["pin-not-locked", "pin-not-locked"], `${days} days`);
    now += 0.2 * days * 24 * hourMs;
  }
  assert.deepEqual(await ruleFor(4, "shop"), [undefined, undefined]);
  await guess(4, five);
  now += 24.1 * hourMs;
  assert.deepEqual(await ruleFor(4, "shop"), [undefined, undefined]);
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
