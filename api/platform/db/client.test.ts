import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { placeDatabase } from "../../../test/support/database.ts";
import { apiKeys } from "../../tables.ts";
import { DatabaseLockedError, openDatabase } from "./client.ts";

const folders: string[] = [];
async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), "hearth-db-"));
  folders.push(folder);
  return folder;
}
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const key = {
  id: "a",
  secretHash: "h",
  name: "n",
  role: "admin" as const,
  scopes: [],
  createdBy: "test",
  createdAt: new Date(0),
};

test("keeps rows when the same folder is opened again, and nothing of a first start that was killed", async () => {
  const dataDir = await newFolder();
  await mkdir(join(dataDir, "api-db.draft-killed", "database"), { recursive: true });
  const first = await openDatabase({ dataDir, databaseUrl: undefined });
  await first.db.insert(apiKeys).values(key);
  await first.close();
  const second = await openDatabase({ dataDir, databaseUrl: undefined });
  assert.equal((await second.db.select().from(apiKeys)).length, 1);
  await second.close();
  assert.deepEqual(await readdir(dataDir), ["api-db"]);
});

test("refuses a folder that a living process holds, and takes it over when that process was killed", async () => {
  const dataDir = await newFolder();
  await placeDatabase(dataDir);
  const program = `
    const { openDatabase } = await import(${JSON.stringify(new URL("./client.ts", import.meta.url).href)});
    const { apiKeys } = await import(${JSON.stringify(new URL("../../tables.ts", import.meta.url).href)});
    const { db } = await openDatabase({ dataDir: ${JSON.stringify(dataDir)}, databaseUrl: undefined });
    await db.insert(apiKeys).values({ ...${JSON.stringify(key)}, createdAt: new Date(0) });
    console.log("ready");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  await assert.rejects(openDatabase({ dataDir, databaseUrl: undefined }), (error) => {
    assert.ok(error instanceof DatabaseLockedError);
    assert.equal(error.pid, child.pid);
    return true;
  });
  child.kill("SIGKILL");
  await once(child, "exit");
  const { db, close } = await openDatabase({ dataDir, databaseUrl: undefined });
  assert.equal((await db.select().from(apiKeys)).length, 1);
  await close();
});
