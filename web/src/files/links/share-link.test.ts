// @vitest-environment node
import { base64url, CompactEncrypt, decodeProtectedHeader } from "jose";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Identity } from "../../identity/identity-store.ts";
import { createKeyText, openKeyText } from "../../identity/signing-key.ts";
import { makeLink, needsPassword, openLink } from "./share-link.ts";

let owner: Identity;
beforeAll(async () => {
  vi.stubGlobal("window", { location: { origin: "https://hearth.example" } });
  const key = openKeyText(await createKeyText());
  owner = { did: key.did(), key, keeping: "tab" };
});
const order = { path: "/reports/été 2026", right: "read" as const, days: 7, password: "" };
const fragmentOf = (url: string) => url.slice(url.indexOf("#") + 1);

describe("a link to files", () => {
  it("opens what its owner chose, until it expires, and has a separate key", async () => {
    const { url, record } = await makeLink(owner, order);
    expect(url).toMatch(/^https:\/\/hearth\.example\/console\/shared#[\w-]+$/);
    const link = await openLink(fragmentOf(url));
    expect(link).toMatchObject({ owner: owner.did, path: "/reports/été 2026", right: "read" });
    expect(link.key.did()).not.toBe(owner.did);
    expect(link.expiresAt).toBe(record.expiresAt);
    expect(link.expiresAt - record.madeAt).toBe(7 * 86_400);
    expect(link.proof.capabilities.map(({ can }) => can)).toEqual(["fs/list", "fs/read"]);
    const root = await makeLink(owner, { ...order, path: "/", right: "write" });
    expect(await openLink(fragmentOf(root.url))).toMatchObject({ path: "/", right: "write" });
  });

  it("keeps no secret in the record that its maker stores", async () => {
    const { url, record } = await makeLink(owner, order);
    const { key } = JSON.parse(new TextDecoder().decode(base64url.decode(fragmentOf(url)))) as { key: string };
    expect(JSON.stringify(record)).not.toContain(key);
  });

  it("opens only with its password, if it has one", { timeout: 30_000 }, async () => {
    const { url, record } = await makeLink(owner, { ...order, password: "correct horse" });
    const fragment = fragmentOf(url);
    expect([needsPassword(fragment), record.hasPassword]).toEqual([true, true]);
    expect(decodeProtectedHeader(fragment.slice(2))).toMatchObject({ alg: "PBES2-HS512+A256KW", p2c: 600_000 });
    expect((await openLink(fragment, "correct horse")).path).toBe(order.path);
    await expect(openLink(fragment, "correct hors")).rejects.toThrow();
    await expect(openLink(fragment)).rejects.toThrow();
    await expect(openLink(fragment.slice(2))).rejects.toThrow();
  });

  it("is refused when it is damaged, is another's, or would keep the device busy", async () => {
    const { url } = await makeLink(owner, order);
    const fragment = fragmentOf(url);
    for (const broken of ["", "x", fragment.slice(0, -20), base64url.encode("{}")]) {
      await expect(openLink(broken)).rejects.toThrow();
    }
    const parts = JSON.parse(new TextDecoder().decode(base64url.decode(fragment))) as object;
    const swapped = base64url.encode(JSON.stringify({ ...parts, key: await createKeyText() }));
    await expect(openLink(swapped)).rejects.toThrow("damaged");
    const slow = await new CompactEncrypt(new Uint8Array(1))
      .setProtectedHeader({ alg: "PBES2-HS512+A256KW", enc: "A256GCM" })
      .setKeyManagementParameters({ p2c: 700_000 })
      .encrypt(new TextEncoder().encode("correct horse"));
    await expect(openLink(`p.${slow}`, "correct horse")).rejects.toThrow(/p2c|PBES2/i);
  });
});
