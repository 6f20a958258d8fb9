import { RawText } from "./generate.ts";
import type { Random } from "./random.ts";

/** Values that a field should survive. */
const nasty: readonly unknown[] = [
  null,
  true,
  "",
  " ",
  [],
  {},
  [[[]]],
  { a: { b: [1] } },
  "x".repeat(300),
  "y".repeat(70_000),
  "\u0000",
  "a\u0000b",
  "\u202egnp.exe",
  "zero\u200bwidth",
  "\ufeffmark",
  "e\u0301",
  "\u{1f4a3}",
  "__proto__",
  "constructor",
  "' OR 1=1 --",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template injection, as text
  "${7*7}",
  "../../etc/passwd",
  "%00%2e%2e",
  "did:",
  "did:a:b c",
  "2026-02-30",
  "2026-13-01",
  "0000-00-00",
  "99999-01-01",
  "2026-01-01T25:00:00Z",
  "12",
  "NaN",
  "0x",
  `0x${"g".repeat(40)}`,
  "VCHR-0000000000000*",
  "REDM-!!!",
  ...[
    "-1",
    "-0",
    "0",
    "1e400",
    "1e-7",
    "1E+2",
    "0.1234567",
    "9007199254740993",
    "99999999999999999999",
    "1e999999999",
    "4.9e-324",
  ].map((text) => new RawText(text)),
  ...[
    "NaN",
    "Infinity",
    "01",
    "+1",
    ".5",
    "0x10",
    "1_000",
    "undefined",
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\x"',
    '"\n"',
  ].map((text) => new RawText(text)),
];

type Slot = { get: () => unknown; set: (value: unknown) => void; remove: () => void; holder: unknown; key: string };

/** Every place in the tree where a value stands. */
function slotsOf(value: unknown, slots: Slot[] = []): Slot[] {
  if (value === null || typeof value !== "object" || value instanceof RawText) return slots;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    const remove = () => (Array.isArray(value) ? value.splice(Number(key), 1) : delete holder[key]);
    const set = (replacement: unknown) => {
      holder[key] = replacement;
    };
    slots.push({ get: () => holder[key], set, remove, holder, key });
    slotsOf(holder[key], slots);
  }
  return slots;
}

/** Marks an object whose first field is to be written twice. */
const twice = Symbol("twice");

/** Break the tree in one place. */
export function mutateTree(tree: unknown, random: Random): void {
  const slots = slotsOf(tree);
  const objects = [tree, ...slots.map(({ get }) => get())].filter(
    (value) => value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof RawText),
  ) as Record<string | symbol, unknown>[];
  const action = random.below(10);
  if (action === 0 && objects.length > 0)
    random.pick(objects)[random.pick(["extra", "Amount", "", "toString", "a.b"])] = random.pick(nasty);
  else if (action === 1 && objects.length > 0) random.pick(objects)[twice] = true;
  else if (action === 2 && objects.length > 0)
    Object.defineProperty(random.pick(objects), "__proto__", {
      value: {},
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else if (slots.length > 0 && action < 5) random.pick(slots).remove();
  else if (slots.length > 0) random.pick(slots).set(structuredCloneRaw(random.pick(nasty)));
}

function structuredCloneRaw(value: unknown): unknown {
  return value instanceof RawText ? value : structuredClone(value);
}

/** Write the tree as text, with raw pieces unchanged. */
export function write(value: unknown): string {
  if (value instanceof RawText) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`);
  if (twice in value && fields.length > 0) fields.push(fields[0] as string);
  return `{${fields.join(",")}}`;
}

/** Break a whole body. */
export function mutateBody(text: string, random: Random): string | Uint8Array {
  const whole: (() => string | Uint8Array)[] = [
    () => text.slice(0, random.below(text.length + 1)),
    () => text + random.pick(["}", ",", "x", "\u0000", text]),
    () => random.pick(["", "null", "[]", "{}", '"text"', "1", "true", "not json", "a=1&b=2", "<xml/>"]),
    () => "[".repeat(5000),
    () => `${'{"a":'.repeat(500)}1${"}".repeat(500)}`,
    () => `\ufeff${text}`,
    () => Uint8Array.from({ length: 64 }, () => random.below(256)),
    () => Buffer.concat([Buffer.from(text.slice(0, -1)), Uint8Array.of(0xc3, 0x28, 0xff)]),
    () => `{"pad":"${"z".repeat(1_100_000)}"}`,
    () => Buffer.from(text, "utf16le"),
  ];
  return random.pick(whole)();
}

/** Encode text for a path or a query. */
export const nastySegments = [
  "%00",
  "%E0%A4%A",
  "%ED%A0%80",
  "..%2f..%2f",
  "%2e%2e",
  "a".repeat(5000),
  "%F0%9F%92%A3",
  "%E2%80%AEabc",
  "did%3Aixo%3A%2F%2F",
  "-1",
  "null",
  "'%20OR%201%3D1",
  "VCHR-%2A%2A%2A",
  "__proto__",
  "%25%32%30",
];
