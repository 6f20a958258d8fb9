import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Deployment } from "../../deployments/deployment.ts";

/**
 * Identifies what a database belongs to: a chain by its genesis, a deployment, a version of this code and of the embedded
 * database.
 */
export type Marker = {
  genesis: string;
  chainId: number;
  addresses: Deployment["contracts"];
  code: string;
  /** Version of PGlite. */
  pglite: string;
};

/** Hash of everything that affects the rows: schema, handlers, their imports, and the ABIs. */
export function codeHash(indexerFolder: string): string {
  const files = globSync(["ponder.*.ts", "schema/*.ts", "src/*.ts", "lib/*.ts", "../deployments/abi/*.ts"], {
    cwd: indexerFolder,
  }).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(indexerFolder, file)));
  return hash.digest("hex");
}

/** Check whether two markers have the same chain and deployment, regardless of the code. */
export function sameChain(a: Marker, b: Marker): boolean {
  const names = new Set([...Object.keys(a.addresses), ...Object.keys(b.addresses)]) as Set<keyof Marker["addresses"]>;
  const sameAddresses = [...names].every((name) => a.addresses[name] === b.addresses[name]);
  return a.genesis === b.genesis && a.chainId === b.chainId && sameAddresses;
}

/** Check whether a marker differs from another only by added contracts. */
export function extendsChain(later: Marker, earlier: Marker): boolean {
  return sameChain(later, { ...earlier, addresses: { ...later.addresses, ...earlier.addresses } });
}

/** Name the database schema of a version of the code: Ponder needs a new one whenever the code changes. */
export const schemaName = (marker: Marker): string => `hearth_${marker.code.slice(0, 8)}`;
