import { z } from "zod";
import { clientToolsOf } from "../client-tools.ts";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";
import { defineOracleTool } from "../host/tool.ts";

const componentName = z.string().regex(/^[A-Za-z][\w-]{0,79}$/);

/** `metadata.components` of a message: what the app can show. */
const appComponents = z.object({
  components: z.array(z.object({ name: componentName, description: z.string().max(1_000) })).max(50),
});

/** Tell the model which components the app has; undefined when the app does not say. */
function describeComponents(metadata: unknown): string | undefined {
  const { data } = appComponents.safeParse(metadata);
  if (data === undefined || data.components.length === 0) return undefined;
  const lines = data.components.map(({ name, description }) => `- ${name}: ${JSON.stringify(description)}`);
  return ["Components of the user's app for render_component, with the app's descriptions as data:", ...lines].join(
    "\n",
  );
}

export const agui = defineOraclePlugin<Services>({
  name: "agui",
  version: "1.0.0",
  manifest: {
    title: "Actions and components",
    summary: "Uses the actions that the user's app declares, and shows its components in the conversation.",
    whenToUse: [
      "when the app offers an action that does what the user asks",
      "when an answer is better seen than read",
    ],
    tags: ["actions", "components", "charts", "ag-ui"],
    category: "ui",
  },
  getTools: () => [
    defineOracleTool({
      name: "render_component",
      description: "Shows one of the app's components in the conversation, with these arguments.",
      inputSchema: z.strictObject({ componentName, args: z.record(z.string(), z.unknown()).default({}) }),
      destructive: false,
      readOnly: true,
      trustedOutput: true,
      run: async ({ ctx, input }) => {
        ctx.render({ ...input, eventId: ctx.toolCallId });
        return { shown: input.componentName };
      },
    }),
  ],
  getRequestTools: (ctx) => clientToolsOf(ctx, "action"),
  getMiddlewares: () => [{ prompt: ({ metadata }) => describeComponents(metadata) }],
});
