import type { Database } from "../../platform/db/index.ts";
import type { Ledger } from "../registry/index.ts";
import { CertificateDirectory } from "./directory.ts";
import { openCertificateStore } from "./store.ts";

/** Open the directory of certificates and its store. */
export function openCertificates({ db, ledger }: { db: Database; ledger: Ledger }): CertificateDirectory {
  return new CertificateDirectory(openCertificateStore(db), ledger);
}
