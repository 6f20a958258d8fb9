import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { fillFolder, type KeptFolder, keepFolder, placeFolder, versionOf } from "./kept-folder.ts";

const module = pathToFileURL(join(import.meta.dirname, "kept-folder.ts")).href;
const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe("a kept folder", () => {
  let home: string;
  let cache: string;
  let log: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "hearth-kept-"));
    folders.push(home);
    cache = join(home, "cache");
    log = join(home, "log");
  });

  const made = async () => (existsSync(log) ? (await readFile(log, "utf8")).split("\n").length - 1 : 0);
  const keptAs = (version: string, name = "thing"): KeptFolder => ({
    name,
    version,
    async make(folder) {
      await appendFile(log, "made\n");
      await mkdir(join(folder, "base"));
      await Promise.all(["a", "b", "base/c"].map((file) => writeFile(join(folder, file), version)));
    },
  });
  const whole = ["a", "b", "base", "base/c"];
  const contentOf = async (folder: string) => (await readdir(folder, { recursive: true })).sort();
  const newFolder = async (name: string) => {
    await mkdir(join(home, name));
    return join(home, name);
  };

  /** Run a program that has this module's functions, `kept` of version "1", and these folders. @returns the signal that ended it */
  async function run(program: string, make?: string): Promise<string | null> {
    const text = `
      import fs, { appendFileSync, copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      import { setTimeout as sleep } from "node:timers/promises";
      const [home, cache, log] = ${JSON.stringify([home, cache, log])};
      const { fillFolder, keepFolder, placeFolder } = await import(${JSON.stringify(module)});
      const kept = { name: "thing", version: "1", make: async (folder) => {
        appendFileSync(log, "made\\n");
        writeFileSync(folder + "/a", "1");
        ${make ?? ""};
        mkdirSync(folder + "/base");
        for (const name of ["b", "base/c"]) writeFileSync(folder + "/" + name, "1");
      } };
      const copy = copyFileSync;
      const kill = () => process.kill(process.pid, "SIGKILL");
      ${program}`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", text], { stdio: "inherit" });
    const [code, signal] = await once(child, "exit");
    assert.ok(code === 0 || signal === "SIGKILL", `The program ended with ${code}.`);
    return signal;
  }

  it("is made once and then copied, and a change of the copy does not reach it", async () => {
    const [first, second] = [await newFolder("first"), await newFolder("second")];
    await fillFolder(first, keptAs("1"), cache);
    await writeFile(join(first, "a"), "changed");
    await fillFolder(second, keptAs("1"), cache);
    assert.equal(await made(), 1);
    assert.deepEqual(await contentOf(second), whole);
    assert.equal(await readFile(join(second, "a"), "utf8"), "1");
  });

  it("is made by one of several processes that need it together, and all get the whole", async () => {
    const program = (name: string) =>
      `mkdirSync(home + "/${name}"); await fillFolder(home + "/${name}", kept, cache);
       for (const each of ${JSON.stringify(whole)}) if (!existsSync(home + "/${name}/" + each)) process.exit(1);`;
    await Promise.all(["p", "q", "r"].map((name) => run(program(name), "await sleep(300)")));
    assert.equal(await made(), 1);
    for (const name of ["p", "q", "r"]) assert.deepEqual(await contentOf(join(home, name)), whole);
  });

  it("is never used half made after its maker was killed", async () => {
    assert.equal(await run("await keepFolder(kept, cache);", "kill()"), "SIGKILL");
    const left = await readdir(cache);
    assert.equal(left.filter((name) => name.startsWith("thing.draft-")).length, 1, "The maker died in the middle.");
    const folder = await newFolder("folder");
    await fillFolder(folder, keptAs("1"), cache);
    assert.deepEqual(await contentOf(folder), whole);
    assert.deepEqual(await readdir(cache), ["thing-1"]);
  });

  it("takes the place of another version, and leaves folders of other names", async () => {
    await keepFolder(keptAs("1"), cache);
    await keepFolder(keptAs("1", "other"), cache);
    const folder = await newFolder("folder");
    await fillFolder(folder, keptAs("2"), cache);
    assert.equal(await readFile(join(folder, "a"), "utf8"), "2");
    assert.deepEqual((await readdir(cache)).sort(), ["other-1", "thing-2"]);
  });

  it("leaves as many other versions as it says, the newest", async () => {
    for (const [at, version] of ["1", "2", "3", "4"].entries()) {
      const kept = await keepFolder({ ...keptAs(version), others: 2 }, cache);
      await utimes(String(kept), at, at);
    }
    assert.deepEqual((await readdir(cache)).sort(), ["thing-2", "thing-3", "thing-4"]);
  });

  it("has another version when a text or a file that decides it changes", async () => {
    const file = join(home, "program.ts");
    await writeFile(file, "one");
    const version = versionOf(["0.5.14"], [file]);
    assert.equal(versionOf(["0.5.14"], [file]), version);
    assert.notEqual(versionOf(["0.5.15"], [file]), version);
    assert.notEqual(versionOf(["0.5", ".14"], [file]), version);
    await writeFile(file, "two");
    assert.notEqual(versionOf(["0.5.14"], [file]), version);
  });

  for (const [moment, next] of [
    ["while it is copied", "copy(source, target)"],
    ["while its last folders are listed", "undefined"],
  ]) {
    it(`that is deleted ${moment} gives no incomplete copy`, async () => {
      await keepFolder(keptAs("1"), cache);
      await run(`
        fs.copyFileSync = (source, target) => {
          if (existsSync(cache + "/thing-1")) renameSync(cache + "/thing-1", cache + "/thing.draft-of-thing-1");
          ${next};
        };
        syncBuiltinESMExports();
        mkdirSync(home + "/folder");
        await fillFolder(home + "/folder", kept, cache);`);
      assert.equal(await made(), 2);
      assert.deepEqual(await contentOf(join(home, "folder")), whole);
    });
  }

  it("is not needed where nothing can be stored, or where it cannot be read", async () => {
    await chmod(home, 0o711);
    const folder = await newFolder("folder");
    const again = await newFolder("again");
    await mkdir(cache);
    await writeFile(log, "");
    await asOtherUser([log, folder, again], cache, () => fillFolder(folder, keptAs("1"), cache));
    assert.deepEqual(await contentOf(folder), whole);
    assert.deepEqual(await readdir(cache), []);
    await chmod(cache, 0o755);
    const kept = await keepFolder(keptAs("1"), cache);
    await asOtherUser([], String(kept), () => fillFolder(again, keptAs("1"), cache));
    assert.deepEqual(await contentOf(again), whole);
    assert.equal(await made(), 3);
  });

  describe("placed at a path", () => {
    const place = (folder: string) => placeFolder(folder, (draft) => fillFolder(draft, keptAs("1"), cache));

    it("can be opened by its owner only", async () => {
      await place(join(home, "db"));
      assert.equal((await stat(join(home, "db"))).mode & 0o777, 0o700);
      assert.deepEqual(await contentOf(join(home, "db")), whole);
    });

    it("is not there after a kill in the middle of the copy, and the next start makes it whole", async () => {
      await keepFolder(keptAs("1"), cache);
      const signal = await run(`
        fs.copyFileSync = (source, target) => { copy(source, target); kill(); };
        syncBuiltinESMExports();
        await placeFolder(home + "/db", (draft) => fillFolder(draft, kept, cache));`);
      assert.equal(signal, "SIGKILL");
      const left = (await readdir(home)).filter((name) => name.startsWith("db"));
      assert.match(left.join(), /^db\.draft-\w+$/);
      assert.deepEqual(await readdir(join(home, left[0] ?? "")), ["a"]);
      await place(join(home, "db"));
      assert.deepEqual(await contentOf(join(home, "db")), whole);
      assert.deepEqual((await readdir(home)).sort(), ["cache", "db", "log"]);
    });

    it("never replaces what is there", async () => {
      const folder = await newFolder("db");
      await writeFile(join(folder, "row"), "kept");
      await assert.rejects(place(folder), { code: "ENOTEMPTY" });
      assert.deepEqual(await readdir(folder), ["row"]);
    });
  });
});

/** Run as a user who may write `given` and neither write nor read `closed`. Root may do all, so root becomes another one. */
async function asOtherUser(given: string[], closed: string, work: () => Promise<void>): Promise<void> {
  for (const path of given) await chmod(path, 0o777);
  const { mode } = await stat(closed);
  const isRoot = process.geteuid?.() === 0;
  if (!isRoot) await chmod(closed, mode & 0o555 & ~(mode & 0o007 ? 0 : 0o500));
  if (isRoot) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    else await chmod(closed, mode);
  }
}
