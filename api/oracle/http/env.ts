import type { AppEnv } from "../../platform/http/index.ts";
import type { Artifacts, Caller } from "../auth/authenticate.ts";

/** Context of the oracle's routes. */
export type OracleEnv = {
  Bindings: AppEnv["Bindings"];
  Variables: AppEnv["Variables"] & {
    /** The authenticated caller; set on every route that is not public. */
    caller: Caller;
    /** The tokens that authenticated the caller. */
    artifacts: Artifacts;
  };
};
