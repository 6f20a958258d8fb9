import type { EventMessage } from "../events/index.ts";
import type { NewDelivery, WebhookRow } from "./tables.ts";

/** The delivery of one event to one webhook; none when the webhook did not ask for the event. */
export function deliveriesOf(row: WebhookRow, message: EventMessage, now: Date): NewDelivery[] {
  if (row.events.length > 0 && !row.events.includes(message.type)) return [];
  return [
    {
      webhookId: row.id,
      eventId: message.id,
      type: message.type,
      body: JSON.stringify({ ...message, timestamp: message.occurredAt }),
      status: "pending",
      nextAttemptAt: now,
      createdAt: now,
    },
  ];
}
