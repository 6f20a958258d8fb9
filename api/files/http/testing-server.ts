// For tests: the file store behind a socket in a process of its own, so that its memory is its own.
import { listen, openTestHttp } from "./testing.ts";

/** What it tells its parent. Memory in bytes. */
export type ServerReport = { url: string; authorization: string } | { idle: number; most: number };

const http = await openTestHttp();
const server = await listen(http.app);
const authorization = await http.bearer();
await http.fs("POST", "/files?path=/warm-up", { body: Buffer.alloc(20 * 1024 * 1024) });
await (await http.fs("GET", "/content?path=/warm-up")).arrayBuffer();

const rss = () => process.memoryUsage().rss;
const idle = rss();
let most = idle;
setInterval(() => {
  most = Math.max(most, rss());
}, 20).unref();
const tell = (report: ServerReport) => process.send?.(report);
process.on("message", async (wanted) => {
  if (wanted === "memory") tell({ idle, most });
  if (wanted !== "close") return;
  await server.close();
  await http.close();
  process.exit(0);
});
tell({ url: server.url, authorization });
