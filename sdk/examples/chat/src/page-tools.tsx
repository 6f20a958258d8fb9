import { type IBrowserTools, useAgAction } from "@hearth/oracles-client-sdk";
import { z } from "zod";

/** Functions of this page that the oracle may call. */
export const browserTools: IBrowserTools = {
  set_colours: {
    toolName: "set_colours",
    description: "Shows this page in light or in dark colours.",
    schema: z.object({ scheme: z.enum(["light", "dark"]) }),
    fn: async ({ scheme }: { scheme: "light" | "dark" }) => {
      document.documentElement.style.colorScheme = scheme;
      return { scheme };
    },
  },
  local_time: {
    toolName: "local_time",
    description: "Says what time it is where the user is.",
    schema: z.object({}),
    // It only reads, so it may run again after a reload.
    effect: "read",
    fn: async () => ({ time: new Date().toString() }),
  },
};

type GaugeProps = { label?: string; value?: number; unit?: string };

function Gauge({ label = "", value = 0, unit = "%" }: GaugeProps) {
  return (
    <figure className="gauge">
      <figcaption>
        {label}: {value} {unit}
      </figcaption>
      <meter aria-label={label} min={0} max={100} value={value} />
    </figure>
  );
}

type ToolCallProps = { toolName: string; args?: object; output?: string; isLoading?: boolean };

/** Show a tool call, folded. */
function ToolCall({ toolName, args, output, isLoading = false }: ToolCallProps) {
  // The component itself is rendered below.
  if (toolName === "render_component") return null;
  return (
    <details className="call">
      <summary>
        {isLoading ? "Uses" : "Used"} <code>{toolName}</code>
        {isLoading && " …"}
      </summary>
      <pre>{JSON.stringify(args, null, 2)}</pre>
      {output !== undefined && <pre>{output}</pre>}
    </details>
  );
}

/** Components that the oracle may show, and the one that renders its tool calls. */
export const uiComponents = { Gauge, ToolCall };

const bars = z.object({
  title: z.string(),
  bars: z.array(z.object({ label: z.string(), value: z.number().nonnegative() })).max(20),
});

/** Register an action: the oracle sends numbers, and the page draws them while they stream in. */
export function useBarChart(): void {
  useAgAction({
    name: "show_bars",
    description: "Shows numbers as a bar chart in the conversation.",
    parameters: bars,
    handler: async (args) => ({ shown: args.bars.length }),
    render: ({ status, args }) => {
      const drawn = (args?.bars ?? []).filter((bar) => typeof bar?.value === "number");
      const most = Math.max(1, ...drawn.map(({ value }) => value));
      return (
        <figure className="bars" aria-busy={status !== "done"}>
          <figcaption>{args?.title}</figcaption>
          {drawn.map(({ label, value }) => (
            <div key={label}>
              <span>{label}</span>
              <span className="bar" style={{ inlineSize: `${(value / most) * 60}%` }} />
              <span>{value}</span>
            </div>
          ))}
        </figure>
      );
    },
  });
}
