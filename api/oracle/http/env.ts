import type { AppEnv } from "../../platform/http/context.ts";
import type { Caller } from "../auth/authenticate.ts";

/** What the oracle's routes find in a request's context. */
export type OracleEnv = {
  Bindings: AppEnv["Bindings"];
  Variables: AppEnv["Variables"] & {
    /** The authenticated caller; set on every route that is not public. */
    caller: Caller;
  };
};
