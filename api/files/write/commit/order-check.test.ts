import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommitOrder, CreateOrder, ReplaceOrder } from "./commit-order.ts";
import { type BatchState, OrderCheck, pathKey } from "./order-check.ts";

const namespace = "did:key:zOrderCheck";
const content = {
  sealedVersion: 1,
  blob: "new",
  size: 10,
  versionKey: Buffer.of(),
  details: Buffer.of(),
  cidTag: Buffer.of(),
};
const event = { kind: "content.written" as const, namespace, actor: namespace, invoker: namespace, tokenCid: "t" };
const common = {
  namespace,
  keyGroup: "g",
  secretId: "s",
  content,
  words: null,
  at: new Date(),
  quota: null,
  event,
  reservations: [],
  sees: () => true,
};
const marks = { hidden: false, public: false, fileKey: Buffer.of() };
let blobs = 0;
const attempt = () => ({ ...content, blob: `new ${++blobs}` });
const create = (path: string, change: Partial<CreateOrder> = {}): CreateOrder => {
  return {
    ...common,
    kind: "create",
    fileId: `file at ${path} ${blobs}`,
    path,
    ...marks,
    content: attempt(),
    ...change,
  };
};
const replace = (change: Partial<ReplaceOrder> = {}): ReplaceOrder => {
  return {
    ...common,
    kind: "replace",
    fileId: "f",
    path: "/f",
    head: { version: 7, blob: "old" },
    content: attempt(),
    ...change,
  };
};

function verdicts(orders: CommitOrder[], { retained = 3, bytes = 0, reserved = 0 } = {}): string[] {
  const row = { namespace, bytes, reserved, files: 1, versions: retained, auditSequence: 0, auditHead: null };
  const state: BatchState = {
    namespaces: new Map([[namespace, row]]),
    heads: new Map([["f", { version: 7, retained, blob: "old" }]]),
    taken: new Set([pathKey(namespace, "/taken")]),
    secrets: new Map([["g", "s"]]),
    marks: new Map([[pathKey(namespace, "/hidden/a"), { folderHidden: true, folderPublic: false }]]),
    reservations: new Map([["held", 10]]),
  };
  const check = new OrderCheck(state);
  return orders.map((order) => check.check(order).outcome);
}

test("checks each order of a batch by what those before it change", () => {
  assert.deepEqual(verdicts([replace(), replace(), create("/a"), create("/a"), create("/taken")]), [
    ...["done", "lost", "done", "taken", "taken"],
  ]);
});

test("tells a superseded head, a moved file, a purged file and a rotated key group apart", () => {
  assert.deepEqual(verdicts([replace({ head: { version: 7, blob: "older" } })]), ["lost"]);
  assert.deepEqual(verdicts([replace({ head: { version: 6, blob: "old" } })]), ["moved"]);
  assert.deepEqual(verdicts([replace({ fileId: "gone" })]), ["lost"]);
  assert.deepEqual(verdicts([replace({ secretId: "before" }), create("/a", { secretId: "before" })]), [
    "rotated",
    "rotated",
  ]);
});

test("holds the cap in the transaction too", () => {
  assert.deepEqual(verdicts([replace()], { retained: 49 }), ["done"]);
  assert.deepEqual(verdicts([replace()], { retained: 50 }), ["cap"]);
});

test("gives a quota's last room to one of those who want it, and counts what was accepted alone", () => {
  const quota = 30;
  const orders = [create("/a", { quota }), create("/taken", { quota }), replace({ quota }), create("/b", { quota })];
  assert.deepEqual(verdicts(orders, { bytes: 10 }), ["done", "taken", "done", "quota"]);
});

test("counts what other writes have reserved, and not what the order's own reservation holds", () => {
  const quota = 30;
  const orders = [create("/a", { quota }), create("/b", { quota, reservations: ["held"] }), create("/c", { quota })];
  assert.deepEqual(verdicts(orders, { bytes: 5, reserved: 20 }), ["quota", "done", "quota"]);
});

test("refuses what folders have hidden from the caller since it was looked up", () => {
  const sees = ({ folderHidden }: { folderHidden: boolean }) => !folderHidden;
  const orders = [create("/hidden/a", { sees }), create("/a", { sees }), replace({ path: "/hidden/a", sees })];
  assert.deepEqual(verdicts(orders), ["hidden", "done", "hidden"]);
});
