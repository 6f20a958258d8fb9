import { listen, openTestHttp } from "../support/files/http.ts";

/**
 * The file store behind a socket in a separate process, so that its memory can be measured. It prints its URL, and ends with its
 * input.
 */
const http = await openTestHttp({ LOG_LEVEL: "silent" });
const server = await listen(http.app);
console.log(JSON.stringify({ url: server.url, token: await http.bearer() }));
for await (const _ of process.stdin);
await server.close();
await http.close();
