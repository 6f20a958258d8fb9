"use client";

import { Component, type PropsWithChildren } from "react";
import { logInDevelopment } from "../core/development.ts";

/** `of` is the rendered data; a change of it retries. */
type BoundaryProps = PropsWithChildren<{ name: string; of: unknown }>;

/** Render nothing in place of a component that throws, so that the thread survives what the agent sends. */
export class ComponentBoundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  static getDerivedStateFromError = () => ({ hasFailed: true });
  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    logInDevelopment(`"${this.props.name}" could not be rendered.`, error);
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (this.state.hasFailed && before.of !== this.props.of) this.setState({ hasFailed: false });
  }

  override render() {
    return this.state.hasFailed ? null : this.props.children;
  }
}
