export {
  callOutside,
  checkOutboundUrl,
  classifyAddress,
  type OutboundAnswer,
  OutboundError,
  type OutboundRequest,
  type OutboundRules,
  outboundRules,
} from "./outbound.ts";
