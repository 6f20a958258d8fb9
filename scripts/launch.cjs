// Runs a command of this project under a Node that can: `node scripts/launch.cjs node scripts/dev-stack.ts`.
// Plain JavaScript without packages: Node 16 runs it, on a machine where nothing is installed yet.
"use strict";

const { execFileSync, spawn } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { liveOwner, tryLock } = require("./process-lock.cjs");

const ROOT = path.resolve(__dirname, "..");
const PRIVATE = path.join(ROOT, ".node");
const LOCK = path.join(PRIVATE, "install.lock");
const STAMP = path.join(ROOT, "node_modules", ".hearth-install.json");
const NODE_VERSION = "24.21.0";
/** The packages that carry Node, with the digests that npm must find. */
const NODE_PACKAGES = {
  "linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "linux-arm64": "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
};

/** Threads that wait for disks: with Node's four, a handful of synced writes holds up all others. */
const WIDER_POOL = { UV_THREADPOOL_SIZE: "16" };
/** Most of a short program is loading code: its compiled form is kept from one run to the next. */
const COMPILE_CACHE = { NODE_COMPILE_CACHE: path.join(PRIVATE, "compile-cache") };

const say = (line) => process.stderr.write(`hearth: ${line}\n`);

class LaunchError extends Error {}

/** Whether this Node runs TypeScript files as they are and satisfies Hardhat. */
function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

/** npm under the given Node: npm itself must run on it, because it skips native packages that its own Node is too old for. */
function runNpm(node, args, cwd) {
  const env = withNodeFirst(node);
  const cli = process.env.npm_execpath || "";
  const [command, first] = path.basename(cli) === "npm-cli.js" && fs.existsSync(cli) ? [node, [cli]] : ["npm", []];
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
    const began = Date.now();
    const tick = setInterval(() => say(`… ${Math.round((Date.now() - began) / 1000)} s`), 15_000);
    child.on("error", (error) => {
      clearInterval(tick);
      const reason = error.code === "ENOENT" ? "npm is not on PATH" : error.message;
      reject(new LaunchError(`npm could not be started: ${reason}.`));
    });
    child.on("close", (code, signal) => {
      clearInterval(tick);
      if (code === 0) resolve();
      else
        reject(new LaunchError(`npm ${args[0]} failed (${signal || `exit code ${code}`}); its own message is above.`));
    });
  });
}

function withNodeFirst(node) {
  return { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH || ""}` };
}

function refuseMachineWithoutNode() {
  const wanted = "Hearth needs Node 22.18 or newer (24 is best)";
  const found = `this is Node ${process.versions.node}`;
  if (process.platform !== "linux" || !NODE_PACKAGES[`linux-${os.arch()}`]) {
    throw new LaunchError(`${wanted} and ${found}; please install a newer Node from https://nodejs.org and try again.`);
  }
  const report = process.report?.getReport();
  if (report && !report.header.glibcVersionRuntime) {
    throw new LaunchError(`${wanted} and ${found}; on a Linux without glibc please install a newer Node yourself.`);
  }
}

const privateNodeFolder = () => path.join(PRIVATE, `${NODE_VERSION}-${os.arch()}`);
const privateNode = () => path.join(privateNodeFolder(), "node_modules", `node-linux-${os.arch()}`, "bin", "node");
const isNodeFetched = () => fs.existsSync(path.join(privateNodeFolder(), "complete")) && fs.existsSync(privateNode());

async function fetchNode() {
  const folder = privateNodeFolder();
  const name = `node-linux-${os.arch()}`;
  say(`Node ${process.versions.node} is too old; fetching Node ${NODE_VERSION} into .node/ (once)`);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const dependencies = { [name]: NODE_VERSION };
  const packages = {
    "": { dependencies },
    [`node_modules/${name}`]: { version: NODE_VERSION, integrity: NODE_PACKAGES[`linux-${os.arch()}`] },
  };
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  fs.writeFileSync(
    path.join(folder, "package-lock.json"),
    JSON.stringify({ name: "private-node", lockfileVersion: 3, requires: true, packages }),
  );
  await runNpm(process.execPath, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder);
  const version = execFileSync(privateNode(), ["--version"], { encoding: "utf8" }).trim();
  if (version !== `v${NODE_VERSION}`) throw new LaunchError(`The fetched Node says ${version}, not v${NODE_VERSION}.`);
  fs.writeFileSync(path.join(folder, "complete"), "");
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

const fits = (list, value) => !list || list.includes(value) || (list[0] || "").startsWith("!");
const libc = fs.existsSync("/etc/alpine-release") ? "musl" : "glibc";
const fitsMachine = (entry) => fits(entry.os, process.platform) && fits(entry.cpu, os.arch()) && fits(entry.libc, libc);

/** Those of the missing packages that npm leaves out here: optional ones that only packages of other machines ask for. */
function leftOutFor(others, missing, lock) {
  const leftOut = new Set(missing.filter((name) => lock.packages[name].optional));
  const isGone = (name) => others.has(name) || leftOut.has(name);
  for (let before = -1; before !== leftOut.size; ) {
    before = leftOut.size;
    for (const name of leftOut) {
      const asked = name.slice(name.lastIndexOf("node_modules/") + "node_modules/".length);
      const asks = (entry) => [entry.dependencies, entry.optionalDependencies].some((each) => each && asked in each);
      if (Object.keys(lock.packages).some((each) => asks(lock.packages[each]) && !isGone(each))) leftOut.delete(name);
    }
  }
  return leftOut;
}

/** List the packages of package-lock.json for this machine that node_modules lacks, or has in another version. */
function missingPackages(lock, installed) {
  const others = new Set();
  const missing = [];
  for (const [name, entry] of Object.entries(lock.packages)) {
    if (name === "" || entry.link || (entry.peer && entry.optional)) continue;
    if (entry.optional && !fitsMachine(entry)) {
      others.add(name);
      continue;
    }
    const found = installed.packages?.[name];
    const same = found && found.version === entry.version && found.integrity === entry.integrity;
    if (!same || !fs.existsSync(path.join(ROOT, name, "package.json"))) missing.push(name);
  }
  const leftOut = leftOutFor(others, missing, lock);
  return missing.filter((name) => !leftOut.has(name));
}

/** What package-lock.json asks for against what is there; `stamp` is written once the two agree. */
function inspectInstall(nodeVersion) {
  const lockFile = path.join(ROOT, "package-lock.json");
  const text = fs.readFileSync(lockFile);
  const wanted = { lock: createHash("sha256").update(text).digest("hex"), node: nodeVersion.split(".")[0] };
  const installed = readJson(path.join(ROOT, "node_modules", ".package-lock.json")) || {};
  const missing = missingPackages(JSON.parse(text.toString("utf8")), installed);
  const stamp = readJson(STAMP);
  const sameNode = stamp === undefined || stamp.node === wanted.node;
  // An optional package that npm itself left out is not asked for again while the lock stays the same.
  const leftOut = stamp && stamp.lock === wanted.lock ? stamp.leftOut : [];
  const matches = sameNode && missing.every((name) => leftOut.includes(name));
  const isStamped = stamp !== undefined && stamp.lock === wanted.lock && sameNode;
  return { matches, isStamped, stamp: { ...wanted, leftOut: missing } };
}

const writeStamp = (stamp) => fs.writeFileSync(STAMP, `${JSON.stringify(stamp)}\n`);

async function installPackages(node, nodeVersion) {
  say("installing packages with npm ci (a minute or two)");
  const began = Date.now();
  fs.rmSync(STAMP, { force: true });
  const flags = ["--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  await runNpm(node, ["ci", ...flags], ROOT);
  writeStamp(inspectInstall(nodeVersion).stamp);
  say(`packages installed in ${Math.round((Date.now() - began) / 1000)} s`);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Launches that find something to install take turns; the later ones then find it done. */
async function takeTurn() {
  for (let waited = 0; ; waited++) {
    const lock = tryLock(LOCK);
    if (lock.release) return lock;
    if (waited === 0) say(`another launch (process ${lock.owner.pid}) is installing; waiting for it`);
    await sleep(500);
  }
}

async function prepare() {
  const own = isNewEnough(process.versions.node);
  if (!own) refuseMachineWithoutNode();
  const node = own ? process.execPath : privateNode();
  const version = own ? process.versions.node : NODE_VERSION;
  const isReady = () => (own || isNodeFetched()) && inspectInstall(version);
  const first = isReady();
  if (first?.matches && first.isStamped && liveOwner(LOCK) === undefined) return node;
  const turn = await takeTurn();
  try {
    if (!own && !isNodeFetched()) await fetchNode();
    const state = inspectInstall(version);
    if (!state.matches) await installPackages(node, version);
    else if (!state.isStamped) writeStamp(state.stamp);
  } finally {
    turn.release();
  }
  return node;
}

function withQuickResolve(options) {
  const preload = `--import=${pathToFileURL(path.join(__dirname, "quick-resolve.mjs")).href}`;
  return options === undefined || options === "" || options.includes(preload) ? preload : `${options} ${preload}`;
}

/** Runs the command in our place: its exit code is ours, our signals are its. */
function run(node, [command, ...args]) {
  const child = spawn(command === "node" ? node : command, args, {
    cwd: ROOT,
    env: {
      ...WIDER_POOL,
      ...COMPILE_CACHE,
      ...withNodeFirst(node),
      NODE_OPTIONS: withQuickResolve(process.env.NODE_OPTIONS),
      HEARTH_LAUNCHER_PID: String(process.pid),
    },
    stdio: "inherit",
  });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  endWithNpm(child);
  child.on("error", (error) => {
    say(`${command} could not be started: ${error.message}`);
    process.exitCode = 127;
  });
  child.on("close", (code, signal) => {
    if (signal === null) process.exit(code);
    for (const each of signals) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  });
}

/** Under npm, an npm or its shell that vanishes without a signal (kill -9) ends the command too. */
function endWithNpm(child) {
  if (!process.env.npm_lifecycle_event) return;
  const above = () => `${process.ppid} ${parentOf(process.ppid)}`;
  const first = above();
  setInterval(() => {
    if (above() !== first) child.kill("SIGTERM");
  }, 1000).unref();
}

/** The parent of a process, on Linux; undefined if unknown. */
function parentOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  } catch {
    return undefined;
  }
}

async function main() {
  const command = process.argv.slice(2);
  if (command.length === 0) throw new LaunchError("usage: node scripts/launch.cjs <command> [arguments…]");
  run(await prepare(), command);
}

main().catch((error) => {
  say(error instanceof LaunchError ? error.message : error.stack);
  process.exit(1);
});
