import type { Deps } from "../../../compose.ts";
import type { FileContext } from "../../../files/deps.ts";
import { AppError } from "../../../platform/errors.ts";
import type { Actor } from "../../../platform/http/request-context.ts";
import { Access } from "../../../platform/ucan/access.ts";
import { refuseExpired } from "../../../platform/ucan/authority.ts";
import { type Ability, abilities, type Grant } from "../../../platform/ucan/grant.ts";
import { SchemeFiles, segmentOf } from "../../../scheme/kpt/scheme-files.ts";
import { covers } from "../../auth/delegated-abilities.ts";
import { CallAgents } from "../../calls/agent/call-agents.ts";
import { Tasks } from "../../tasks/task-runner.ts";
import type { HeldDelegation } from "../../wire/turn.ts";
import { Facade } from "./facade.ts";
import type { ToolContext } from "./tool.ts";

/** What plugins reach: the features of this server as their callers have them, never a store. */
export type Services = {
  deps: ServiceDeps;
  /** The routes of /v1 in the user's name: with the role that its DID has in the scheme. */
  facade: Facade;
  /** The user's own files, as far as its delegation goes. @throws AppError FORBIDDEN without one that names files */
  userFiles: (ctx: Pick<ToolContext, "user" | "delegation" | "requestId" | "signal">) => Promise<FileContext>;
  /** The oracle's own files: encrypted and versioned like all; below `roomFolder` those of one user's room. */
  oracleFiles: () => Promise<FileContext>;
  /** What users want said later. */
  tasks: Tasks;
  /** The agent in live calls. */
  calls: CallAgents;
};

export type ServiceDeps = Omit<Deps, "oracle">;

const oracleFolder = "/oracle";

/** The folder of what the oracle keeps for one user. */
export function roomFolder(roomId: string): string {
  return `${oracleFolder}/rooms/${segmentOf(roomId)}`;
}

export function openServices(deps: ServiceDeps): Services {
  const files = new SchemeFiles(deps, oracleFolder);
  return {
    deps,
    facade: new Facade((did) => actorOf(deps, did)),
    userFiles: async ({ user, delegation, requestId, signal }) => ({
      ...{ deps, requestId, signal },
      access: await accessOf(deps, user, delegation),
    }),
    oracleFiles: () => files.context(),
    tasks: new Tasks(deps),
    calls: new CallAgents(deps),
  };
}

/** The user's role: a registered supplier's or implementer's, else one that may do nothing but for itself. */
async function actorOf({ registry }: ServiceDeps, did: string): Promise<Actor> {
  const own = { keyId: `oracle:${did}`, scopes: [], dids: [did] };
  const [supplier, implementer] = await Promise.all([registry.suppliers.byDid(did), registry.implementers.byDid(did)]);
  if (supplier !== null) return { ...own, role: "supplier", supplierDid: did };
  if (implementer !== null) return { ...own, role: "implementer", implementerDid: did };
  return { ...own, role: "integrator" };
}

/** A delegation over `vfs://…` is a token of the file store as it is; one over the user's DID stands for all of its files. */
async function accessOf(deps: ServiceDeps, user: string, delegation: HeldDelegation | null): Promise<Access> {
  if (delegation?.capabilities.some((capability) => capability.with.startsWith("vfs://"))) {
    return new Access(await deps.files.authority.verifyBearer(`Bearer ${delegation.raw}`));
  }
  const ofAll = delegation?.capabilities.filter((capability) => capability.with === user) ?? [];
  const held = delegation && { ...delegation, capabilities: ofAll };
  const given = abilities.filter((ability) => covers(held, ability));
  if (held === null || given.length === 0) {
    const message =
      "The oracle has no delegation over your files. Delegate fs/read or fs/write over vfs://<your DID> to it.";
    throw new AppError("FORBIDDEN", message, { details: [{ rule: "files-delegated", message }] });
  }
  return new Access(grantOf(deps, user, held, given));
}

function grantOf(
  { clock }: Pick<ServiceDeps, "clock">,
  user: string,
  delegation: HeldDelegation,
  given: Ability[],
): Grant {
  const hidden = { all: false, paths: [], cids: new Set<string>() };
  const expiresAt = new Date(delegation.expiration * 1000);
  return {
    owner: user,
    invoker: user,
    tokenCid: delegation.cid,
    expiresAt,
    scopes: [{ abilities: new Set(given), path: "/", cids: null, hidden }],
    root: false,
    confirm: async () => refuseExpired(expiresAt, clock.now()),
  };
}
