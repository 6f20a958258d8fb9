// Preloaded by scripts/launch.cjs into every Node process of ours. For each file that it resolves Node 24 parses the "exports" of
// the file's package again; those of drizzle-orm are 130 kB, which makes up a third of the time that it takes to load the API.
// Plain JavaScript: small programs must not load the TypeScript stripper for it.
import { registerHooks } from "node:module";

/** Files of the package, by the package that imports them and the name under which it does. */
const found = new Map();
const packages = "/node_modules/";

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context;
    if (parentURL === undefined || !conditions.includes("import")) return next(specifier, context);
    if (specifier.startsWith("drizzle-orm")) return resolveOnce(specifier, context, next);
    if (!specifier.startsWith(".") || !parentURL.includes("/node_modules/drizzle-orm/"))
      return next(specifier, context);
    // Inside the package each import names a file, and each file that is imported is a module.
    return { url: new URL(specifier, parentURL).href, format: "module", shortCircuit: true };
  },
});

/** All files of a package see the same copy of drizzle-orm, and so do our own. */
function resolveOnce(specifier, context, next) {
  const importer = context.parentURL;
  const begin = importer.lastIndexOf(packages) + packages.length;
  const folder = begin < packages.length ? "" : importer.slice(0, importer.indexOf("/", begin));
  const key = `${specifier} ${folder}`;
  const known = found.get(key) ?? { ...next(specifier, context), shortCircuit: true };
  found.set(key, known);
  return known;
}
