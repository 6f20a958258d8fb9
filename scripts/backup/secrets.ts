import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../api/config.ts";
import type { Manifest } from "./manifest.ts";
import { BackupError } from "./place.ts";

type SecretReference = Manifest["secrets"][number];

/** Every secret that the data depends on, as this environment has it: where it is kept, and its fingerprint. */
export function secretReferences(config: Config): SecretReference[] {
  const { roleKeys } = config.chain;
  const configured: [string, string, string | undefined][] = [
    ["scheme", "SCHEME_KEY", config.chain.schemeKey],
    ["sealing", "SEALING_KEY", config.sealing.current],
    ["service", "SERVICE_KEY", config.serviceKey],
    ["signing", "SIGNING_KEY", config.signingKey],
    ["vfs-kek", "VFS_KEK", config.files.kek.current],
    ["operator", "RELAYER_KEY", roleKeys.operator],
    ["registrar", "REGISTRAR_KEY", roleKeys.registrar],
    ["evaluator", "EVALUATOR_KEY", roleKeys.evaluator],
    ["oracle", "ORACLE_MNEMONIC", config.oracle.mnemonic.kind === "given" ? config.oracle.mnemonic.phrase : undefined],
  ];
  const found = new Map<string, SecretReference>();
  for (const [name, variable, value] of configured) {
    if (value !== undefined) found.set(name, reference(name, variable, value));
  }
  for (const { name, lines } of keyFiles(config.dataDir)) {
    const [current = ""] = lines;
    if (!found.has(name)) found.set(name, reference(name, `DATA_DIR/keys/${name}.key`, current));
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** The fingerprint of the scheme key, which no two systems share. */
export function systemOf(secrets: readonly SecretReference[]): string {
  const scheme = secrets.find(({ name }) => name === "scheme");
  if (scheme === undefined)
    throw new BackupError(
      "Neither SCHEME_KEY nor DATA_DIR/keys/scheme.key is there: use the same variables as the API.",
    );
  return scheme.fingerprint;
}

/**
 * Compare the secrets of this environment with those of a backup.
 * @throws BackupError that names every one that is missing or different
 */
export function requireSameSecrets({ secrets, chain }: Manifest, config: Config): void {
  const present = new Map(secretReferences(config).map((each) => [each.name, each.fingerprint]));
  // During a rotation, files and values are still encrypted with the previous keys.
  const previous = new Set(
    [
      ...config.files.kek.previous.map((value) => ({ name: "vfs-kek", lines: [value] })),
      ...config.sealing.previous.map((value) => ({ name: "sealing", lines: [value] })),
      ...keyFiles(config.dataDir).filter(({ name }) => rotated.has(name)),
    ].flatMap(({ name, lines }) => lines.map((value) => fingerprint(name, value))),
  );
  const problems = secrets.flatMap(({ name, place, fingerprint: wanted }) => {
    // Anyone can sign in with another admin key, and on an outside chain an account can have passed its role to another.
    if (name === "admin" || (roleNames.has(name) && !chain.embedded)) return [];
    const given = present.get(name);
    if (given === wanted || (rotated.has(name) && previous.has(wanted))) return [];
    return [`${name} (was ${place}) ${given === undefined ? "is missing" : "is different"}`];
  });
  if (problems.length === 0) return;
  throw new BackupError(
    `A backup has no secrets. Provide those that the system had then, as variables or in DATA_DIR/keys: ${problems.join("; ")}.`,
  );
}

/** Keys of which previous ones are kept while a rotation lasts. */
const rotated = new Set(["vfs-kek", "sealing"]);
const roleNames = new Set(["operator", "registrar", "evaluator", "oracle-owner"]);

function reference(name: string, place: string, value: string): SecretReference {
  return { name, place, fingerprint: fingerprint(name, value) };
}

/** Of at least 128 random bits, so that nobody finds the secret by trying. */
function fingerprint(name: string, value: string): string {
  const secret = value.trim().replace(/^0x/, "").toLowerCase();
  return createHmac("sha256", secret).update(`hearth backup ${name}`).digest("hex").slice(0, 32);
}

/** The secrets in DATA_DIR/keys. Only those of rotated keys may have several lines: the current key and previous ones. */
function keyFiles(dataDir: string): { name: string; lines: string[] }[] {
  const folder = join(dataDir, "keys");
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".key"));
    return names.map((name) => ({
      name: name.slice(0, -".key".length),
      lines: readFileSync(join(folder, name), "utf8").trim().split("\n"),
    }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
