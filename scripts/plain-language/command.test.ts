import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";

const script = join(import.meta.dirname, "../plain-language.ts");
const glossary = join(import.meta.dirname, "../../docs/glossary.md");

describe("node scripts/plain-language.ts", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-language-"));
    await mkdir(join(folder, "docs"));
    await cp(glossary, join(folder, "docs/glossary.md"));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const check = () => {
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: "utf8" });
    return { status, stderr };
  };

  it("passes the glossary, which names the words that it rules out", () => {
    assert.deepEqual(check(), { status: 0, stderr: "" });
  });

  it("fails with file, line and plain words for a document, a comment and a message", async () => {
    await writeFile(join(folder, "docs/pay.md"), "# Payment\n\nThe merchant is paid at once.\n");
    await writeFile(join(folder, "new.ts"), '// Made anew.\nthrow new Error("The coupon is spent");\n');
    assert.deepEqual(check(), {
      status: 1,
      stderr: [
        'docs/pay.md:3 "at once": write immediately, or together',
        'docs/pay.md:3 "merchant": write supplier',
        'new.ts:1 "anew": write again',
        'new.ts:2 "coupon": write voucher',
        "",
      ].join("\n"),
    });
  });

  it("reads the texts of cards, forms, phones and mails in all languages", async () => {
    await Promise.all([rm(join(folder, "docs/pay.md"), { force: true }), rm(join(folder, "new.ts"), { force: true })]);
    const write = async (file: string, text: string) => {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    };
    const mails = "api/platform/notifications/texts";
    await write(`${mails}/en.json`, '{ "paid": "A merchant was paid." }');
    await write(`${mails}/pt.json`, '{ "paid": "Uma família foi paga." }');
    await write("wire/src/reason-texts/en.json", '{ "paid": "The coupon is spent." }');
    await write("wire/src/reason-texts/sw.json", '{ "paid": "Familia imelipwa." }');
    await write("connect/odk/sentences.json", '{ "later": { "fr": "Pas now, not maintenant." } }');
    await write("connect/records/forms/texts.json", '{ "A coupon is paid": ["Payé", "Pago", "Is it imelipwa"] }');
    await write("connect/phones/texts.ts", 'export const texts = { fr: { later: "La famille attend." } };\n');
    await write("api/scheme/cards/sheets/texts.ts", 'export const texts = { sw: { lost: "Kadi of kaya" } };\n');
    await write("web/src/i18n/fr/home.json", '{ "title": "Bons and cartes" }');
    assert.deepEqual(check(), {
      status: 1,
      stderr: [
        'api/platform/notifications/texts/en.json:1 "merchant": write supplier',
        'connect/records/forms/texts.json:1 "coupon": write voucher',
        'wire/src/reason-texts/en.json:1 "coupon": write voucher',
        'api/platform/notifications/texts/pt.json:1 "família": write agregado familiar',
        'api/scheme/cards/sheets/texts.ts:1 "of": write the translation of this English word',
        'connect/odk/sentences.json:1 "not": write the translation of this English word',
        'connect/phones/texts.ts:1 "famille": write ménage',
        'connect/records/forms/texts.json:1 "Is": write the translation of this English word',
        'web/src/i18n/fr/home.json:1 "and": write the translation of this English word',
        'wire/src/reason-texts/sw.json:1 "Familia": write kaya',
        "",
      ].join("\n"),
    });
  });
});
