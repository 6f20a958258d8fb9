/** These files and all that they import, also over other files: `importsOf` names the imports of one file. */
export function withImports<File>(from: Iterable<File>, importsOf: (file: File) => Iterable<File>): Set<File> {
  const found = new Set(from);
  // Files added during the loop are visited too.
  for (const file of found) for (const each of importsOf(file)) found.add(each);
  return found;
}

/** The code that signs with the person's key, as its path below `src`. */
export const signing = "identity/signing.ts";

/**
 * What a page loads by `import()` immediately, because it shows nothing without it: the first page's figures, and the code that signs.
 * Paths are below `src`.
 */
export function neededAtOnce(page: string): string[] {
  if (page === "shell/home-page.tsx") return ["shell/home/home-figures.tsx"];
  return /^(files|chat)\//.test(page) ? [signing] : [];
}
