import { beforeEach, expect, it } from "vitest";
import { HearthError } from "../../../wire/src/errors.ts";
import { beginOnce } from "./attempt.ts";

beforeEach(() => sessionStorage.clear());

/** Sends, is answered with what is given, and tells the key that it was sent under. */
async function keyOf(what: string, answer: unknown = "begun"): Promise<string> {
  let used = "";
  const sent = beginOnce("import", what, async (key) => {
    used = key;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  if (answer instanceof Error) await expect(sent).rejects.toBe(answer);
  else expect(await sent).toBe(answer);
  return used;
}
const error = (status: number, code: string) => new HearthError({ status, code, message: "" });

it("sends the same under one key while a lost answer, a failing server or a first attempt that still runs leave it open", async () => {
  const key = await keyOf("families.csv", error(0, "OFFLINE"));
  expect(key).toMatch(/^import-[0-9a-f]{32}$/);
  const open = [error(503, "UNAVAILABLE"), error(409, "IDEMPOTENCY_IN_PROGRESS"), new TypeError()];
  for (const answer of open) expect(await keyOf("families.csv", answer)).toBe(key);
  expect(await keyOf("families.csv")).toBe(key);
});

it("sends something else, and the same after the server has judged it, under another key", async () => {
  const keys = [
    await keyOf("families.csv", error(0, "OFFLINE")),
    await keyOf("others.csv", error(400, "INVALID_INPUT")),
    await keyOf("others.csv", error(413, "TOO_LARGE")),
    await keyOf("others.csv"),
    await keyOf("others.csv"),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});
