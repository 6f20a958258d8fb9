import type { Access } from "../../platform/ucan/index.ts";
import type { FileEvent } from "./event.ts";

/** The fields of an audit event that identify the caller. */
export function eventBy({
  access,
}: {
  access: Access;
}): Pick<FileEvent, "namespace" | "actor" | "invoker" | "tokenCid" | "agent"> {
  const { owner, invoker, tokenCid, agent } = access.grant;
  return { namespace: owner, actor: owner, invoker, tokenCid, ...(agent === undefined ? {} : { agent }) };
}
