import { describe, expect, it } from "vitest";
import { FrameOpener, FrameSealer, type MediaKind } from "../../../src/live-agent/media-frames.ts";
import { decodeHeader, deriveSframeKey, encodeHeader, openSframe, sealSframe } from "../../../src/live-agent/sframe.ts";

const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hex = (value: Uint8Array) => Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");

describe("SFrame (RFC 9605)", () => {
  // From the working group's test vectors: cipher suite 5, headers.
  it("encrypts and decrypts like the standard's test vector", async () => {
    const key = await deriveSframeKey(bytes("000102030405060708090a0b0c0d0e0f"), 291);
    expect(hex(key.salt)).toBe("84991c167b8cd23c93708ec7");
    const [metadata, plain] = [
      bytes("4945544620534672616d65205747"),
      bytes("64726166742d696574662d736672616d652d656e63"),
    ];
    const sealed = await sealSframe(key, 17767, metadata, plain);
    expect(hex(sealed)).toBe("990123456794f509d36e9beacb0e261d99c7d1e972f1fed787d4049f17ca21353c1cc24d56ceabced279");
    const header = decodeHeader(sealed);
    expect(header).toEqual({ keyId: 291, counter: 17767, length: 5 });
    expect(await openSframe(key, header ?? { keyId: 0, counter: 0, length: 0 }, metadata, sealed)).toEqual(plain);
  });

  it.each([
    [0, 0, "00"],
    [0, 255, "08ff"],
    [0, 16777216, "0b01000000"],
    [1, 1099511627775, "1cffffffffff"],
    [255, 1, "81ff"],
    [256, 65536, "9a0100010000"],
    [4294967295, 281474976710655, "bdffffffffffffffffffff"],
  ])("writes the header of key %d and counter %d as %s", (keyId, counter, encoded) => {
    expect(hex(encodeHeader(keyId, counter))).toBe(encoded);
    expect(decodeHeader(bytes(encoded))).toEqual({ keyId, counter, length: encoded.length / 2 });
  });

  it("refuses a header that is truncated or contains a number that is too large", () => {
    for (const cut of ["", "09ff", "f0ffff", "0fffffffffffffffff"]) expect(decodeHeader(bytes(cut))).toBeUndefined();
  });
});

describe("a frame of a call", () => {
  const base = () => crypto.getRandomValues(new Uint8Array(32));
  const pair = async (keyId = 0) => {
    const [sealer, opener, key] = [new FrameSealer(), new FrameOpener(), base()];
    await sealer.takeKey(key, keyId);
    await opener.addKey(key, keyId);
    return { sealer, opener, key };
  };
  const keyFrame = bytes("5012009d012a80016800aabbccddeeff0011223344556677889900");
  const laterFrame = bytes("51b20011223344556677");
  const sealedBy = async (sealer: FrameSealer, kind: MediaKind, frame: Uint8Array<ArrayBuffer>) => {
    const sealed = await sealer.seal(kind, frame);
    if (sealed === undefined) throw new Error("nothing was sealed");
    return sealed;
  };

  it.each([
    ["audio", bytes("fc00112233445566"), 0],
    ["video", keyFrame, 10],
    ["video", laterFrame, 3],
    ["audio", bytes("f8"), 0],
    ["video", bytes("51b200"), 3],
  ] as const)("of %s decrypts completely, and leaves only its first bytes readable: %#", async (kind, frame, clear) => {
    const { sealer, opener } = await pair();
    const sealed = await sealedBy(sealer, kind, frame);
    expect(hex(sealed.subarray(0, clear))).toBe(hex(frame.subarray(0, clear)));
    expect(sealed.length).toBe(frame.length + 1 + 16);
    if (frame.length > clear + 4) expect(hex(sealed)).not.toContain(hex(frame.subarray(clear)));
    expect(await opener.open(kind, sealed)).toEqual(frame);
  });

  it("is not sent before there is a key, or when it is not a media frame", async () => {
    expect(await new FrameSealer().seal("audio", keyFrame)).toBeUndefined();
    const { sealer } = await pair();
    expect(await sealer.seal("video", bytes("51"))).toBeUndefined();
  });

  it("cannot be decrypted with another key, or without one", async () => {
    const { sealer } = await pair();
    const other = await pair();
    const sealed = await sealedBy(sealer, "audio", keyFrame);
    expect(await other.opener.open("audio", sealed)).toBeUndefined();
    expect(await new FrameOpener().open("audio", sealed)).toBeUndefined();
  });

  it("cannot be decrypted after any bit has changed, or as another kind of media", async () => {
    const { sealer, opener } = await pair();
    const sealed = await sealedBy(sealer, "video", keyFrame);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await opener.open("video", changed), `byte ${at}`).toBeUndefined();
    }
    expect(await opener.open("audio", sealed)).toBeUndefined();
    expect(await opener.open("video", sealed)).toEqual(keyFrame);
  });

  it("is decrypted once, in any order, and not when it is far too old", async () => {
    const { sealer, opener } = await pair();
    const sealed = [];
    for (let i = 0; i < 1_100; i += 1) sealed.push(await sealedBy(sealer, "audio", laterFrame));
    const [old, second, first] = [sealed[0], sealed[1098], sealed[1099]];
    if (old === undefined || second === undefined || first === undefined) throw new Error("too few");
    expect(await opener.open("audio", first)).toEqual(laterFrame);
    expect(await opener.open("audio", second)).toEqual(laterFrame);
    for (const again of [first, second, old]) expect(await opener.open("audio", again)).toBeUndefined();
  });

  it("of the previous key is decrypted for a while after a key change; concurrent copies only once", async () => {
    const { sealer, opener } = await pair(0);
    const late = await sealedBy(sealer, "audio", laterFrame);
    const next = base();
    await sealer.takeKey(next, 1);
    await opener.addKey(next, 1);
    const fresh = await sealedBy(sealer, "audio", laterFrame);
    const both = await Promise.all([opener.open("audio", fresh), opener.open("audio", fresh)]);
    expect(both.filter((frame) => frame !== undefined)).toHaveLength(1);
    expect(await opener.open("audio", late)).toEqual(laterFrame);
  });

  it("is not decrypted again when its key is sent again, and a replaced key is not used again", async () => {
    const { sealer, opener, key } = await pair(4);
    const sealed = await sealedBy(sealer, "audio", laterFrame);
    expect(await opener.open("audio", sealed)).toEqual(laterFrame);
    for (const keyId of [4, 3]) await opener.addKey(key, keyId);
    expect(await opener.open("audio", sealed)).toBeUndefined();
    await Promise.all([sealer.takeKey(base(), 6), sealer.takeKey(key, 5)]);
    const header = decodeHeader(await sealedBy(sealer, "audio", laterFrame));
    expect(header?.keyId).toBe(6);
  });
});
