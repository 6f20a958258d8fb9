"use client";

import { createElement, type ReactNode, useContext } from "react";
import type { IComponentMetadata } from "../core/types.ts";
import { ComponentBoundary } from "./component-boundary.tsx";
import { OraclesContext } from "./context.tsx";
import { componentFor, type UIComponents } from "./ui-components.ts";

type MessageComponentProps = { of: IComponentMetadata; components?: UIComponents | undefined };

/** Render a component of a message: with the action's `render`, else with one of the app's components, else not at all. */
export function MessageComponent(props: MessageComponentProps): ReactNode {
  return (
    <ComponentBoundary name={props.of.name} of={props.of}>
      <Drawn {...props} />
    </ComponentBoundary>
  );
}

function Drawn({ of, components }: MessageComponentProps): ReactNode {
  const context = useContext(OraclesContext);
  const { status, args, output } = of.props;
  const render = of.props.isAgAction ? context?.getAgActionRender(of.name) : undefined;
  if (render !== undefined) {
    const isLoading = status === "isRunning";
    return render({ ...(status === undefined ? {} : { status }), args, result: resultOf(output), isLoading });
  }
  for (const each of components === undefined ? (context?.uiComponents ?? []) : [components]) {
    const found = componentFor(each, of);
    if (found !== undefined) return createElement(found.component, found.props);
  }
  return null;
}

/** Parse a stored result: JSON text, unless the oracle truncated it. */
function resultOf(output: string | undefined): unknown {
  if (output === undefined) return undefined;
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}
