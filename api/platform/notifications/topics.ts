import type { EventMessage, EventType } from "../events/index.ts";
import type { Role } from "../http/index.ts";

/** What a person can be notified of. */
export const topics = [
  "claims",
  "deadlines",
  "verification",
  "conversions",
  "pool",
  "payouts",
  "proposals",
  "imports",
  "cards",
] as const;
export type Topic = (typeof topics)[number];

/** A reminder before a deadline. */
type ReminderType = "claim.deadline_near" | "campaign.deadline_near";
/** What features and adapters add, which has no event on the chain. */
type AddedType =
  | "proposal.made"
  | "import.finished"
  | "payout.failed"
  | "payout.account_changed"
  | "pin.locked_week"
  | "pin.locked_week_no_card"
  | "pin.many_locked";
/** What the notices are about. */
export type NoticeType = EventType | ReminderType | AddedType | "address.confirm";

/** The field of an event's data that names its record. */
type Waiting = { topic: Topic; subject: string };

/** Events that wait for someone, or that say that something went wrong. */
const waitingEvents: Partial<Record<EventType, Waiting>> = {
  "claim.flagged": { topic: "claims", subject: "claimId" },
  "claim.disputed": { topic: "claims", subject: "claimId" },
  "claim.rejected": { topic: "claims", subject: "claimId" },
  "claim.invalidated": { topic: "claims", subject: "claimId" },
  "redemption.flagged": { topic: "claims", subject: "redemptionId" },
  "redemption.lapsed": { topic: "claims", subject: "redemptionId" },
  "finding.opened": { topic: "verification", subject: "campaignId" },
  "finding.answered": { topic: "verification", subject: "campaignId" },
  "finding.closed": { topic: "verification", subject: "campaignId" },
  "campaign.closed": { topic: "verification", subject: "campaignId" },
  "itmo.requested": { topic: "conversions", subject: "conversionId" },
  "itmo.reverted": { topic: "conversions", subject: "conversionId" },
  "pool.paused": { topic: "pool", subject: "by" },
  "pool.unpaused": { topic: "pool", subject: "by" },
};

type Reminder = {
  type: ReminderType;
  /** Only these must act before the deadline. */
  role: Role;
  subject: string;
  deadline: string;
  begunBy: readonly EventType[];
  endedBy: readonly EventType[];
};

const reminders: readonly Reminder[] = [
  {
    type: "claim.deadline_near",
    role: "supplier",
    subject: "redemptionId",
    deadline: "claimDeadline",
    begunBy: ["voucher.redeemed"],
    endedBy: ["claim.filed", "redemption.reversed", "redemption.lapsed"],
  },
  {
    type: "campaign.deadline_near",
    role: "implementer",
    subject: "campaignId",
    deadline: "deadline",
    begunBy: ["campaign.draw_opened", "campaign.draw_postponed"],
    endedBy: ["campaign.drawn", "campaign.draw_postponed", "campaign.abandoned"],
  },
];

/** How long before a deadline a reminder is sent, in milliseconds; half of the time that is left when that is less. */
const REMIND_BEFORE_MS = 48 * 60 * 60 * 1000;

/** A change to what is due to one person. */
export type Change =
  | { kind: "end"; type: ReminderType; subject: string }
  | {
      kind: "add";
      eventId: string;
      type: NoticeType;
      subject: string;
      occurredAt: Date;
      dueAt: Date;
      deadline?: string;
    };

/** What an event changes for a person of a role who chose these topics. The order matters: ends come first. */
export function changesBy(message: EventMessage, role: Role, chosen: readonly Topic[], now: Date): Change[] {
  const occurredAt = new Date(message.occurredAt);
  const changes: Change[] = [];
  for (const reminder of reminders) {
    const { type } = reminder;
    const subject = textOf(message, reminder.subject);
    if (reminder.endedBy.includes(message.type)) changes.push({ kind: "end", type, subject });
    if (!reminder.begunBy.includes(message.type) || reminder.role !== role || !chosen.includes("deadlines")) continue;
    const deadline = textOf(message, reminder.deadline);
    const dueAt = reminderTime(new Date(deadline), now);
    changes.push({ kind: "add", eventId: `${message.id}:reminder`, type, subject, occurredAt, dueAt, deadline });
  }
  const waiting = waitingEvents[message.type];
  if (waiting !== undefined && chosen.includes(waiting.topic)) {
    const subject = textOf(message, waiting.subject);
    changes.push({ kind: "add", eventId: message.id, type: message.type, subject, occurredAt, dueAt: now });
  }
  return changes;
}

function reminderTime(deadline: Date, now: Date): Date {
  const left = Math.max(0, deadline.getTime() - now.getTime());
  return new Date(deadline.getTime() - Math.min(REMIND_BEFORE_MS, left / 2));
}

function textOf({ data }: EventMessage, field: string): string {
  return String(data[field] ?? "");
}
