import { logInDevelopment } from "./development.ts";
import type { IsShown, ShownCall } from "./turn.ts";

/** The app's components by name; what they are made of does not matter here. */
type Components = { readonly [name: string]: unknown };

/** Find an app's component. The agent chooses the name, so inherited names such as `constructor` do not count. */
export function ownComponent<Found>(components: { readonly [name: string]: Found }, name: string): Found | undefined {
  return Object.hasOwn(components, name) ? components[name] : undefined;
}

/** Tell whether the app has a component for a call of this kind and name. */
export function hasComponent(components: Components, kind: ShownCall["kind"], name: string): boolean {
  if (ownComponent(components, name) !== undefined) return true;
  if (kind === "component" || kind === "error") return false;
  return components.ToolCall !== undefined || (kind === "action" && components.AgActionToolCall !== undefined);
}

/** Decide which calls appear in messages: actions that render themselves, and calls that a component renders. */
export function isShownBy(components: Components, rendersAction: (name: string) => boolean): IsShown {
  return ({ kind, name }) => {
    if (kind === "action" && rendersAction(name)) return true;
    const isKnown = hasComponent(components, kind, name);
    if (!isKnown && kind === "component")
      logInDevelopment(`The oracle shows "${name}", which uiComponents does not have.`);
    return isKnown;
  };
}
