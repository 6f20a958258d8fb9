import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { decodeJwt } from "jose";
import type { Hex } from "viem";
import { openIdentity } from "../../api/platform/identity/identity.ts";
import type { ProofDocument } from "../../api/scheme/itmo/proof/document.ts";
import { checkProof, type Known } from "./check-proof.ts";
import { assertionKeys, didDocument } from "./issuer-keys.ts";

const root = join(import.meta.dirname, "../..");
const example = (name: string) => readFile(join(root, "docs/examples", name));
const run = promisify(execFile);

describe("checking a proof of ITMOs", () => {
  let bytes: Buffer;
  let document: ProofDocument;
  let folder: string;
  let docs: string;
  before(async () => {
    docs = await readFile(join(root, "docs/proofs.md"), "utf8");
    bytes = await example("itmo-proof.json");
    document = JSON.parse(bytes.toString()) as ProofDocument;
    folder = await mkdtemp(join(tmpdir(), "hearth-proof-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const faultsOf = async (file: Uint8Array | string, known: Known = {}) => {
    const { findings } = await checkProof(typeof file === "string" ? Buffer.from(file) : file, known);
    return findings.filter(({ holds }) => !holds).map(({ sentence }) => sentence);
  };
  const changed = (change: (document: ProofDocument) => void) => {
    const copy = structuredClone(document);
    change(copy);
    return JSON.stringify(copy);
  };

  it("accepts a real proof, in one line or with blanks between its members", async () => {
    assert.deepEqual(await faultsOf(bytes), []);
    assert.deepEqual(await faultsOf(JSON.stringify(document)), []);
    assert.deepEqual(await faultsOf(`\n${JSON.stringify(document, null, "\t")}\r\n`), []);
  });

  it("refuses the file when any byte of it is another", async () => {
    const accepted: number[] = [];
    const tryAt = async (i: number, byte: number) => {
      // Another letter of the same kind where there is one: it must not be noticed by its kind alone.
      const other = Uint8Array.from(bytes);
      other[i] = byte ^ (byte === 0x39 || byte === 0x66 ? 4 : 1);
      if ((await faultsOf(other)).length === 0) accepted.push(i);
    };
    // Many at a time: signatures are checked by other threads.
    const step = 128;
    for (let from = 0; from < bytes.length; from += step) {
      await Promise.all(Array.from(bytes.subarray(from, from + step), (byte, i) => tryAt(from + i, byte)));
    }
    assert.deepEqual(accepted, []);
  });

  it("refuses the file when a byte is missing or one is put in", async () => {
    for (let i = 0; i < bytes.length; i += 97) {
      // The example's blanks mean nothing.
      const isBlank =
        " \n".includes(String.fromCharCode(bytes[i] ?? 0)) && !bytes.subarray(0, i).toString().endsWith("café");
      const without = Buffer.concat([bytes.subarray(0, i), bytes.subarray(i + 1)]);
      if (!isBlank) assert.notDeepEqual(await faultsOf(without), [], `without byte ${i}`);
      const longer = Buffer.concat([bytes.subarray(0, i), Buffer.from("0"), bytes.subarray(i)]);
      assert.notDeepEqual(await faultsOf(longer), [], `with a byte before ${i}`);
    }
  });

  it("refuses what JSON would let pass: a member twice, another order, escaped letters, further members", async () => {
    const text = JSON.stringify(document);
    for (const other of [
      text.replace('"chainId":31337', '"chainId":31337,"chainId":31337'),
      text.replace(
        '{"format":"hearth-itmo-proof-1","chainId":31337',
        '{"chainId":31337,"format":"hearth-itmo-proof-1"',
      ),
      text.replace("café", "caf\\u00e9"),
      text.replace('"chainId":31337', '"chainId":31337.0'),
      text.replace('"chainId":31337', '"chainId":31337,"note":"x"'),
      text.replace('"event":"ItmoAction"', '"event":"ItmoAction","__proto__":{"event":"BlockMinted"}'),
      `\ufeff${text}`,
      `${text}0`,
    ]) {
      assert.notEqual(other, text);
      assert.notDeepEqual(await faultsOf(other), []);
    }
  });

  it("names the field that says something else than the bytes", async () => {
    const faults = await faultsOf(
      changed(({ fact, block }) => {
        fact.units.quantity = "601";
        block.header.gasUsed = "0x0";
      }),
    );
    assert.equal(faults.length, 2);
    assert.match(faults.join(" "), /block\.header\.gasUsed .*fact\.units\.quantity is "601".*"600"/);
  });

  it("refuses a further trie node, another node's order, and another receipt of the same block", async () => {
    const { proof } = document.receipt;
    const spare = (copy: ProofDocument) => copy.receipt.proof.push(proof[0] as Hex);
    assert.match(String(await faultsOf(changed(spare))), /do not prove that receipt 3/);
    assert.match(String(await faultsOf(changed((copy) => copy.receipt.proof.reverse()))), /do not prove/);
    const elsewhere = (copy: ProofDocument) => {
      copy.receipt.transactionIndex = 4;
    };
    assert.match(
      String(await faultsOf(changed(elsewhere))),
      /do not prove that receipt 4.*does not say what the log says/,
    );
  });

  it("refuses another log of the receipt, and one of another contract", async () => {
    const other = (copy: ProofDocument) => {
      copy.receipt.logIndex = 0;
    };
    assert.notDeepEqual(await faultsOf(changed(other)), []);
    const foreign = (copy: ProofDocument) => {
      copy.contract = `0x${"1".repeat(40)}`;
    };
    assert.match(String(await faultsOf(changed(foreign))), new RegExp(`is of the contract ${document.contract}`));
  });

  it("refuses a credential of another key under the same DID document, and a DID document with another key", async () => {
    const stranger = await openIdentity({
      dataDir: folder,
      publicUrl: "https://hearth.example",
      serviceKey: "77".repeat(32),
    });
    const [, payload = ""] = document.credential.split(".");
    const forged = await stranger.signJws(Buffer.from(payload, "base64url"), { typ: "JWT" });
    const withToken = (copy: ProofDocument) => {
      copy.credential = forged;
    };
    assert.match(String(await faultsOf(changed(withToken))), /key is not one that its issuer's DID document/);
    const withBoth = (copy: ProofDocument) => {
      copy.credential = forged;
      copy.issuer = stranger.document;
    };
    assert.match(String(await faultsOf(changed(withBoth))), /not the one that the credential names by its digest/);
  });

  it("compares block, contract and issuer with what the reader knows", async () => {
    const issuer = didDocument.parse(JSON.parse((await example("did.json")).toString()));
    const [issuerKey] = assertionKeys(issuer).values();
    const right: Known = {
      blockHash: document.block.hash,
      contract: document.contract,
      didDocument: issuer,
      issuerKey,
    };
    const { trusted } = await checkProof(bytes, right);
    assert.deepEqual(await faultsOf(bytes, right), []);
    assert.equal(trusted.length, 2, trusted.join("\n"));
    assert.equal((await checkProof(bytes)).trusted.length, 5);
    const wrong: Known[] = [
      { blockHash: `0x${"0".repeat(64)}` },
      { contract: `0x${"0".repeat(40)}` },
      { didDocument: { ...issuer, id: "did:web:other.example" } },
      { didDocument: { ...issuer, assertionMethod: [] } },
      { issuerKey: Buffer.alloc(32).toString("base64url") },
    ];
    for (const known of wrong) assert.equal((await faultsOf(bytes, known)).length, 1, JSON.stringify(known));
  });

  it("accepts a proof that a former key signed, while the DID document lists that key", async () => {
    const identity = (keys: object) =>
      openIdentity({ dataDir: folder, publicUrl: "https://hearth.example", serviceKey: "5e".repeat(32), ...keys });
    const rotated = await identity({ signingKey: "6f".repeat(32) });
    const readable = didDocument.parse(rotated.document);
    assert.deepEqual(await faultsOf(bytes, { didDocument: readable }), []);
    const stranger = await openIdentity({
      dataDir: folder,
      publicUrl: "https://hearth.example",
      serviceKey: "6f".repeat(32),
    });
    const other = didDocument.parse(stranger.document);
    assert.match(String(await faultsOf(bytes, { didDocument: other })), /does not have the key that signed/);
  });

  it("asks the reader's own node alone, and says how many blocks came after", async () => {
    const { hash } = document.block;
    const { vc } = decodeJwt(document.credential) as { vc: { credentialSubject: { transactionHash: Hex } } };
    const { transactionHash } = vc.credentialSubject;
    const node = {
      chainId: 31337,
      hash,
      transactions: ["0x0", "0x1", "0x2", transactionHash] as Hex[],
      head: BigInt(document.block.header.number ?? 0) + 4n,
    };
    const ask = (word: Partial<typeof node>): Known => ({ askNode: async () => ({ ...node, ...word }) });
    assert.deepEqual(await faultsOf(bytes, ask({})), []);
    const { findings } = await checkProof(bytes, ask({}));
    assert.match(findings.map(({ sentence }) => sentence).join(" "), /on chain 31337, with 4 blocks after it/);
    assert.equal((await faultsOf(bytes, ask({ chainId: 1 }))).length, 1);
    assert.equal((await faultsOf(bytes, ask({ hash: `0x${"1".repeat(64)}` }))).length, 1);
    assert.equal((await faultsOf(bytes, ask({ transactions: [] }))).length, 1);
  });

  it("tells by a kept status list whether the credential stands, and refuses a list of another issuer", async () => {
    const statusList = (await example("status-list.jwt")).toString();
    assert.deepEqual(await faultsOf(bytes, { statusList }), []);
    const stranger = await openIdentity({
      dataDir: folder,
      publicUrl: "https://hearth.example",
      serviceKey: "77".repeat(32),
    });
    const payload = Buffer.from(statusList.split(".")[1] ?? "", "base64url");
    const forged = await stranger.signJws(payload, { typ: "JWT" });
    assert.match(String(await faultsOf(bytes, { statusList: forged })), /not signed by the credential's key/);
    assert.match(String(await faultsOf(bytes, { statusList: "nothing" })), /status list/);
  });

  it("is checked by other libraries alone, as the documentation says", async (t) => {
    const [, code = ""] = /```js\n(.*?)```/s.exec(docs) ?? [];
    // Where the example's imports are found.
    const modules = await mkdtemp(join(root, "node_modules/.cache-docs-proofs-"));
    t.after(() => rm(modules, { recursive: true, force: true }));
    const file = join(modules, "example.mjs");
    await writeFile(file, code);
    const env = { ...process.env, PROOF: join(root, "docs/examples/itmo-proof.json") };
    const { stdout } = await run(process.execPath, [file], { env });
    const number = BigInt(document.block.header.number ?? 0);
    assert.equal(
      stdout,
      `block ${number} ${document.block.hash}: ItmoAction of 1 to 600, note "Sold under contract 7, café"\n` +
        "did:web:hearth.example signed CA0001-ZMB01-ZMB-1-600-2025\n",
    );
  });

  describe("verify-proof", () => {
    const verify = async (...args: string[]) => {
      const command = [join(root, "scripts/verify-proof.ts"), ...args];
      const env = { ...process.env, INIT_CWD: root };
      return run(process.execPath, command, { env }).then(
        ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
        ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
      );
    };

    it("verifies the example of the documentation as it is printed there", async () => {
      const [, printed = ""] = /npm run verify-proof -- (docs\/examples.*?)```/s.exec(docs) ?? [];
      const { code, stdout, stderr } = await verify(...printed.split(/[\s\\]+/).filter((word) => word !== ""));
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /First transfer .* of 600 t, CA0001-ZMB01-ZMB-1-600-2025, from ZMB, to CHE/);
      assert.match(
        stdout,
        /not revoked in the status list.*trusted the transaction's hash 0x\w{64}, .*\n\nThe proof holds/s,
      );
    });

    it("ends with 1 for a proof that does not hold, also as JSON", async () => {
      const path = join(folder, "changed.json");
      await writeFile(
        path,
        changed(({ fact }) => Object.assign(fact.units, { vintage: 2026 })),
      );
      const { code, stdout } = await verify(path, "--json");
      assert.equal(code, 1);
      assert.equal(JSON.parse(stdout).verified, false);
    });

    it("ends with 1 where nothing was compared with what the reader knows, unless told so", async () => {
      const file = "docs/examples/itmo-proof.json";
      const block = ["--block-hash", document.block.hash];
      const nothing = await verify(file);
      assert.equal(nothing.code, 1, nothing.stdout);
      assert.match(nothing.stdout, /Not verified.*the block.*--rpc.*the scheme's contract.*--unanchored/s);
      assert.equal((await verify(file, ...block)).code, 1, "anyone can deploy such a contract");
      assert.equal((await verify(file, "--contract", document.contract)).code, 1, "anyone can write a block");
      assert.equal((await verify(file, ...block, "--contract", document.contract)).code, 0);
      assert.equal((await verify(file, ...block, "--did-document", "docs/examples/did.json")).code, 0);
      const accepted = await verify(file, "--unanchored");
      assert.equal(accepted.code, 0, accepted.stdout);
      assert.match(accepted.stdout, /The proof holds, if what is trusted above is so/);
      const json = await verify(file, "--json");
      assert.deepEqual([json.code, JSON.parse(json.stdout).verified, JSON.parse(json.stdout).fact], [1, false, null]);
    });

    it("ends with 2 when it is not understood", async () => {
      const { code, stderr } = await verify("a.json", "--issuer-key", "z6");
      assert.equal(code, 2);
      assert.match(stderr, /--issuer-key is no Ed25519 key.*Usage: npm run verify-proof/s);
    });
  });
});
