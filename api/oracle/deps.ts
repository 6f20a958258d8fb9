import type { Resolvable } from "did-resolver";
import type { Registry } from "prom-client";
import type { Chain } from "../platform/chain/index.ts";
import type { Database } from "../platform/db/index.ts";
import type { Actor, RateLimiter } from "../platform/http/index.ts";
import type { ServiceIdentity } from "../platform/identity/index.ts";
import type { Log } from "../platform/log.ts";
import type { FileStore } from "../platform/ports/files.ts";
import type { OpenAuthority } from "../platform/ucan/index.ts";
import type { Workers } from "../platform/workers/index.ts";
import type { OracleConfig } from "./configuration.ts";
import type { Fetch } from "./plugins/host/facade.ts";
import type { Participants } from "./plugins/host/open-services.ts";

/** The parts of the configuration that the oracle reads. */
export type OracleSettings = {
  dataDir: string;
  /** Undefined: the embedded database. */
  databaseUrl: string | undefined;
  publicUrl: string;
  trustProxy: boolean;
  chain: { embedded: boolean; rpcUrl: string };
  oracle: OracleConfig;
};

/** Everything that the oracle needs of the rest of the server. */
export type OracleDeps = {
  config: OracleSettings;
  db: Database;
  /** True when this is the only process on the database. */
  exclusive: boolean;
  rateLimiter: RateLimiter;
  clock: { now: () => Date };
  log: Log;
  metrics: Registry;
  workers: Workers;
  chain: Chain;
  /** 64 hexadecimal digits. */
  schemeKey: string;
  identity: Pick<ServiceIdentity, "did" | "keyDid" | "audiences" | "principal">;
  authority: Pick<OpenAuthority, "revocations" | "verifyBearer">;
  /** Resolves did:web and did:ethr. */
  resolver: Resolvable;
  files: FileStore;
  participants: Participants;
  /** Whether the actor's key or session is still valid. */
  isInForce: (actor: Actor) => Promise<boolean>;
  /** Sends a request to this server's app, in this process. No request is sent before `start`. */
  fetch: Fetch;
  /** Receives a line for each plugin that is excluded; by default the log does. */
  say?: ((line: string) => void) | undefined;
};
