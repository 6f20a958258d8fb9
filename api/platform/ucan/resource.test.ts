import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatResource, isDid, isVfs, parseResource } from "./resource.ts";

const owner = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK";
const at = `vfs://${encodeURIComponent(owner)}`;

describe("resources", () => {
  it("reads back what it writes", () => {
    for (const did of [owner, "did:web:localhost%3A3000:a", "did:ethr:0x7a69:0xabc"]) {
      for (const path of ["/", "/docs", "/a b/ü#?%2F", "/50%/x"]) {
        assert.deepEqual(parseResource(formatResource(did, path)), { owner: did, path: path.normalize("NFC") });
      }
    }
  });

  const cases: [name: string, text: string, path: string | undefined][] = [
    ["the namespace", at, "/"],
    ["the namespace with a slash", `${at}/`, "/"],
    ["an encoded slash is a slash", `${at}/docs%2Fa`, "/docs/a"],
    ["decoded once, not twice", `${at}/docs%252Fa`, "/docs%2Fa"],
    ["encoded dots are dots", `${at}/docs%2F..%2Fsecret`, undefined],
    ["encoded dot segments", `${at}/docs/%2e%2e/secret`, undefined],
    ["doubly encoded dots are a name", `${at}/%252e%252e`, "/%2e%2e"],
    ["encoded NUL", `${at}/a%00`, undefined],
    ["encoded backslash", `${at}/a%5Cb`, undefined],
    ["a slash at the end", `${at}/docs/`, undefined],
    ["an encoded slash at the end", `${at}/docs%2F`, undefined],
    ["bad percent-encoding", `${at}/%zz`, undefined],
    ["bytes that are not UTF-8", `${at}/%ff`, undefined],
    ["a query", `${at}/a?b`, undefined],
    ["a fragment", `${at}/a#b`, undefined],
    ["two slashes", `${at}//a`, undefined],
    ["no owner", "vfs:///a", undefined],
    ["an owner that is not a DID", "vfs://example.org/a", undefined],
    ["NFD", `${at}/cafe%CC%81`, "/café"],
    ["too long", `${at}/${"a".repeat(1024)}`, undefined],
  ];
  for (const [name, text, path] of cases) {
    it(`splits a resource: ${name}`, () => {
      assert.deepEqual(parseResource(text), path === undefined ? undefined : { owner, path });
    });
  }

  it("knows its own scheme in any case, so that a misspelt one is refused and not skipped", () => {
    assert.ok(isVfs(`VFS://${encodeURIComponent(owner)}`));
    assert.equal(parseResource(`VFS://${encodeURIComponent(owner)}`), undefined);
    assert.ok(!isVfs(owner));
  });

  it("refuses a DID with path, query or fragment", () => {
    for (const did of [owner, "did:web:h%3A1:a", "did:ethr:0x7a69:0xabc"]) assert.ok(isDid(did), did);
    for (const text of [
      "did:key",
      "did:web:h#key",
      "did:web:h?x",
      "did:web:h/x",
      "DID:web:h",
      `did:a:${"a".repeat(1024)}`,
    ]) {
      assert.ok(!isDid(text), text);
    }
  });
});
