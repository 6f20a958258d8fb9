import assert from "node:assert/strict";
import { test } from "node:test";
import { exifPhoto } from "../../../test/support/exif-photo.ts";
import { readPhotoFacts } from "./exif.ts";

const ascii = 2;
const maker = 0x10f;
const exifDirectory = 0x8769;

type Tag = { tag: number; count: number; offset: number };

/** A TIFF of one directory, in which all that is not a tag is the letter A. */
function tiffOf(count: number, tagOf: (i: number, size: number) => Tag): Buffer {
  const photo = Buffer.alloc(10 + 12 * count + 4, "A");
  photo.write("II*\0", 0, "latin1");
  photo.writeUInt32LE(8, 4);
  photo.writeUInt16LE(count, 8);
  for (let i = 0; i < count; i++) {
    const { tag, count: values, offset } = tagOf(i, photo.length);
    photo.writeUInt16LE(tag, 10 + 12 * i);
    photo.writeUInt16LE(ascii, 12 + 12 * i);
    photo.writeUInt32LE(values, 14 + 12 * i);
    photo.writeUInt32LE(offset, 18 + 12 * i);
  }
  photo.fill("A", photo.length - 4);
  return photo;
}

test("reads no tag that it does not need, so that tags that each claim all bytes of the photo take no memory", async () => {
  const tags = 30_000;
  const photo = tiffOf(tags, (i, size) =>
    i === tags - 1 ? { tag: maker, count: 5, offset: size - 5 } : { tag: 1_000 + i, count: size - 64, offset: 8 },
  );
  const before = process.memoryUsage().rss;
  const { device } = await readPhotoFacts(photo, "image/tiff", "sender");
  assert.match(device ?? "", /A{4}$/);
  assert.ok(process.memoryUsage().rss - before < 200_000_000);
});

/** The position of the EXIF directory is long text, to which the library adds 12 for each of 65 535 tags. */
const endless = () => tiffOf(60_000, (_, size) => ({ tag: exifDirectory, count: size - 64, offset: 8 }));

test("gives up a photo that the library never finishes, and works on meanwhile", async () => {
  const photo = endless();
  let ticks = 0;
  const timer = setInterval(() => ticks++, 20);
  const facts = await readPhotoFacts(photo, "image/tiff", "sender");
  clearInterval(timer);
  assert.deepEqual(facts, { takenAt: null, latitude: null, longitude: null, device: null });
  assert.ok(ticks > 1, "no other work was done");
});

test("reads the photo of another sender before the many of one sender that wait", async () => {
  const ended: string[] = [];
  const read = (photo: Buffer, sender: string) =>
    readPhotoFacts(photo, "image/tiff", sender).then((facts) => {
      ended.push(sender);
      return facts;
    });
  const many = Array.from({ length: 8 }, () => read(endless(), "many"));
  assert.equal((await read(exifPhoto({}), "one")).device, "Acme Phone 3");
  assert.ok(ended.length <= 4, `${ended.length} were read first`);
  await Promise.all(many);
});
