import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";

/** An id with a link to its trace. */
export function TraceLink({ id }: { id: string }) {
  return (
    <Anchor component={Link} to={`/regulator/trace/${encodeURIComponent(id)}`} size="sm" ff="monospace">
      {id}
    </Anchor>
  );
}
