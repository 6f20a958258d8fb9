import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import { identityRoutes } from "../../api/platform/identity/routes.ts";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../test/support/files/http.ts";
import { uploadNote } from "./upload.ts";

type Ran = { code: number; out: string; err: string };

describe("npm run vfs", () => {
  let http: TestHttp;
  let server: Listening;
  let folder: string;
  const at = (name: string) => join(folder, name);
  before(async () => {
    http = await openTestHttp();
    http.app.route("/", identityRoutes(http.deps.files.identity));
    server = await listen(http.app);
    folder = await mkdtemp(join(tmpdir(), "hearth-vfs-"));
    await writeFile(at("hello.txt"), "hello world");
  });
  after(async () => {
    await server.close();
    await http.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (args: string[], { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {}) =>
    new Promise<Ran>((resolve) => {
      const all = { ...process.env, DATA_DIR: at("data"), VFS_URL: server.url, VFS_RESUMABLE_BYTES: "1000000", ...env };
      const script = join(import.meta.dirname, "..", "vfs.ts");
      const child = execFile(process.execPath, [script, ...args], { env: all, cwd: folder }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out: out.trimEnd(), err });
      });
      child.stdin?.end(input);
    });
  /** Run, and expect it to work. */
  const ok = async (...args: string[]) => {
    const { code, out, err } = await run(args);
    assert.equal(code, 0, `${args.join(" ")}: ${err}`);
    return out;
  };
  const json = async (...args: string[]) => JSON.parse(await ok("--json", ...args));

  it("makes the owner's key once, for its owner's eyes only", async () => {
    const did = await ok("key");
    assert.match(did, /^did:key:z6Mk/);
    assert.equal(await ok("key"), did);
    assert.equal((await stat(at("data/keys/vfs-owner.key"))).mode & 0o777, 0o600);
  });

  it("puts, lists, shows, edits, compares and goes back", async () => {
    const made = await json("put", "hello.txt", "/docs/");
    assert.deepEqual([made.path, made.mimeType, made.version], ["/docs/hello.txt", "text/plain;charset=utf-8", 1]);
    assert.match(await ok("ls", "/"), /1 file .* \/docs\/$/);
    assert.match(await ok("ls", "/docs"), /11 B .* v1 +\/docs\/hello\.txt$/);
    assert.equal(await ok("cat", "/docs/hello.txt"), "hello world");
    assert.equal((await json("edit", "/docs/hello.txt", "world", "there")).replacements, 1);
    assert.match(await ok("diff", "/docs/hello.txt", "1"), /-hello world[\s\S]*\+hello there/);
    assert.equal((await json("versions", "/docs/hello.txt")).count, 2);
    assert.equal((await json("restore-version", "/docs/hello.txt", "1")).metadata.revertedTo, 1);
    await ok("get", "/docs/hello.txt", "two.txt", "--version", "2");
    assert.equal(await readFile(at("two.txt"), "utf8"), "hello there");
    assert.equal(await ok("cid", made.cid), "hello world");
    assert.match(await ok("label", "/docs/hello.txt", "1", "first", "--pin"), /first, pinned/);
    assert.match(await ok("prune", "/docs/hello.txt", "--keep", "1"), /^Pruned 1 versions, 2 are left$/);
    assert.equal((await run(["put", "-", "/docs/piped.txt"], { input: "from a pipe" })).code, 0);
    assert.equal(await ok("cat", "/docs/piped.txt"), "from a pipe");
  });

  it("finds by path, words and lines", async () => {
    await ok("put", "hello.txt", "/find/a.txt");
    assert.match(await ok("glob", "/find/*.txt"), /\/find\/a\.txt$/);
    assert.match(await ok("search", "hello", "/find"), /^\/find\/a\.txt\n {2}1: hello world$/);
    assert.equal(await ok("grep", "HELLO", "/find", "-i"), "/find/a.txt:1:hello world");
    assert.match(await ok("tree", "/find"), /^\/find\n└─ a\.txt$/);
    assert.match(await ok("usage"), / files and \d+ versions, no quota$/);
    assert.match(await ok("events", "/find/a.txt"), /file\.created/);
    assert.match(await ok("cids"), /bafkrei.*\/find\/a\.txt/);
  });

  it("moves, trashes, restores, hides, publishes and purges", async () => {
    await ok("put", "hello.txt", "/life/a.txt");
    assert.equal(await ok("mv", "/life/a.txt", "/life/b.txt"), "Moved to /life/b.txt");
    assert.equal(await ok("rm", "/life/b.txt"), "Trashed /life/b.txt");
    assert.match(await ok("trash"), /\/life\/b\.txt/);
    assert.equal(await ok("restore", "/life/b.txt"), "Restored /life/b.txt");
    const published = await json("publish", "/life/b.txt");
    assert.equal((await http.app.request(new URL(published.publicUrl).pathname)).status, 200);
    await ok("hide", "/life/");
    assert.equal((await run(["ls", "/life"])).code, 1);
    assert.match(await ok("ls", "/life", "--reveal"), /\(hidden, public\)$/);
    await ok("unhide", "/life/", "--reveal");
    await ok("rm", "/life/b.txt");
    const unsure = await run(["purge", "/life/b.txt"]);
    assert.match(unsure.err, /--yes/);
    assert.match((await json("purge", "/life/b.txt", "--yes")).results[0].receipt, /^ey/);
    assert.equal(await ok("trash"), "");
  });

  it("carries folders both ways, and zips them", async () => {
    await mkdir(at("tree/inner"), { recursive: true });
    await writeFile(at("tree/one.txt"), "1");
    await writeFile(at("tree/inner/two.txt"), "2");
    await ok("put", "-r", "tree", "/copies/tree");
    await ok("get", "-r", "/copies/tree", "back");
    assert.deepEqual((await readdir(at("back"), { recursive: true })).sort(), ["inner", "inner/two.txt", "one.txt"]);
    assert.equal(await readFile(at("back/inner/two.txt"), "utf8"), "2");
    await ok("zip", "/copies", "copies.zip");
    assert.equal((await readFile(at("copies.zip"))).subarray(0, 2).toString(), "PK");
  });

  it("uploads large files in parts, and continues a download that broke off", async () => {
    const bytes = randomBytes(3_000_000);
    await writeFile(at("large.bin"), bytes);
    const { cid, size } = await json("put", "large.bin", "/large.bin");
    assert.equal(size, bytes.length);
    assert.deepEqual(await readdir(at("data/vfs-uploads")), []);
    const part = at(`again.bin.${cid.slice(-16)}.part`);
    await writeFile(part, bytes);
    await truncate(part, 1_234_567);
    const { err } = await run(["get", "/large.bin", "again.bin"]);
    assert.match(err, /3000000 bytes, of which 1234567 were there/);
    assert.ok(bytes.equals(await readFile(at("again.bin"))));
    await writeFile(part, Buffer.alloc(bytes.length));
    const spoilt = await run(["get", "/large.bin", "again.bin"]);
    assert.deepEqual([spoilt.code, /not what the server named/.test(spoilt.err)], [1, true]);
    assert.equal((await json("put", "large.bin", "/large.bin")).version, 1);
  });

  it("continues an upload that broke off", async () => {
    const bytes = randomBytes(2_000_000);
    await writeFile(at("part.bin"), bytes);
    const authorization = `Bearer ${await ok("token")}`;
    const tus = { authorization, "tus-resumable": "1.0.0" };
    const metadata = `path ${Buffer.from("/part.bin").toString("base64")}`;
    const begun = await fetch(`${server.url}/api/fs/upload`, {
      method: "POST",
      headers: { ...tus, "upload-length": String(bytes.length), "upload-metadata": metadata },
    });
    const address = new URL(begun.headers.get("location") ?? "", server.url).href;
    const first = { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" };
    await fetch(address, { method: "PATCH", headers: first, body: bytes.subarray(0, 700_000) });
    const session = { dataDir: at("data"), url: server.url };
    const parts = { source: at("part.bin"), path: "/part.bin" };
    await writeFile(uploadNote(session, parts, await stat(parts.source)), address);
    const { id } = await json("put", "part.bin", "/part.bin");
    const gone = await fetch(address, { method: "HEAD", headers: tus });
    const content = await http.fs("GET", `/files/${id}/content`, { as: authorization });
    assert.ok(bytes.equals(Buffer.from(await content.arrayBuffer())));
    assert.deepEqual(
      [gone.ok ? gone.headers.get("upload-offset") : "2000000", await readdir(at("data/vfs-uploads"))],
      ["2000000", []],
    );
  });

  it("mints narrow tokens, hands them on, and revokes them", async () => {
    await ok("put", "hello.txt", "/shared/a.txt");
    const token = await ok("token", "--ability", "fs/read", "--path", "/shared", "--ttl", "30m");
    assert.equal(await ok("cat", "/shared/a.txt", "--token", token), "hello world");
    const outside = await run(["cat", "/docs/hello.txt", "--token", token]);
    assert.deepEqual([outside.code, outside.err.trim()], [1, "There is no such file here. (NOT_FOUND)"]);
    const forbidden = await run(["put", "hello.txt", "/shared/b.txt", "--token", token]);
    assert.match(forbidden.err, /does not have the ability fs\/write\. \(FORBIDDEN\)/);

    const unknown = await run(["token", "--ability", "fs/reed"]);
    assert.equal(unknown.code === 0, false);
    assert.match(unknown.err, /There are fs\/list, fs\/read, fs\/write, fs\/delete, fs\/\*, \*\./);

    const friend = at("friend.key");
    const did = await ok("key", "--key", friend);
    const given = await json("token", "--ability", "fs/read", "--path", "/shared", "--audience", did, "--ttl", "90d");
    await writeFile(at("given.ucan"), given.token);
    const asFriend = ["--key", friend, "--proof", "@given.ucan"];
    assert.equal(await ok("cat", "/shared/a.txt", ...asFriend), "hello world");
    assert.equal(await ok("revoke", "@given.ucan"), `Revoked ${given.cid}`);
    const revoked = await run(["cat", "/shared/a.txt", ...asFriend]);
    assert.match(revoked.err, /REVOKED/);
  });

  it("makes control characters of names visible, on a terminal and in JSON, and renames such a file by its id", async () => {
    const { id } = await json("put", "hello.txt", "/names/plain.txt");
    const name = "/names/\u001b[2Jx\u202egnp.\u0085\n\u2028exe";
    await http.deps.db.execute(sql`update files set path = ${name} where id = ${id}`);
    const shown = "\\u{1b}[2Jx\\u{202e}gnp.\\u{85}\\u{0a}\\u{2028}exe";
    const controls = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
    const commands = [
      ["ls", "/names"],
      ["ls", "-r", "/names"],
      ["tree", "/names"],
      ["glob", "/names/*"],
    ];
    for (const args of [...commands, ["search", "hello", "/names"], ["grep", "hello", "/names"], ["cids"]]) {
      const out = await ok(...args);
      assert.ok(out.includes(shown), `${args.join(" ")}: ${out}`);
      assert.doesNotMatch(out, controls, args.join(" "));
      assert.doesNotMatch(await ok("--json", ...args), controls, args.join(" "));
    }
    await ok("get", "-r", "/names", "fetched");
    assert.deepEqual(await readdir(at("fetched")), [shown]);
    assert.equal(await ok("mv", id, "/names/plain.txt"), "Moved to /names/plain.txt");
  });

  it("says what is wrong in the server's words, with details, and fails", async () => {
    const refused = await run(["put", "hello.txt", "/a//b"]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /\(INVALID_INPUT\)\n {2}query\.path: A path has no empty segment\./);
    const asJson = await run(["--json", "edit", "/docs/hello.txt", "absent", "x"]);
    assert.deepEqual([asJson.code, JSON.parse(asJson.err).code], [1, "CONFLICT"]);
    const nobody = await run(["ls"], { env: { VFS_URL: "http://127.0.0.1:9" } });
    assert.match(nobody.err, /No answer from http:\/\/127\.0\.0\.1:9/);
    assert.match((await run(["lss"])).err, /unknown command 'lss'/);
    for (const command of ["token", "put", "purge"]) assert.match(await ok(command, "--help"), /Usage: npm run vfs --/);
  });
});
