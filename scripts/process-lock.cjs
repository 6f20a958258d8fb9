// A lock file that names its owner, so that a kill -9 never leaves it stuck: a lock whose owner is gone is taken over.
// Not proper-lockfile: that takes a lock over by its age, from a living process that paused, and only seconds after a kill.
// Plain JavaScript for old Node, because the launcher uses it before the right Node is there.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

/**
 * When the process began, in words that no other process of that pid shares; undefined when there is none.
 * A pid alone is not enough: in a container the next start often gets the same one.
 */
function startOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return undefined;
    return `${fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${fields[19]}`;
  } catch {
    if (fs.existsSync("/proc/self/stat")) return undefined;
  }
  try {
    const began = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: "pipe" }).trim();
    return began === "" ? undefined : began;
  } catch {
    return undefined;
  }
}

/** The lock's owner while it lives, else undefined. */
function liveOwner(file) {
  let owner;
  try {
    owner = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
  return startOf(owner.pid) === owner.start ? owner : undefined;
}

function place(file) {
  // Written aside and linked into place: a lock file is never seen half written.
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  fs.writeFileSync(draft, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }), { mode: 0o600 });
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  } finally {
    fs.unlinkSync(draft);
  }
}

function removeStale(file) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    fs.renameSync(file, aside);
  } catch {
    return;
  }
  // Another process may have taken the stale lock over in between: what we moved is then live and goes back.
  if (liveOwner(aside) !== undefined) {
    try {
      fs.linkSync(aside, file);
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
  fs.unlinkSync(aside);
}

/**
 * Take the lock now. Returns `{ release }`, or `{ owner: { pid } }` when a living process holds it.
 * The folder of `file` is made when it is missing.
 */
function tryLock(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  for (let attempt = 0; attempt < 5; attempt++) {
    if (place(file)) return { release: () => fs.rmSync(file, { force: true }) };
    const owner = liveOwner(file);
    if (owner !== undefined) return { owner };
    removeStale(file);
  }
  return { owner: liveOwner(file) || { pid: 0 } };
}

module.exports = { liveOwner, startOf, tryLock };
