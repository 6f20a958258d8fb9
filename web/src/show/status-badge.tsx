import { Badge, type MantineColor } from "@mantine/core";

const colors: Record<string, MantineColor> = {
  valid: "teal",
  active: "teal",
  ok: "teal",
  paid: "teal",
  succeeded: "teal",
  approved: "teal",
  held: "teal",
  finalised: "teal",
  completed: "teal",
  trusted: "teal",
  done: "teal",
  executed: "teal",
  ready: "blue",
  collecting: "yellow",
  scheduled: "yellow",
  measured: "teal",
  closed: "blue",
  exhausted: "gray",
  pending: "yellow",
  requested: "yellow",
  submitted: "yellow",
  sent: "yellow",
  review: "yellow",
  filed: "yellow",
  open: "yellow",
  suspended: "orange",
  disputed: "orange",
  missing: "orange",
  unknown: "orange",
  violated: "red",
  revoked: "red",
  rejected: "red",
  cancelled: "red",
  failed: "red",
  refused: "orange",
};

export const statusColor = (status: string): MantineColor => colors[status] ?? "gray";

/** A state as a coloured word; the colour adds no information. */
export function StatusBadge({ status, label }: { status: string; label?: string }) {
  return (
    <Badge
      color={statusColor(status)}
      variant="outline"
      tt="none"
      styles={{ label: { color: "var(--mantine-color-text)" } }}
    >
      {label ?? status}
    </Badge>
  );
}
