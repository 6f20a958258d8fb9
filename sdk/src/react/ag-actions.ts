import type { ReactNode } from "react";
import type { AgAction } from "../core/client-tools.ts";
import { Store } from "../core/store.ts";
import type { CallStatus } from "../core/types.ts";

/** Props of an action's `render`. */
export type AgActionRenderProps<Args = unknown> = {
  /** `isRunning` while the arguments stream and the handler runs, then `done` or `error`. */
  status?: CallStatus;
  /** The arguments so far; not validated while they stream. */
  args?: Args;
  /** The handler's result. */
  result?: unknown;
  isLoading?: boolean;
};

// biome-ignore lint/suspicious/noExplicitAny: the action's schema defines the arguments
export type AgActionHandler = (args: any) => unknown;
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AgActionRender = (props: AgActionRenderProps<any>) => ReactNode;

/** Registry of the app's actions. */
export class AgActions extends Store<{ actions: AgAction[] }> {
  readonly #handlers = new Map<string, AgActionHandler>();
  readonly #renders = new Map<string, AgActionRender>();

  constructor() {
    super({ actions: [] });
  }

  readonly register = (action: AgAction, handler: AgActionHandler, render?: AgActionRender): void => {
    this.#handlers.set(action.name, handler);
    if (render !== undefined) this.#renders.set(action.name, render);
    const others = this.get().actions.filter(({ name }) => name !== action.name);
    this.set({ actions: [...others, action] });
  };

  readonly unregister = (name: string): void => {
    this.#handlers.delete(name);
    this.#renders.delete(name);
    this.set({ actions: this.get().actions.filter((action) => action.name !== name) });
  };

  /** Run an action. @throws Error when it is not registered, or what its handler throws */
  readonly execute = async (name: string, args: unknown): Promise<unknown> => {
    const handler = this.#handlers.get(name);
    if (handler === undefined) throw new Error(`No action is registered as "${name}".`);
    return await handler(args);
  };

  readonly renderOf = (name: string): AgActionRender | undefined => this.#renders.get(name);
}
