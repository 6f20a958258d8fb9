/**
 * Options of Node's server. A bearer token of 64 KiB is 88 KiB in base64. An upload may take hours, so no request as a whole is timed:
 * its header is, and its body must keep coming (`slow-bodies.ts`). Node would take the header's limit from that of the whole request,
 * which is none, so it is given here. An idle connection ends after 2 s: so long SIGTERM has to wait for what is on its way.
 */
export const serverOptions = {
  maxHeaderSize: 128 * 1024,
  requestTimeout: 0,
  headersTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 2_000,
};

/** Connections at a time, sockets and streams among them; more are closed as they come. Each costs some 50 KiB at least. */
export const maxConnections = 10_000;

/** Of them, one client's (`limitClientConnections`). */
export const maxClientConnections = 1_000;
