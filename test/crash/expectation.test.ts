import assert from "node:assert/strict";
import { test } from "node:test";
import { Expectation } from "./expectation.ts";
import { type Content, type FileState, type FoundState, hashOf, type Op } from "./model.ts";

const owner = "did:key:zAlice";
const content = (head: string): Content => ({ head, fill: "fill", size: 10 });
const file = (...heads: string[]): FileState => ({
  id: "01A",
  path: "/one/a",
  trashed: false,
  versions: heads.map((head, i) => ({ version: i + 1, content: content(head) })),
});
const found = ({ versions, ...rest }: FileState): FoundState => ({
  ...rest,
  owner,
  versions: versions.map(({ version, content: each }) => [version, hashOf(each)]),
});
const put: Op = { kind: "put", id: "01A", content: content("b") };

function begun(op: Op = put, before = file("a")): Expectation {
  const expectation = new Expectation([{ owner, folder: "/one", files: [before] }]);
  expectation.begin(0, op);
  return expectation;
}

test("accepts an interrupted write that was done, or was not", () => {
  assert.deepEqual(begun().settle([found(file("a"))]), { cutOff: 1, doneThough: 0 });
  const done = begun();
  assert.deepEqual(done.settle([found(file("a", "b"))]), { cutOff: 1, doneThough: 1 });
  assert.deepEqual(done.settle([found(file("a", "b"))]), { cutOff: 0, doneThough: 0 });
});

test("notices an acknowledged write that is lost", () => {
  const expectation = begun();
  expectation.done(0, undefined);
  assert.throws(() => expectation.settle([found(file("a"))]), /lost an acknowledged write/);
  assert.throws(() => begun({ kind: "purge", ids: ["01A"] }, file("a", "b")).settle([found(file("b"))]), /neither/);
});

test("notices what is half done, wrongly numbered, or written by nobody", () => {
  assert.throws(() => begun().settle([found(file("b"))]), /neither as before nor as after/);
  assert.throws(() => begun().settle([found({ ...file("a"), path: "/one/b" })]), /neither as before nor as after/);
  assert.throws(() => begun().settle([]), /neither as before nor as after/);
  const stranger = { ...found(file("a")), id: "01B", path: "/elsewhere/a" };
  assert.throws(() => begun().settle([found(file("a")), stranger]), /nobody wrote/);
});

test("knows a created file by its path, when a kill came before its id was reported", () => {
  const expectation = begun({ kind: "create", path: "/one/new", content: content("n") });
  const created = { ...file("n"), id: "01N", path: "/one/new" };
  assert.deepEqual(expectation.settle([found(file("a")), found(created)]), { cutOff: 1, doneThough: 1 });
  expectation.begin(0, { kind: "trash", id: "01N" });
  expectation.done(0, undefined);
  assert.throws(() => expectation.settle([found(file("a")), found(created)]), /lost an acknowledged write/);
  expectation.settle([found(file("a")), found({ ...created, trashed: true })]);
});
