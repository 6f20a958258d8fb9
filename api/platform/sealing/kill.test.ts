import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { placeDatabase } from "../../../test/support/database.ts";
import { fillSealedColumns, readSealedColumns } from "../../../test/support/sealed-rows.ts";
import { readConfig } from "../../config.ts";
import { openDatabase } from "../db/client.ts";
import { sealingKeyId } from "../secret-box.ts";
import { readSealingKeys } from "./key-files.ts";

/** More steps in the long form; otherwise some of them, spread over the whole rotation. */
const every = process.env.HEARTH_LONG ? 5 : 97;
const fileOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const folders: string[] = [];
/** A system that was never rotated. */
let template: string;

const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), "hearth-sealing-kill-"));
  folders.push(folder);
  return folder;
};

before(async () => {
  template = await newFolder();
  await placeDatabase(template);
  const config = readConfig({ DATA_DIR: template });
  const { db, close } = await openDatabase(config);
  await fillSealedColumns(db, await readSealingKeys(config), 2);
  await close();
});
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Run the command as an operator does. @param killAt the statement before which it is killed @returns whether it ended by itself */
async function rotate(dataDir: string, killAt?: number): Promise<boolean> {
  const file = join(dataDir, "kill-at");
  if (killAt !== undefined) await writeFile(file, String(killAt));
  const preload = `--import=${fileOf("test/support/kill-at-statement.ts")}`;
  const env = { ...process.env, DATA_DIR: dataDir, KILL_AT_FILE: file, NODE_OPTIONS: preload };
  const child = spawn(process.execPath, [fileOf("scripts/rotate-sealing-key.ts")], { env, stdio: "ignore" });
  const [code, signal] = await once(child, "exit");
  await rm(file, { force: true });
  assert.ok(code === 0 || signal === "SIGKILL", `${code} ${signal}`);
  return code === 0;
}

/** Open everything as a process would that starts now. @returns ids of the keys that sealed the values */
async function read(dataDir: string): Promise<{ sealedWith: string[]; kept: string[] }> {
  const config = readConfig({ DATA_DIR: dataDir });
  const { db, close } = await openDatabase(config);
  try {
    const { wrong, keys } = await readSealedColumns(db, await readSealingKeys(config));
    assert.deepEqual(wrong, []);
    const kept = await readFile(join(dataDir, "keys", "sealing.key"), "utf8").catch(() => "");
    return { sealedWith: [...keys], kept: kept.split("\n").filter((line) => line !== "") };
  } finally {
    await close();
  }
}

test("a rotation that is killed before any statement leaves everything readable, and the next one ends it", {
  timeout: 1_200_000,
}, async (t) => {
  const found = new Set<string>();
  let steps = 0;
  for (let step = 1, ended = false; !ended; step += every, steps++) {
    const dataDir = await newFolder();
    await cp(template, dataDir, { recursive: true });
    ended = await rotate(dataDir, step);
    const { sealedWith, kept } = await read(dataDir);
    found.add(`${kept.length} keys in the folder, ${sealedWith.length} in use`);
    if (!ended) assert.ok(await rotate(dataDir));
    const last = await read(dataDir);
    assert.equal(last.kept.length, 1, `killed at ${step}`);
    assert.deepEqual(last.sealedWith, [sealingKeyId(last.kept[0] as string)], `killed at ${step}`);
    await rm(dataDir, { recursive: true });
  }
  t.diagnostic(`${steps} rotations: ${[...found].join("; ")}`);
  // Before the first value, between two values, and after the last one.
  assert.ok(found.has("2 keys in the folder, 2 in use"), "a kill between two values");
  assert.ok(steps > 3, `${steps}`);
});
