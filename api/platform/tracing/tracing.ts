import type { MiddlewareHandler } from "hono";

export type TraceAttributes = Readonly<Record<string, string | number>>;
/** The current span of a request, for work that several requests share. */
export type TracePlace = unknown;

/** What open-telemetry.ts does when OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export type Tracing = {
  /** Opens a trace for each request. */
  middleware: MiddlewareHandler;
  /** Add attributes to the current span. */
  note: (attributes: TraceAttributes) => void;
  span: <T>(name: string, attributes: TraceAttributes, work: () => Promise<T>) => Promise<T>;
  place: () => TracePlace;
  /** A span in the trace of the first place, with links from and to the others. */
  sharedSpan: <T>(
    name: string,
    attributes: TraceAttributes,
    places: readonly TracePlace[],
    work: () => Promise<T>,
  ) => Promise<T>;
};

// As in OpenTelemetry itself, one for the process: without it, nothing of OpenTelemetry is loaded.
let tracing: Tracing | undefined;

export function useTracing(used: Tracing | undefined): void {
  tracing = used;
}

/** Run work as a span of the current trace. Attributes must not name a person, and only those that open-telemetry.ts lists are sent. */
export async function traced<T>(name: string, attributes: TraceAttributes, work: () => Promise<T>): Promise<T> {
  return tracing === undefined ? await work() : await tracing.span(name, attributes, work);
}

/** Run work that several requests wait for as a span that is linked with each of them. */
export async function tracedTogether<T>(
  name: string,
  attributes: TraceAttributes,
  places: readonly TracePlace[],
  work: () => Promise<T>,
): Promise<T> {
  return tracing === undefined ? await work() : await tracing.sharedSpan(name, attributes, places, work);
}

export const tracePlace = (): TracePlace => tracing?.place();
export const isTracing = (): boolean => tracing !== undefined;

/** Create middleware that opens a trace for each request, with the request's id. */
export function traceRequests(): MiddlewareHandler<{ Variables: { requestId: string } }> {
  return async function traceRequests(c, next) {
    const used = tracing;
    if (used === undefined) return await next();
    return await used.middleware(c, async () => {
      used.note({ "hearth.request_id": c.get("requestId") });
      await next();
    });
  };
}
