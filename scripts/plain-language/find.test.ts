import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeFinding, findPhrases } from "./find.ts";
import { ruledOutSynonyms, withoutSynonyms } from "./glossary.ts";
import { phrases } from "./phrases.ts";

const glossary = `| term     | meaning                | not               |
| -------- | ---------------------- | ----------------- |
| supplier | A shop that is paid.   | merchant, vendor  |
| pool     | Buys and sells CARBON. |                   |
`;
const linesOf = (file: string, text: string) =>
  findPhrases(file, text, [...phrases, ...ruledOutSynonyms(glossary)]).map(describeFinding);

describe("the check of plain language", () => {
  it("names file and line of a removed phrase and the plain words, also where the phrase crosses a line's end", () => {
    assert.deepEqual(linesOf("docs/a.md", "# ITMOs\n\nThe report says what\nbecomes of a unit.\n"), [
      'docs/a.md:3 "what becomes of": write what happens to',
    ]);
  });

  it("names a synonym that the glossary rules out, its plural too, with the term to use", () => {
    assert.deepEqual(linesOf("docs/a.md", "Pay the Merchants.\nA vendored package is fine.\n"), [
      'docs/a.md:1 "Merchants": write supplier',
    ]);
    assert.deepEqual(
      findPhrases("docs/glossary.md", withoutSynonyms(glossary), ruledOutSynonyms(glossary)),
      [],
      "the glossary itself may name them",
    );
  });

  it("passes code, links and plain text of a document", () => {
    const text =
      "Use `merchant`.\n\n```ts\n// at once\n```\n\n[more](what-becomes-of.md) <!-- anew -->\nIt sells at a price.\n";
    assert.deepEqual(linesOf("docs/a.md", text), []);
  });

  it("reads comments, messages, names of tests and page texts of TypeScript, and no code", () => {
    const text = [
      "/**",
      " * The merchant is paid",
      " * at once.",
      " */",
      "const merchant = `at once`;",
      'it("pays the merchant", () => {});',
      "throw new Error(`Ask the vendor of $" + "{merchant} first`); // made anew",
      'import { anew } from "./anew.ts";',
      "const page = <p>Ask the vendor</p>;",
    ].join("\n");
    assert.deepEqual(linesOf("web/a.tsx", text), [
      'web/a.tsx:2 "merchant": write supplier',
      'web/a.tsx:3 "at once": write immediately, or together',
      'web/a.tsx:5 "at once": write immediately, or together',
      'web/a.tsx:6 "merchant": write supplier',
      'web/a.tsx:7 "anew": write again',
      'web/a.tsx:7 "vendor": write supplier',
      'web/a.tsx:9 "vendor": write supplier',
    ]);
  });

  it("reads comments and messages of Solidity", () => {
    const text = '/// @notice Pays the\n/// merchant.\ncontract vendor {\n  string x = "at once again"; // fine\n}\n';
    assert.deepEqual(linesOf("contracts/A.sol", text), [
      'contracts/A.sol:2 "merchant": write supplier',
      'contracts/A.sol:4 "at once": write immediately, or together',
    ]);
  });
});
