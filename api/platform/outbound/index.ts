export {
  callOutside,
  checkedHost,
  checkOutboundUrl,
  classifyAddress,
  OutboundError,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundRules,
  outboundRules,
} from "./outbound.ts";
