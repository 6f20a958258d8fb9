import { Component, type PropsWithChildren } from "react";
import { logInDevelopment } from "../core/development.ts";

/** `of`: what is drawn; when it changes, it is tried again. */
type BoundaryProps = PropsWithChildren<{ name: string; of: unknown }>;

/** Keeps the thread when a component cannot draw what the agent gave it: nothing stands in its place. */
export class ComponentBoundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  static getDerivedStateFromError = () => ({ hasFailed: true });
  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    logInDevelopment(`"${this.props.name}" could not be drawn.`, error);
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (this.state.hasFailed && before.of !== this.props.of) this.setState({ hasFailed: false });
  }

  override render() {
    return this.state.hasFailed ? null : this.props.children;
  }
}
