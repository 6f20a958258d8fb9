import type { AppEnv } from "../../platform/http/index.ts";
import type { Caller } from "../auth/authenticate.ts";

/** Context of the oracle's routes. */
export type OracleEnv = {
  Bindings: AppEnv["Bindings"];
  Variables: AppEnv["Variables"] & {
    /** The authenticated caller; set on every route that is not public. */
    caller: Caller;
  };
};
