import type { FileContext } from "../../../api/files/deps.ts";
import { createFileStore } from "../../../api/files/file-store.ts";
import { openServices } from "../../../api/oracle/plugins/host/open-services.ts";
import type { Services } from "../../../api/oracle/plugins/host/services.ts";
import { createDidResolver, didKeyMethod } from "../../../api/platform/dids/did-resolution.ts";
import type { FileCaller } from "../../../api/platform/ports/files.ts";
import { openAuthority } from "../../../api/platform/ucan/authority.ts";
import { openTestFiles } from "../files/files.ts";

export type TestServices = {
  services: Services;
  /** First argument of the file store's own functions, for what the port does not offer. */
  fileContext: (caller: FileCaller) => FileContext;
  close: () => Promise<void>;
};

/** For tests: the services over a real file store and database, without a chain. */
export async function openTestServices(env: Record<string, string> = {}): Promise<TestServices> {
  const { deps, close } = await openTestFiles(env);
  const { identity } = deps.files;
  const resolver = createDidResolver([didKeyMethod], Date.now);
  const services = openServices({
    ...deps,
    identity,
    authority: openAuthority({ ...deps, identity, resolver }),
    config: { chain: { embedded: true } },
    files: createFileStore(deps),
    readAccess: { actorOf: async () => undefined },
    participants: { isSupplier: async () => false, isImplementer: async () => false },
    fetch: () => Promise.reject(new Error("There is no app in this test")),
  });
  return { services, fileContext: (caller) => ({ ...caller, deps }), close };
}
