"use client";

import { useEffect, useRef } from "react";
import type { OutputOf, ZodSchema } from "../core/tool-schemas.ts";
import type { AgActionRender, AgActionRenderProps } from "./ag-actions.ts";
import { useOraclesContext } from "./context.tsx";

export type AgActionConfig<Schema extends ZodSchema = ZodSchema> = {
  name: string;
  description: string;
  /** Zod schema of the arguments (zod 3.25+ or 4). */
  parameters: Schema;
  /** Receives the parsed arguments; its result is sent to the agent as JSON. */
  handler: (args: OutputOf<Schema>) => Promise<unknown> | unknown;
  /** Renders the call in its message: while its arguments stream, when it is done, and after a reload. */
  // A method, so that a renderer may declare fewer statuses.
  render?(props: AgActionRenderProps<OutputOf<Schema>>): ReturnType<AgActionRender>;
};

/**
 * Register an action that the agent may take in the user's app while the component is mounted.
 * @throws Error outside an OraclesProvider
 * @example
 * ```tsx
 * import { useAgAction } from "@hearth/oracles-client-sdk";
 * import { z } from "zod";
 *
 * export function Dashboard() {
 *   useAgAction({
 *     name: "show_bars",
 *     description: "Draws numbers as bars.",
 *     parameters: z.object({ values: z.array(z.number()) }),
 *     handler: async ({ values }) => ({ drawn: values.length }),
 *     render: ({ status, args }) => <p aria-busy={status !== "done"}>{args?.values?.join(" · ")}</p>,
 *   });
 *   return null;
 * }
 * ```
 */
export function useAgAction<Schema extends ZodSchema>(config: AgActionConfig<Schema>): void {
  const { registerAgAction, unregisterAgAction } = useOraclesContext();
  const latest = useRef(config);
  useEffect(() => {
    latest.current = config;
  });
  const { name, description } = config;
  const hasRender = config.render !== undefined;
  useEffect(() => {
    const { parameters } = latest.current;
    const render: AgActionRender = (props) => latest.current.render?.(props) ?? null;
    const handler = (args: OutputOf<Schema>) => latest.current.handler(args);
    registerAgAction({ name, description, parameters, hasRender }, handler, hasRender ? render : undefined);
    return () => unregisterAgAction(name);
  }, [name, description, hasRender, registerAgAction, unregisterAgAction]);
}
