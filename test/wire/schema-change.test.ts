import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { wireSchema } from "../../scripts/wire-schema.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const schemaFile = resolve(root, "wire/src/schema.ts");
const tablesFile = resolve(root, "wire/src/index-tables.ts");
const { options, fileNames } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(resolve(root, "web/tsconfig.json"), ts.sys.readFile).config,
  ts.sys,
  resolve(root, "web"),
);
/** The field of the API and the column of the index that get other names. */
const renamed = /remainingBalance|verifiedReduction/;
/** The files of the console that name one of them, without tests: who reads a field names it. `npm run check` checks the others, too. */
const readers = fileNames.filter(
  (name) => /\/web\/src\//.test(name) && !/\.test\.tsx?$/.test(name) && renamed.test(readFileSync(name, "utf8")),
);
const openapi = readFileSync(resolve(root, "openapi.json"), "utf8");

/** Source files as they are on disk, parsed once. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Check the types of the console's files, by paths from the root, with some files replaced in memory. */
function checkConsole(replaced: Record<string, string>, files: readonly string[]) {
  const host = ts.createCompilerHost(options);
  const { readFile, getSourceFile } = host;
  host.readFile = (name) => replaced[resolve(name)] ?? readFile(name);
  host.getSourceFile = (name, ...rest) => {
    if (replaced[resolve(name)] !== undefined) return getSourceFile(name, ...rest);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest));
    return parsed.get(name);
  };
  const program = ts.createProgram(files, options, host);
  return files.flatMap((name) => {
    const source = program.getSourceFile(name);
    assert.ok(source !== undefined, name);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => ({
        file: name.slice(root.length),
        message: ts.flattenDiagnosticMessageText(messageText, " "),
      }),
    );
  });
}

describe("a change of a schema that the console reads", () => {
  /** Errors after both got other names, in one check, as each takes long. */
  let errors: ReturnType<typeof checkConsole>;
  before(async () => {
    const document = JSON.parse(openapi);
    const { Voucher: voucher } = document.components.schemas;
    const { remainingBalance, ...others } = voucher.properties;
    voucher.properties = { ...others, balanceLeft: remainingBalance };
    voucher.required = voucher.required.map((name: string) => (name === "remainingBalance" ? "balanceLeft" : name));
    const tables = readFileSync(tablesFile, "utf8");
    const changed = tables.replace("    verifiedReduction: string;", "    reduction: string;");
    assert.notEqual(changed, tables);
    const changes = { [schemaFile]: await wireSchema(JSON.stringify(document)), [tablesFile]: changed };
    errors = checkConsole(changes, readers);
  });

  const filesOf = (name: string) =>
    new Set(errors.filter(({ message }) => message.includes(name)).map(({ file }) => file));

  // Only the files that the changes break: `npm run check` checks all of them.
  it("changes nothing while the document stays the same", async () => {
    const broken = new Set(errors.map(({ file }) => resolve(root, file)));
    assert.ok(broken.size > 0);
    assert.deepEqual(checkConsole({ [schemaFile]: await wireSchema(openapi) }, [...broken]), []);
  });

  it("fails the type check of each page that reads the field", () => {
    assert.deepEqual(
      filesOf("remainingBalance"),
      new Set([
        "web/src/decisions/vouchers.ts",
        "web/src/implementer/vouchers/vouchers-page.tsx",
        "web/src/supplier/redeem/redeem-form.tsx",
        "web/src/supplier/redeem/voucher-card.tsx",
      ]),
    );
    assert.deepEqual(
      errors.filter(({ message }) => !renamed.test(message)),
      [],
    );
  });

  it("fails the type check for a column of the index as well", () => {
    assert.ok(filesOf("verifiedReduction").has("web/src/regulator/certificates-page.tsx"));
  });
});
