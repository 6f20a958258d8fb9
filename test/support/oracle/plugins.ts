import { openServices, type ServiceDeps, type Services } from "../../../api/oracle/plugins/host/services.ts";
import { createDidResolver, didKeyMethod } from "../../../api/platform/dids/did-resolution.ts";
import { openAuthority } from "../../../api/platform/ucan/authority.ts";
import { openTestFiles } from "../files/files.ts";

export type TestServices = { services: Services; close: () => Promise<void> };

/** The services over a real file store and database; without a chain. */
export async function openTestServices(env: Record<string, string> = {}): Promise<TestServices> {
  const store = await openTestFiles(env);
  const { identity } = store.deps.files;
  const resolver = createDidResolver([didKeyMethod], Date.now);
  const files = { ...store.deps.files, authority: openAuthority({ ...store.deps, identity, resolver }) };
  const deps = { ...store.deps, files } as unknown as ServiceDeps;
  return { services: openServices(deps), close: store.close };
}
