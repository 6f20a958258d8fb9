import type { Log } from "../../../platform/log.ts";
import type { FileCaller, FileStore } from "../../../platform/ports/files.ts";
import type { TaskStore } from "../../tasks/task-store.ts";
import type { Facade } from "./facade.ts";
import type { ToolContext } from "./tool.ts";

/** What plugins can use: this server's features as callers of the API see them, never a store. */
export type Services = {
  /** The oracle's DID. */
  did: string;
  clock: { now: () => Date };
  log: Log;
  /** True while the chain and everything else run on this machine. */
  isEmbedded: boolean;
  /** The routes of /v1 in the user's name: with the role that its DID has in the scheme. */
  facade: Facade;
  /** The file store, for a caller of `userFiles` or `oracleFiles`. */
  files: FileStore;
  /** Access to the user's own files, as its delegation allows. @throws AppError FORBIDDEN without a delegation over files */
  userFiles: (ctx: Pick<ToolContext, "user" | "delegation" | "requestId" | "signal">) => Promise<FileCaller>;
  /** Access to the oracle's own files, encrypted and versioned like all others. See `roomFolder`. */
  oracleFiles: () => Promise<FileCaller>;
  /** Scheduled tasks. */
  tasks: TaskStore;
};

/** The oracle's folder in the service's own namespace. */
export const oracleFolder = "/oracle";

/** The folder of what the oracle keeps for one user. */
export function roomFolder(roomId: string): string {
  return `${oracleFolder}/rooms/${encodeURIComponent(roomId)}`;
}
