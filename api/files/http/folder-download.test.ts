import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { fromBuffer, type ZipFile } from "yauzl";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";

let http: TestHttp;
const big = randomBytes(3 * 1024 * 1024 + 5);
before(async () => {
  http = await openTestHttp();
  const reveal = await http.bearer({ nb: { hidden: "*" } });
  for (const [path, body] of [
    ["/docs/a.txt", "first"],
    ["/docs/sub/ünï.txt", "second"],
    ["/docs/sub/empty", ""],
    ["/docs/big.bin", big],
    ["/docs/.hidden", "hidden"],
    ["/docs2/other.txt", "other"],
  ] as const) {
    const made = await http.fs("POST", `/files?path=${encodeURIComponent(path)}`, { body, as: reveal });
    assert.equal(made.status, 201, path);
  }
});
after(() => http.close());

/** Every entry of a zip, its checksum verified by the reader. */
async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  const entries = new Map<string, Buffer>();
  return await new Promise((resolve, reject) => {
    zip.on("error", reject);
    zip.on("end", () => resolve(entries));
    zip.on("entry", (entry) =>
      zip.openReadStream(entry, (error, stream) => {
        if (error) return reject(error);
        buffer(stream).then((content) => {
          entries.set(entry.fileName, content);
          zip.readEntry();
        }, reject);
      }),
    );
    zip.readEntry();
  });
}

const download = (query: string, as?: string) =>
  http.fs("GET", `/folder/download${query}`, as === undefined ? {} : { as });

test("zips what the token sees of a folder, by names relative to it", async () => {
  const answer = await download("?path=/docs");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "application/zip");
  assert.equal(answer.headers.get("content-disposition"), "attachment; filename=docs.zip");
  const entries = await unzip(Buffer.from(await answer.arrayBuffer()));
  assert.deepEqual([...entries.keys()].sort(), ["a.txt", "big.bin", "sub/empty", "sub/ünï.txt"]);
  assert.equal(entries.get("a.txt")?.toString(), "first");
  assert.equal(entries.get("sub/ünï.txt")?.toString(), "second");
  assert.deepEqual(entries.get("big.bin"), big);
});

test("zips the hidden for who may see it, and a scope alone for who has no more", async () => {
  const reveal = await http.bearer({ nb: { hidden: "/docs" } });
  const all = await unzip(Buffer.from(await (await download("", reveal)).arrayBuffer()));
  assert.ok(all.has("docs/.hidden") && all.has("docs2/other.txt"));
  const scoped = await http.bearer({ path: "/docs/sub", abilities: ["fs/read"] });
  const some = await unzip(Buffer.from(await (await download("?path=/docs", scoped)).arrayBuffer()));
  assert.deepEqual([...some.keys()].sort(), ["sub/empty", "sub/ünï.txt"]);
});

test("names the entries so that Windows, macOS and Linux can unpack them, and loses none", async () => {
  const paths = ["CON.txt", "C:/x", "a?.txt", "a*.txt", "Twin", "twin", "twin/inner", "ends. ", "nul"];
  for (const path of paths) {
    const made = await http.fs("POST", `/files?path=${encodeURIComponent(`/odd/${path}`)}`, { body: path });
    assert.equal(made.status, 201, path);
  }
  const entries = await unzip(Buffer.from(await (await download("?path=/odd")).arrayBuffer()));
  assert.deepEqual([...entries.values()].map(String).sort(), [...paths].sort());
  const names = [...entries.keys()];
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, paths.length, names.join());
  for (const name of names.flatMap((each) => each.split("/"))) {
    assert.doesNotMatch(name, /[<>:"\\|?*]|[. ]$|^(con|nul)(\.|$)/i);
  }
});

test("answers 404 to a folder without anything to see, and 403 without the ability", async () => {
  assert.equal((await download("?path=/none")).status, 404);
  const scoped = await http.bearer({ path: "/docs2" });
  assert.equal((await download("?path=/docs", scoped)).status, 404);
  assert.equal((await download("?path=/docs", await http.bearer({ abilities: ["fs/list"] }))).status, 403);
});

test("answers HEAD without reading, and stops when the client leaves", async () => {
  const head = await http.fs("HEAD", "/folder/download?path=/docs");
  assert.equal(head.status, 200);
  const answer = await download("?path=/docs");
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
});
