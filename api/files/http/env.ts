import type { Context } from "hono";
import type { AppEnv } from "../../platform/http/index.ts";
import type { Access, OpenAuthority } from "../../platform/ucan/index.ts";
import type { FileContext, FileDeps, FileParts } from "../deps.ts";

/** Dependencies of the file store's routes: the store, and the authority that verifies tokens. */
export type FileRouteDeps = Omit<FileDeps, "files"> & { files: FileParts & { authority: OpenAuthority } };

/** Context of the file store's routes: `access` describes what the request's token allows. */
export type FileEnv = {
  Bindings: NonNullable<AppEnv["Bindings"]>;
  Variables: AppEnv["Variables"] & { access: Access };
};

/** The first argument of the file store's services, built from a request. */
export function fileContext(deps: FileDeps, c: Context<FileEnv>): FileContext {
  return { deps, access: c.get("access"), requestId: c.get("requestId"), signal: c.req.raw.signal };
}
