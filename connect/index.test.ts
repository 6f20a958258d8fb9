import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../api/platform/config-error.ts";
import { openRooms, type RoomHost } from "./index.ts";

const noHost = (): RoomHost => assert.fail("No room may be opened.");

test("CONNECT=none opens no room", async () => {
  assert.deepEqual(await openRooms([], noHost), []);
});

test("a name without a room is refused", async () => {
  await assert.rejects(
    openRooms(["fax"], noHost),
    (error) => error instanceof ConfigError && /CONNECT: names fax/.test(error.message),
  );
});
