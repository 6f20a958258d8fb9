/**
 * Options of Node's server. A bearer token of 64 KiB is 88 KiB in base64. An upload may take hours, so no request as a whole is
 * timed: its header is (60 s), and each body by whoever reads it.
 */
export const serverOptions = { maxHeaderSize: 128 * 1024, requestTimeout: 0 };
