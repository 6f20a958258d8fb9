export type Component = {
  group?: string;
  name: string;
  version?: string;
  licenses?: ({ expression: string } | { license: { id?: string; name?: string } })[];
};

/** Licences that allow use and distribution with this project's own, Apache-2.0, when their notices are kept. */
const accepted = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BSL-1.0",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT/X11",
  "Unlicense",
  "Zlib",
]);

/** Packages with another licence, or without a statement, and why they are accepted. */
const reviewed: Readonly<Record<string, string>> = {
  "@ethereumjs/block": "MPL-2.0 applies to its own files, which are used unchanged",
  "@ethereumjs/mpt": "as @ethereumjs/block",
  "@ethereumjs/rlp": "as @ethereumjs/block",
  "@ethereumjs/tx": "as @ethereumjs/block",
  "@ethereumjs/util": "as @ethereumjs/block",
  "@safe-global/safe-smart-account": "LGPL-3.0; deployed unchanged as its package ships it, not linked",
  buffers: "MIT, as its repository says",
  "combine-errors": "MIT, as its README says",
  "dejavu-fonts-ttf": "fonts under a free licence that allows embedding",
  lightningcss: "MPL-2.0; builds the console and is used unchanged",
  mediabunny: "MPL-2.0; used unchanged",
  nodemailer: "MIT-0 is MIT without the duty to keep its notice",
  "png-js": "MIT, as its repository says",
  "web-push": "MPL-2.0; used unchanged",
};

/** One sentence for each package whose licence is neither accepted nor reviewed. */
export function refusedLicences({ components }: { components: readonly Component[] }): string[] {
  return components.flatMap((component) => {
    const name = component.group ? `${component.group}/${component.name}` : component.name;
    const licences = (component.licenses ?? []).map((each) =>
      "expression" in each ? each.expression : (each.license.id ?? each.license.name ?? ""),
    );
    if (licences.length > 0 && licences.every(isAccepted)) return [];
    if (Object.hasOwn(reviewed, name.replace(/^lightningcss-.*/, "lightningcss"))) return [];
    const stated = licences.length === 0 ? "states no licence" : `has the licence ${licences.join(", ")}`;
    return [
      `${name} ${component.version ?? ""} ${stated}: accept it in scripts/sbom/licences.ts, or use another package.`,
    ];
  });
}

/** `A OR B` needs one accepted licence, `A AND B` each. Expressions that mix the two need a review. */
function isAccepted(expression: string): boolean {
  const plain = expression.replaceAll(/^\(|\)$/g, "");
  const [either, both] = [plain.split(" OR "), plain.split(" AND ")];
  if (either.length > 1 && both.length > 1) return false;
  return either.length > 1 ? either.some((each) => accepted.has(each)) : both.every((each) => accepted.has(each));
}
