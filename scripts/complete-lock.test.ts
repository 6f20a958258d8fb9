import assert from "node:assert/strict";
import { test } from "node:test";
import { completeLock, type PackageLock, platformOf } from "./complete-lock.ts";

test("reads the platform from a package's name", () => {
  assert.deepEqual(platformOf("@rollup/rollup-linux-arm64-musl"), { cpu: ["arm64"], libc: ["musl"], os: ["linux"] });
  assert.deepEqual(platformOf("@foundry-rs/anvil-win32-amd64"), { cpu: ["x64"], os: ["win32"] });
  assert.equal(platformOf("fsevents"), undefined);
});

test("names a platform package that npm dropped, and leaves the ones it has", () => {
  const lock: PackageLock = {
    packages: {
      "": {},
      "node_modules/tool": { optionalDependencies: { "tool-linux-x64": "1.0.0", "tool-darwin-arm64": "1.0.0" } },
      "node_modules/tool-linux-x64": { version: "1.0.0", optional: true },
    },
  };
  assert.deepEqual(completeLock(lock), ["node_modules/tool-darwin-arm64"]);
  assert.deepEqual(lock.packages["node_modules/tool-darwin-arm64"], {
    version: "1.0.0",
    cpu: ["arm64"],
    optional: true,
    os: ["darwin"],
  });
  assert.deepEqual(completeLock(lock), []);
});
