import { expect, it } from "vitest";
import { CallKeys, safetyNumber } from "../../../src/live-agent/call-keys.ts";

const holder = async (id: string) => {
  const keys = await CallKeys.generate();
  return { keys, id, did: `did:key:${id}`, publicKey: keys.publicKey };
};
const base = crypto.getRandomValues(new Uint8Array(32));

it("gives a sender's key to one participant of one call only", async () => {
  const [a, b, c] = [await holder("a"), await holder("b"), await holder("c")];
  const wrapped = await a.keys.wrap(base, 3, { callId: "call", from: a, to: b });
  expect(await b.keys.unwrap(wrapped, { callId: "call", from: a, to: b })).toEqual(base);
  const refused = [
    () => b.keys.unwrap(wrapped, { callId: "other call", from: a, to: b }),
    () => b.keys.unwrap(wrapped, { callId: "call", from: c, to: b }),
    () => b.keys.unwrap(wrapped, { callId: "call", from: { ...a, did: "did:key:other" }, to: b }),
    () => b.keys.unwrap({ ...wrapped, keyId: 4 }, { callId: "call", from: a, to: b }),
    () => c.keys.unwrap(wrapped, { callId: "call", from: a, to: b }),
    () => a.keys.unwrap(wrapped, { callId: "call", from: b, to: a }),
  ];
  for (const each of refused) expect(await each().catch(() => "refused")).toBe("refused");
});

it("gives all participants the same sixty digits, and different ones when a key differs", async () => {
  const [a, b, mallory] = [await holder("a"), await holder("b"), await holder("b")];
  const digits = await safetyNumber("call", [a, b]);
  expect(digits).toMatch(/^(\d{5} ){11}\d{5}$/);
  expect(await safetyNumber("call", [b, a])).toBe(digits);
  expect(await safetyNumber("call", [a, mallory])).not.toBe(digits);
  expect(await safetyNumber("other", [a, b])).not.toBe(digits);
});
