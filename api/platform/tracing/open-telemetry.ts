// Loaded only when OTEL_EXPORTER_OTLP_ENDPOINT is set.
import { httpInstrumentationMiddleware } from "@hono/otel";
import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  type SpanContext,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { secretStart } from "../secret-text.ts";
import type { Tracing } from "./tracing.ts";
import { useTracing } from "./tracing.ts";

type SpanExporter = Pick<OTLPTraceExporter, "export" | "forceFlush" | "shutdown">;
type ReadableSpan = Parameters<OTLPTraceExporter["export"]>[0][number];

/** Every other attribute is removed: a URL or an error can name a household, or hold a token. */
const sent = new Set([
  "error.type",
  "hearth.block",
  "hearth.contract",
  "hearth.function",
  "hearth.orders",
  "hearth.purpose",
  "hearth.request_id",
  "hearth.transaction",
  "http.request.method",
  "http.response.status_code",
  "http.route",
]);
/** A request id is chosen by the client, who may take a DID, a telephone number or a key for it. */
const personal = new RegExp(String.raw`did:|^\+?\d{6,}$|\d{9,}|${secretStart}`, "i");
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isPersonal = (requestId: string) => !uuid.test(requestId) && personal.test(requestId);

/** Start sending traces. @returns flushes and stops */
export function startTracing(serviceVersion: string): () => Promise<void> {
  const exporter = new CleanExporter(new OTLPTraceExporter());
  const node = new NodeSDK({
    serviceName: process.env.OTEL_SERVICE_NAME || "hearth-api",
    traceExporter: exporter,
    // /metrics and the log have the rest.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
    autoDetectResources: false,
  });
  node.start();
  const tracer = trace.getTracer("hearth", serviceVersion);
  const run = <T>(span: Span, within: Context, work: () => Promise<T>): Promise<T> =>
    context.with(trace.setSpan(within, span), async () => {
      try {
        return await work();
      } catch (error) {
        span.setAttribute("error.type", error instanceof Error ? error.name : "unknown");
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  const tracing: Tracing = {
    middleware: httpInstrumentationMiddleware({ tracer }),
    note: (attributes) => void trace.getActiveSpan()?.setAttributes(attributes),
    span: (name, attributes, work) => run(tracer.startSpan(name, { attributes }), context.active(), work),
    place: () => context.active(),
    sharedSpan: (name, attributes, places, work) => {
      const [first = context.active(), ...others] = places as Context[];
      const span = tracer.startSpan(name, { attributes }, first);
      for (const other of others.map((each) => trace.getSpan(each))) {
        if (other === undefined) continue;
        span.addLink({ context: other.spanContext() });
        other.addLink({ context: span.spanContext() });
      }
      return run(span, first, work);
    },
  };
  useTracing(tracing);
  return async () => {
    useTracing(undefined);
    await node.shutdown();
    for (const api of [trace, context, propagation]) api.disable();
  };
}

/** Sends spans without events, messages, and attributes that are not listed. */
class CleanExporter implements SpanExporter {
  readonly #exporter: SpanExporter;

  constructor(exporter: SpanExporter) {
    this.#exporter = exporter;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    this.#exporter.export(spans.map(clean), done);
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}

function clean(span: ReadableSpan): ReadableSpan {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(span.attributes)) {
    if (!sent.has(name)) continue;
    attributes[name] = name === "hearth.request_id" && isPersonal(String(value)) ? "[hidden]" : value;
  }
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => withoutState(span.spanContext()),
    ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: withoutState(span.parentSpanContext) }),
    startTime: span.startTime,
    endTime: span.endTime,
    status: { code: span.status.code },
    attributes,
    links: span.links.map((link) => ({ context: withoutState(link.context) })),
    events: [],
    duration: span.duration,
    ended: span.ended,
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: span.droppedLinksCount,
  };
}

/** A client chooses the text of its `tracestate` header. */
function withoutState({ traceState: _, ...place }: SpanContext): SpanContext {
  return place;
}
