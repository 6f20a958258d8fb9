import { Card, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "../home-page.module.css";

type FigureCardProps = {
  label: string;
  figure: ReactNode;
  hint?: ReactNode;
  /** Page with the records behind the figure. */
  to: string;
  search?: Record<string, string>;
  /** Marks a figure that needs attention. */
  alarm?: boolean;
};

/** A figure that links to the records behind it. */
export function FigureCard({ label, figure, hint, to, search, alarm = false }: FigureCardProps) {
  return (
    <Card
      component={Link}
      {...({ to, search } as object)}
      withBorder
      padding="md"
      className={classes.card}
      data-alarm={alarm || undefined}
    >
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="lg" fw={700} className={classes.figure}>
        {figure}
      </Text>
      {hint !== undefined && <Text size="xs">{hint}</Text>}
    </Card>
  );
}
