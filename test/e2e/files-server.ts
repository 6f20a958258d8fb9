import { listen, openTestHttp } from "../support/files/http.ts";

/** The file store behind a socket in a process of its own, so that its memory is its own; prints where it is, ends with its input. */
const http = await openTestHttp({ LOG_LEVEL: "silent" });
const server = await listen(http.app);
console.log(JSON.stringify({ url: server.url, token: await http.bearer() }));
for await (const _ of process.stdin);
await server.close();
await http.close();
