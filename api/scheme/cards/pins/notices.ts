import { createHash } from "node:crypto";
import type { Added, AddedSource } from "../../../platform/notifications/index.ts";
import { type RegistryDeps, seesHousehold } from "../../registry/index.ts";
import { READ_SCOPE } from "../access.ts";
import type { CardStore } from "../store.ts";
import { hourMs, type Pins } from "./pins.ts";

type Deps = Pick<RegistryDeps, "registry" | "certificates"> & { pins: Pins; cards: CardStore };

/** Households whose PINs are locked within an hour before people are notified of it: more than a few who forgot theirs. */
export const manyLocks = 10;

/**
 * Notifies those who may see a household that its PIN is locked for a week, and that many PINs were locked in an hour. A notice
 * names the card, never the household.
 */
export function pinNotices(deps: Deps): AddedSource {
  const { pins, cards, registry } = deps;
  return {
    topic: "cards",
    read: async (reader, since) => {
      if (reader.role === "supplier") return [];
      const locks = await pins.locksSince(since);
      const households = await registry.households.byIndexes(locks.map(({ household }) => household));
      const seen = new Set<number>();
      for (const row of households.values()) {
        if (await seesHousehold(deps, actorOf(reader), row, READ_SCOPE)) seen.add(row.household);
      }
      const own = locks.filter(({ household }) => seen.has(household));
      const added: Added[] = [];
      for (const { household, caller, at } of own.filter(({ isForWeek }) => isForWeek)) {
        const card = await cards.current(household);
        const type = card === null ? "pin.locked_week_no_card" : "pin.locked_week";
        added.push({ id: idOf(household, caller ?? "", at.getTime()), type, subject: card?.cardId ?? "", at });
      }
      return [...added, ...manyIn(own)];
    },
  };
}

type Lock = Awaited<ReturnType<Pins["locksSince"]>>[number];

/** One notice for each hour of the clock in which the locks of the hour before have become many. */
function manyIn(locks: readonly Lock[]): Added[] {
  const found = new Map<number, Added>();
  for (const { at } of locks) {
    const together = locks.filter((each) => each.at <= at && each.at.getTime() > at.getTime() - hourMs);
    const count = new Set(together.map(({ household }) => household)).size;
    const hour = Math.floor(at.getTime() / hourMs);
    if (count < manyLocks || found.has(hour)) continue;
    found.set(hour, { id: `pins ${hour}`, type: "pin.many_locked", subject: String(count), at });
  }
  return [...found.values()];
}

/** The same for the same lock, and says nothing of it. */
function idOf(...parts: (string | number)[]): string {
  return `pin ${createHash("sha256").update(parts.join(" ")).digest("hex").slice(0, 32)}`;
}

function actorOf({ keyId, role, implementerDid, scopes, dids }: Parameters<AddedSource["read"]>[0]) {
  return { keyId, role, scopes, dids, ...(implementerDid === null ? {} : { implementerDid }) };
}
