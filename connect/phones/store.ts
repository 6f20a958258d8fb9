import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, min, ne, or, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../api/platform/db/index.ts";
import {
  type GatewayRow,
  type MessageRow,
  type PhoneLanguage,
  type PhoneRow,
  phoneGateways,
  phoneMessageParts,
  phoneMessages,
  phoneReceived,
  phoneRequests,
  phones,
  type ReportedStatus,
  type RequestRow,
  type RequestStatus,
  ussdSteps,
} from "./tables.ts";

const partKey = [phoneMessageParts.gatewayId, phoneMessageParts.gatewayMessageId];

type Step = { sessionHash: string; textHash: string };

type AskedOf = Pick<RequestRow, "householdHash" | "supplierDid">;

/** How many requests a household got. Each sent it an SMS, also one that was cancelled afterwards. */
export type Asked = {
  /** Of the supplier, until they expire. */
  open: number;
  /** Of the supplier within the last 24 hours, without a purchase. */
  unpaidOfSupplier: number;
  /** Of all suppliers within the last 24 hours, without a purchase. */
  unpaidOfAll: number;
};

export function createPhoneStore(db: Database) {
  const ofStep = ({ sessionHash, textHash }: Step) =>
    and(eq(ussdSteps.sessionHash, sessionHash), eq(ussdSteps.textHash, textHash));
  return {
    async addGateway(tx: Transaction, row: GatewayRow): Promise<void> {
      await tx.insert(phoneGateways).values(row);
    },
    async gateway(id: string): Promise<GatewayRow | undefined> {
      return (await db.select().from(phoneGateways).where(eq(phoneGateways.id, id)))[0];
    },
    /** All gateways, oldest first. There are few. */
    gateways: (): Promise<GatewayRow[]> => db.select().from(phoneGateways).orderBy(asc(phoneGateways.createdAt)),
    /** The newest gateway that is not revoked; with `sms`, one that sends SMS. */
    async current({ sms }: { sms: boolean }): Promise<GatewayRow | undefined> {
      const open = isNull(phoneGateways.revokedAt);
      const found = sms ? and(open, sql`${phoneGateways.sealedSms} is not null`) : open;
      return (await db.select().from(phoneGateways).where(found).orderBy(desc(phoneGateways.createdAt)).limit(1))[0];
    },
    async revokeGateway(id: string, at: Date): Promise<GatewayRow | undefined> {
      const open = and(eq(phoneGateways.id, id), isNull(phoneGateways.revokedAt));
      await db.update(phoneGateways).set({ revokedAt: at }).where(open);
      return this.gateway(id);
    },
    /** Add a phone. @returns false when its number is registered */
    async addPhone(tx: Transaction, row: PhoneRow): Promise<boolean> {
      return (
        (await tx.insert(phones).values(row).onConflictDoNothing().returning({ hash: phones.numberHash })).length === 1
      );
    },
    async phone(numberHash: string): Promise<PhoneRow | undefined> {
      return (await db.select().from(phones).where(eq(phones.numberHash, numberHash)))[0];
    },
    phonesOf: (householdHash: string): Promise<PhoneRow[]> =>
      db.select().from(phones).where(eq(phones.householdHash, householdHash)).orderBy(asc(phones.createdAt)),
    /** Remove a phone, and the messages that wait for it: the number may belong to somebody else next. */
    async removePhone(tx: Transaction, numberHash: string): Promise<void> {
      await tx.delete(phones).where(eq(phones.numberHash, numberHash));
      await dropWaiting(tx, numberHash);
    },
    async changePhone(numberHash: string, change: { language: PhoneLanguage }): Promise<void> {
      await db.update(phones).set(change).where(eq(phones.numberHash, numberHash));
    },
    /**
     * Store a request with the messages about it, unless `check` throws because the household was asked too often.
     * @returns the request, or the one that the same order made before
     */
    addRequest: (row: RequestRow, messages: MessageRow[], check: (asked: Asked) => void): Promise<RequestRow> =>
      db.transaction(async (tx) => {
        // Requests to a household wait for each other here, so that those at the same time are not more either.
        await tx.select().from(phones).where(eq(phones.householdHash, row.householdHash)).for("update");
        const ofOrder = eq(phoneRequests.orderKey, row.orderKey ?? "");
        const [earlier] = await tx.select().from(phoneRequests).where(ofOrder);
        if (earlier !== undefined) return earlier;
        check(await readAsked(tx, row, row.createdAt));
        await tx.insert(phoneRequests).values(row);
        if (messages.length > 0) await tx.insert(phoneMessages).values(messages);
        return row;
      }),
    /** The request that the order with this record of an Idempotency-Key made. */
    async requestOf(orderKey: string): Promise<RequestRow | undefined> {
      return (await db.select().from(phoneRequests).where(eq(phoneRequests.orderKey, orderKey)))[0];
    },
    asked: (ofWhom: AskedOf, now: Date): Promise<Asked> => readAsked(db, ofWhom, now),
    async request(requestId: string): Promise<RequestRow | undefined> {
      return (await db.select().from(phoneRequests).where(eq(phoneRequests.requestId, requestId)))[0];
    },
    /** The household's newest request that waits and has not expired. */
    async waitingRequest(householdHash: string, now: Date): Promise<RequestRow | undefined> {
      const waits = and(
        eq(phoneRequests.householdHash, householdHash),
        eq(phoneRequests.status, "waiting"),
        gt(phoneRequests.expiresAt, now),
      );
      return (await db.select().from(phoneRequests).where(waits).orderBy(desc(phoneRequests.createdAt)).limit(1))[0];
    },
    /**
     * Record that a payment begins, before it does. Later attempts to pay the request keep its gateway: there its Idempotency-Key counts.
     * @returns undefined when the request no longer waits
     */
    async beginPayment(
      { requestId, gatewayId }: Pick<RequestRow, "requestId" | "gatewayId">,
      begun: { gatewayId: string; phoneHash: string; settleAt: Date },
    ): Promise<RequestRow | undefined> {
      const waits = and(eq(phoneRequests.requestId, requestId), eq(phoneRequests.status, "waiting"));
      const change = { ...begun, gatewayId: gatewayId ?? begun.gatewayId, status: "sent" as const };
      return (await db.update(phoneRequests).set(change).where(waits).returning())[0];
    },
    /** Take the payments whose end nobody recorded, those that wait longest first, so that no other process looks at them meanwhile. */
    async takeUnsettled(now: Date, settleAt: Date, limit: number): Promise<RequestRow[]> {
      const due = and(eq(phoneRequests.status, "sent"), lte(phoneRequests.settleAt, now));
      const found = await db
        .select({ id: phoneRequests.requestId })
        .from(phoneRequests)
        .where(due)
        .orderBy(asc(phoneRequests.settleAt))
        .limit(limit);
      if (found.length === 0) return [];
      const ids = found.map(({ id }) => id);
      return db
        .update(phoneRequests)
        .set({ settleAt })
        .where(and(due, inArray(phoneRequests.requestId, ids)))
        .returning();
    },
    /** When the next payment is to be looked at; undefined when there is none. */
    async nextSettleAt(): Promise<Date | undefined> {
      const [next] = await db
        .select({ at: min(phoneRequests.settleAt) })
        .from(phoneRequests)
        .where(eq(phoneRequests.status, "sent"));
      return next?.at ?? undefined;
    },
    /** Change a request that is in this status. @returns false when it is not */
    async changeRequest(
      requestId: string,
      from: RequestStatus,
      change: { status?: RequestStatus; settleAt?: Date | null },
    ): Promise<boolean> {
      const found = and(eq(phoneRequests.requestId, requestId), eq(phoneRequests.status, from));
      return (
        (await db.update(phoneRequests).set(change).where(found).returning({ id: phoneRequests.requestId })).length ===
        1
      );
    },
    /** Record how a begun payment ended, with the SMS that tells the household. @returns false when its end is recorded already */
    endRequest: (
      requestId: string,
      end: { status: "approved"; redemptionId: string } | { status: "waiting" | "refused" },
      message: MessageRow | undefined,
    ): Promise<boolean> =>
      db.transaction(async (tx) => {
        const { status } = phoneRequests;
        // What was paid is recorded whatever was recorded before.
        const isOpen = end.status === "approved" ? ne(status, "approved") : eq(status, "sent");
        const changed = await tx
          .update(phoneRequests)
          .set({ ...end, settleAt: null })
          .where(and(eq(phoneRequests.requestId, requestId), isOpen))
          .returning();
        if (changed.length === 0) return false;
        if (message !== undefined) await tx.insert(phoneMessages).values(message);
        return true;
      }),
    /** Begin a step. @returns false when it was begun before and not given up since `abandoned` */
    async beginStep(step: Step, startedAt: Date, abandoned: Date): Promise<boolean> {
      const begun = await db
        .insert(ussdSteps)
        .values({ ...step, startedAt })
        .onConflictDoUpdate({
          target: [ussdSteps.sessionHash, ussdSteps.textHash],
          set: { startedAt },
          setWhere: and(isNull(ussdSteps.sealedAnswer), lt(ussdSteps.startedAt, abandoned)),
        })
        .returning({ session: ussdSteps.sessionHash });
      return begun.length === 1;
    },
    async step(step: Step): Promise<typeof ussdSteps.$inferSelect | undefined> {
      return (await db.select().from(ussdSteps).where(ofStep(step)))[0];
    },
    async finishStep(step: Step, answer: { sealedAnswer: string; requestId: string | null }): Promise<void> {
      await db.update(ussdSteps).set(answer).where(ofStep(step));
    },
    async addMessage(row: MessageRow): Promise<void> {
      await db.insert(phoneMessages).values(row);
    },
    /** Messages to send now, oldest first. */
    dueMessages: (now: Date, limit: number): Promise<MessageRow[]> =>
      db
        .select()
        .from(phoneMessages)
        .where(and(eq(phoneMessages.status, "waiting"), lte(phoneMessages.nextTryAt, now)))
        .orderBy(asc(phoneMessages.createdAt))
        .limit(limit),
    /** When the next message is due; undefined when none waits. */
    async nextMessageAt(): Promise<Date | undefined> {
      const [next] = await db
        .select({ at: min(phoneMessages.nextTryAt) })
        .from(phoneMessages)
        .where(eq(phoneMessages.status, "waiting"));
      return next?.at ?? undefined;
    },
    /** Take a message to send it, so that no other process sends it meanwhile. @returns false when another one has it */
    async takeMessage({ id, tries }: MessageRow, nextTryAt: Date): Promise<boolean> {
      const same = and(eq(phoneMessages.id, id), eq(phoneMessages.tries, tries), eq(phoneMessages.status, "waiting"));
      const taken = await db
        .update(phoneMessages)
        .set({ tries: tries + 1, nextTryAt })
        .where(same)
        .returning({ id: phoneMessages.id });
      return taken.length === 1;
    },
    /** Give up a message. */
    async failMessage(id: string): Promise<void> {
      await db.update(phoneMessages).set({ status: "failed" }).where(eq(phoneMessages.id, id));
    },
    /** Record that a gateway took a message, with the ids that it gave to its parts. Reports may be here before. */
    async messageSent(id: string, gatewayId: string, gatewayMessageIds: readonly string[], now: Date): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.update(phoneMessages).set({ status: "sent" }).where(eq(phoneMessages.id, id));
        for (const gatewayMessageId of gatewayMessageIds) {
          await tx
            .insert(phoneMessageParts)
            .values({ gatewayId, gatewayMessageId, messageId: id, createdAt: now })
            .onConflictDoUpdate({ target: partKey, set: { messageId: id } });
        }
        await settleMessage(tx, id);
      });
    },
    /** Messages that a gateway took, newest first. */
    messagesOf: async (gatewayId: string, limit: number): Promise<MessageRow[]> =>
      (
        await db
          .select({ message: phoneMessages })
          .from(phoneMessageParts)
          .innerJoin(phoneMessages, eq(phoneMessages.id, phoneMessageParts.messageId))
          .where(eq(phoneMessageParts.gatewayId, gatewayId))
          .orderBy(desc(phoneMessages.id))
          .limit(limit)
      ).map(({ message }) => message),
    /** Record a gateway's delivery report, in whatever order reports come. A part that was delivered stays so. */
    async reportPart(gatewayId: string, gatewayMessageId: string, status: ReportedStatus, now: Date): Promise<void> {
      await db.transaction(async (tx) => {
        const [part] = await tx
          .insert(phoneMessageParts)
          .values({ gatewayId, gatewayMessageId, status, createdAt: now })
          .onConflictDoUpdate({
            target: partKey,
            set: { status },
            setWhere: or(isNull(phoneMessageParts.status), ne(phoneMessageParts.status, "delivered")),
          })
          .returning({ messageId: phoneMessageParts.messageId });
        if (part?.messageId) await settleMessage(tx, part.messageId);
      });
    },
    /**
     * Handle an SMS of a household once: begin or end its SMS, and store the answer to it.
     * @returns false when the SMS was handled before, or changes nothing
     */
    async answerWord(
      phone: PhoneRow,
      received: { gatewayId: string; gatewayMessageId: string | undefined; receivedAt: Date },
      { stoppedAt, answer }: { stoppedAt: Date | null; answer: MessageRow },
    ): Promise<boolean> {
      const { gatewayMessageId, ...from } = received;
      return await db.transaction(async (tx) => {
        if (gatewayMessageId !== undefined) {
          const row = { ...from, gatewayMessageId };
          const [isNew] = await tx.insert(phoneReceived).values(row).onConflictDoNothing().returning();
          if (isNew === undefined) return false;
        }
        const differs = stoppedAt === null ? isNotNull(phones.stoppedAt) : isNull(phones.stoppedAt);
        const changed = await tx
          .update(phones)
          .set({ stoppedAt })
          .where(and(eq(phones.numberHash, phone.numberHash), differs))
          .returning({ hash: phones.numberHash });
        if (changed.length === 0) return false;
        if (stoppedAt !== null) await dropWaiting(tx, phone.numberHash);
        await tx.insert(phoneMessages).values(answer);
        return true;
      });
    },
    async removeOlderThan(before: Date): Promise<void> {
      await db.delete(ussdSteps).where(lt(ussdSteps.startedAt, before));
      await db.delete(phoneMessages).where(lt(phoneMessages.createdAt, before));
      await db.delete(phoneMessageParts).where(lt(phoneMessageParts.createdAt, before));
      await db.delete(phoneReceived).where(lt(phoneReceived.receivedAt, before));
    },
  };
}

/** Count the requests to a household, by `createdAt` within the last day. */
async function readAsked(
  from: Database | Transaction,
  { householdHash, supplierDid }: AskedOf,
  now: Date,
): Promise<Asked> {
  const dayBefore = new Date(now.getTime() - 24 * 3_600_000);
  const ofSupplier = eq(phoneRequests.supplierDid, supplierDid);
  const isOpen = and(inArray(phoneRequests.status, ["waiting", "cancelled"]), gt(phoneRequests.expiresAt, now));
  const unpaid = inArray(phoneRequests.status, ["waiting", "cancelled", "refused"]);
  const countWhere = (condition: SQL | undefined) => sql<number>`(count(*) filter (where ${condition}))::int`;
  const [asked] = await from
    .select({
      open: countWhere(and(ofSupplier, isOpen)),
      unpaidOfSupplier: countWhere(and(ofSupplier, unpaid)),
      unpaidOfAll: countWhere(unpaid),
    })
    .from(phoneRequests)
    .where(and(eq(phoneRequests.householdHash, householdHash), gt(phoneRequests.createdAt, dayBefore)));
  return asked as Asked;
}

/** Give up the messages that wait for a phone. */
async function dropWaiting(tx: Transaction, numberHash: string): Promise<void> {
  const waits = and(eq(phoneMessages.numberHash, numberHash), eq(phoneMessages.status, "waiting"));
  await tx.update(phoneMessages).set({ status: "failed" }).where(waits);
}

/** Derive a sent message's status from its parts: failed when one failed, delivered when all were. */
async function settleMessage(tx: Transaction, id: string): Promise<void> {
  // Reports of two parts at the same time: the second one waits here, and then sees what the first one wrote.
  const [message] = await tx.select().from(phoneMessages).where(eq(phoneMessages.id, id)).for("update");
  if (message === undefined) return;
  const parts = await tx.select().from(phoneMessageParts).where(eq(phoneMessageParts.messageId, id));
  const has = (wanted: ReportedStatus) => (part: { status: ReportedStatus | null }) => part.status === wanted;
  const status = parts.some(has("failed")) ? "failed" : parts.every(has("delivered")) ? "delivered" : "sent";
  if (parts.length > 0) await tx.update(phoneMessages).set({ status }).where(eq(phoneMessages.id, id));
}

export type PhoneStore = ReturnType<typeof createPhoneStore>;
