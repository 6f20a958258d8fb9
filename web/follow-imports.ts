/** These files and all that they import, also over other files: `importsOf` names the imports of one file. */
export function withImports<File>(from: Iterable<File>, importsOf: (file: File) => Iterable<File>): Set<File> {
  const found = new Set(from);
  // Files added during the loop are visited too.
  for (const file of found) for (const each of importsOf(file)) found.add(each);
  return found;
}

/** The code that signs with the person's key. */
export const signing = "src/identity/signing.ts";

/**
 * Sources that these pages load by `import()` immediately, because they show nothing without them: the first page's figures, and the code
 * that signs.
 */
export function neededAtOnce(page: string): string[] {
  if (page === "src/shell/home-page.tsx") return ["src/shell/home/home-figures.tsx"];
  return /^src\/(files|chat)\//.test(page) ? [signing] : [];
}
