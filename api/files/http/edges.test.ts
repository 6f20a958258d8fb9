import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestHttp, type TestHttp } from "./testing.ts";

let http: TestHttp;
before(async () => {
  http = await openTestHttp();
});
after(() => http.close());

test("takes 1000 moves to paths of 1024 characters in one batch", async () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({
    id: "01KAZ5T6Q4M7R8S9T0V1W2X3Y4",
    destinationPath: `/${String(index).padStart(4, "0")}${"😀".repeat(1019)}`,
  }));
  const answer = await http.fs("POST", "/batch/move", { body: JSON.stringify({ items }) });
  const { failed, results } = await answer.json();
  assert.equal(failed, 1000);
  assert.equal(results[0].code, "NOT_FOUND");
});

test("refuses a path whose escapes are no UTF-8", async () => {
  const answer = await http.fs("POST", "/files?path=/a%FF", { body: "x" });
  assert.equal(answer.status, 400);
  assert.equal((await answer.json()).details[0].rule, "percent-encoding");
});
