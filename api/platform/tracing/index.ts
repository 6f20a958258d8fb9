export {
  isTracing,
  type TraceAttributes,
  type TracePlace,
  traced,
  tracedTogether,
  tracePlace,
  traceRequests,
  useTracing,
} from "./tracing.ts";
