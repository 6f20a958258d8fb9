import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it, test } from "node:test";
import { cruise as followImports, type ICruiseOptions, type ICruiseResult } from "dependency-cruiser";
import readCruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";

const root = join(import.meta.dirname, "..");
const options = await readCruiseOptions(join(root, ".dependency-cruiser.cjs"));

/** Follow the imports of a tree, as `npm run check` does with ours. In this process, as loading the program takes longer than a small tree. */
async function cruise(folder: string, others: ICruiseOptions = {}): Promise<ICruiseResult> {
  const folders = ["api", "connect"].filter((each) => existsSync(join(folder, each)));
  const { output } = await followImports(folders, { ...options, ...others, baseDir: folder });
  assert.ok(typeof output === "object");
  return output;
}

/** Most source files that a folder may have, not counting those of its inner folders: someone new should find one by its noun. */
const mostFiles = 20;
/** Folders that have more, and how many they may have until they are divided. */
const notDivided: Record<string, number> = {
  scripts: 69,
  "sdk/src/core": 49,
  "web/src/implementer/campaigns": 34,
  "indexer/src/api": 30,
  "indexer/lib": 30,
  "api/scheme/governance": 30,
  "web/src/show": 24,
  "api/platform/http": 24,
  "api/scheme/emissions": 23,
  "wire/src": 22,
  "indexer/schema": 22,
  "api/scheme/kpt": 22,
  "api/scheme/certificates": 22,
  "web/src/shell": 21,
  "api/platform/server": 21,
};

test("a folder is divided before it has too many source files", () => {
  const exclude = (path: string) =>
    /^(?:node_modules|dist|generated|.*\.(?:test|d)\.tsx?)$/.test(path.split("/").at(-1) ?? "");
  const files = globSync("{api,connect,indexer,scripts,sdk/src,web/src,wire/src}/**/*.{ts,tsx}", {
    cwd: root,
    exclude,
  });
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  assert.ok(counts.size > 100, "The pattern finds the folders.");
  const large = [...counts].filter(([, count]) => count > mostFiles);
  assert.deepEqual(
    large.filter(([folder, count]) => count > (notDivided[folder] ?? mostFiles)),
    [],
    "Divide these folders, as others are.",
  );
  assert.deepEqual(
    Object.keys(notDivided).filter((folder) => !large.some(([name]) => name === folder)),
    [],
    "These are divided: take them off the list.",
  );
});

for (const page of ["docs/architecture.md", "docs/tested-rules.md"]) {
  test(`every file that ${page} names exists`, async () => {
    const text = await readFile(join(root, page), "utf8");
    const names = [...text.matchAll(/`([a-z][\w-]*\/(?:[\w.-]+\/?)*)`/g)].map(([, name]) => name ?? "");
    assert.ok(names.length > 50, "The pattern finds the names.");
    assert.deepEqual(
      names.filter((name) => !existsSync(join(root, name))),
      [],
    );
  });
}

test("no two features of the API import each other, directly or through others", async () => {
  const { modules } = await cruise(root, {
    validate: false,
    exclude: { path: String.raw`^api/.*\.test\.ts$|node_modules` },
  });
  const imports = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    const from = featureOf(source);
    if (from === undefined) continue;
    for (const { resolved, dynamic } of dependencies) {
      const to = featureOf(resolved);
      if (to === undefined || to === from || dynamic) continue;
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  }
  assert.ok(imports.size > 20, "The features are found.");
  assert.deepEqual(circleOf(imports), []);
});

function featureOf(path: string): string | undefined {
  return /^api\/(?:(?:platform|scheme)\/[^/]+|files|oracle)(?=\/)|^api\/platform\/[^/]+\.ts$/.exec(path)?.[0];
}

/** Features that import each other in a circle; none when there is no circle. */
function circleOf(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Map(imports);
  for (;;) {
    const free = [...left].filter(([, others]) => ![...others].some((other) => left.has(other)));
    if (free.length === 0) return [...left.keys()];
    for (const [feature] of free) left.delete(feature);
  }
}

/** Forbidden imports: the broken rules, the file that imports, what it imports. */
const forbidden = [
  ["platform-imports-nothing-above", "api/platform/http/index.ts", "api/scheme/pool/index.ts"],
  ["scheme-files-and-oracle-are-apart", "api/scheme/kpt/index.ts", "api/files/index.ts"],
  ["scheme-files-and-oracle-are-apart", "api/oracle/index.ts", "api/scheme/pool/index.ts"],
  ["only-the-composition-knows-everything", "api/scheme/kpt/index.ts", "api/compose.ts"],
  ["features-import-entries-of-other-features", "api/scheme/kpt/index.ts", "api/scheme/pool/swap.ts"],
  ["the-rest-imports-entries-of-features", "api/files/index.ts", "api/platform/http/router.ts"],
  ["tables-imports-tables", "api/tables.ts", "api/scheme/pool/index.ts"],
  ["files-and-oracle-are-imported-through-their-entries", "api/app.ts", "api/files/http/mount.ts"],
  ["rooms-use-wire-and-small-pieces-of-the-platform", "connect/odk/index.ts", "api/scheme/pool/index.ts"],
  ["rooms-use-wire-and-small-pieces-of-the-platform", "connect/odk/index.ts", "api/platform/chain/index.ts"],
  ["rooms-are-apart", "connect/odk/index.ts", "connect/kobo/index.ts"],
  ["rooms-are-apart", "connect/records/process.ts", "connect/odk/deps.ts"],
  ["only-the-composition-knows-rooms", "api/scheme/kpt/index.ts", "connect/index.ts"],
  ["only-the-composition-knows-rooms", "api/app.ts", "connect/index.ts"],
  ["api-reads-deployments-and-index-schema, scripts-are-not-imported", "api/platform/http/index.ts", "scripts/help.ts"],
] as const;

describe("the rules about dependencies", () => {
  for (const [rule, from, to] of forbidden) {
    it(`refuse that ${from} imports ${to}`, async (t) => {
      const broken = await rulesBrokenBy(t, { [from]: importOf(from, to), [to]: "export type A = 1;\n" });
      assert.equal(broken.join(", "), rule);
    });
  }

  it("refuse that files import each other's types in a circle", async (t) => {
    const [a, b] = ["api/scheme/pool/index.ts", "api/scheme/pool/swap.ts"] as const;
    assert.deepEqual(await rulesBrokenBy(t, { [a]: importOf(a, b), [b]: importOf(b, a) }), ["no-cycles-in-api"]);
  });

  it("allow an import of another feature's entry", async (t) => {
    const [from, to] = ["api/scheme/kpt/index.ts", "api/scheme/pool/index.ts"] as const;
    assert.deepEqual(await rulesBrokenBy(t, { [from]: importOf(from, to), [to]: "export type A = 1;\n" }), []);
  });
});

function importOf(from: string, to: string): string {
  const up = "../".repeat(from.split("/").length - 1);
  return `import type { A } from "${up}${to}";\nexport type B = A;\n`.replace(
    'from "',
    `from "${up === "" ? "./" : ""}`,
  );
}

/** Names of the rules that a tree of these files breaks. */
async function rulesBrokenBy(t: { after: (fn: () => Promise<void>) => void }, files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "hearth-rules-"));
  t.after(() => rm(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { summary } = await cruise(folder);
  return [...new Set(summary.violations.map(({ rule }) => rule.name))];
}
