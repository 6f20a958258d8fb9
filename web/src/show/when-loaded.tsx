import { Component, type ReactNode, Suspense } from "react";
import { isCodeLost } from "../offline/new-version.ts";
import { ErrorNotice } from "./error-notice.tsx";
import { Loading } from "./loading.tsx";

type Props = { children: ReactNode; fallback?: ReactNode };

/**
 * A part of the page whose code is loaded separately (`lazy`). Shows the fallback until then, and a notice in its place when the code
 * cannot be loaded: without it, React would remove the whole page.
 */
export function WhenLoaded({ children, fallback = <Loading /> }: Props) {
  return (
    <LostCode>
      <Suspense fallback={fallback}>{children}</Suspense>
    </LostCode>
  );
}

class LostCode extends Component<{ children: ReactNode }, { error?: unknown }> {
  static getDerivedStateFromError = (error: unknown) => ({ error });
  override state: { error?: unknown } = {};

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    // Other errors belong to the page.
    if (!isCodeLost(error)) throw error;
    return <ErrorNotice error={error} />;
  }
}
