import { beforeEach, expect, it } from "vitest";
import { HearthError } from "../../../wire/src/errors.ts";
import { sendOnce } from "./attempt.ts";

beforeEach(() => sessionStorage.clear());

/** Send a request, let the server answer as given, and return the Idempotency-Key that was sent. */
async function keyOf(what: string, answer: unknown = "begun"): Promise<string> {
  let used = "";
  const sent = sendOnce("import", what, async (key) => {
    used = key;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  if (answer instanceof Error) await expect(sent).rejects.toBe(answer);
  else expect(await sent).toBe(answer);
  return used;
}
const error = (status: number, code: string) => new HearthError({ status, code, message: "" });

it("repeats the request with the same key after a lost answer, a server error, or while the first attempt still runs", async () => {
  const key = await keyOf("families.csv", error(0, "OFFLINE"));
  expect(key).toMatch(/^import-[0-9a-f]{32}$/);
  const open = [error(503, "UNAVAILABLE"), error(409, "IDEMPOTENCY_IN_PROGRESS"), new TypeError()];
  for (const answer of open) expect(await keyOf("families.csv", answer)).toBe(key);
  expect(await keyOf("families.csv")).toBe(key);
});

it("uses another key for another request, and for the same request after the server has decided", async () => {
  const keys = [
    await keyOf("families.csv", error(0, "OFFLINE")),
    await keyOf("others.csv", error(400, "INVALID_INPUT")),
    await keyOf("others.csv", error(413, "TOO_LARGE")),
    await keyOf("others.csv"),
    await keyOf("others.csv"),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});
