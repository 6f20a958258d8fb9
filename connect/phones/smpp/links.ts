import type { PhoneDeps } from "../deps.ts";
import { allowanceOf } from "../gateways/allowance.ts";
import { smsSettingsOf } from "../gateways/service.ts";
import { receiveSms } from "../sms/inbox.ts";
import type { GatewayRow } from "../tables.ts";
import type { Incoming } from "./delivery.ts";
import { type LinkEvents, SmppLink, type SmppSettings } from "./link.ts";

/** Each process of the API has its own connections. Open one for each SMPP gateway that has none, and close those of revoked gateways. */
export async function keepSmppLinks(deps: PhoneDeps): Promise<void> {
  const { links, store } = deps;
  const rows = (await store.gateways()).filter(({ kind, revokedAt }) => kind === "smpp" && revokedAt === null);
  for (const row of rows) {
    if (links.has(row.id)) continue;
    const settings = smsSettingsOf(deps, row);
    if (settings?.kind === "smpp") links.set(row.id, openLink(deps, row, settings));
  }
  const open = new Set(rows.map(({ id }) => id));
  const over = [...links].filter(([id]) => !open.has(id));
  for (const [id] of over) links.delete(id);
  await Promise.all(over.map(([, link]) => link.close()));
}

/** Close all connections. */
export async function closeSmppLinks({ links }: PhoneDeps): Promise<void> {
  const open = [...links.values()];
  links.clear();
  await Promise.all(open.map((link) => link.close()));
}

function openLink(deps: PhoneDeps, { id: gatewayId }: GatewayRow, settings: SmppSettings): SmppLink {
  const events: LinkEvents = {
    received: (incoming) => storeIncoming(deps, gatewayId, incoming),
    note: (level, what, more = {}) => deps.host.log[level]({ ...more, gatewayId }, what),
  };
  return new SmppLink(settings, events, {}, (host) => deps.host.lookupOutside(host, allowanceOf(settings)));
}

async function storeIncoming(deps: PhoneDeps, gatewayId: string, incoming: Incoming): Promise<void> {
  const { store, host } = deps;
  if (incoming.kind === "sms") {
    // SMPP gives no id to an SMS, so a repeated one is found by what it would change.
    await receiveSms(deps, { gatewayId, ...incoming, id: undefined });
  } else if (incoming.id !== "" && incoming.status !== undefined) {
    await store.reportPart(gatewayId, incoming.id, incoming.status, host.clock.now());
  }
}
