import assert from "node:assert/strict";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { AppError } from "../errors.ts";
import { limitClientConnections } from "./client-connections.ts";
import { prepareDrain } from "./drain.ts";
import { carrySecurityHeaders } from "./security-headers.ts";
import { serverOptions } from "./server-options.ts";
import { limitSlowBodies } from "./slow-bodies.ts";

const app = new Hono()
  .get("/", (c) => c.text("here"))
  .get("/slow", async (c) => {
    await sleep(300);
    return c.text("late");
  })
  .post("/", async (c) => c.text(`${(await c.req.arrayBuffer()).byteLength}`))
  .post("/later", async (c) => {
    await sleep(600);
    return c.text(`${(await c.req.arrayBuffer()).byteLength}`);
  });

app.get("/page", (c) => c.text("page", 200, { "Content-Security-Policy": "default-src 'self'" }));
app.get("/broken", () => {
  throw new Error("broken");
});

// As every app of ours does.
app.onError((thrown, c) =>
  thrown instanceof AppError && thrown.status === 408
    ? c.text(thrown.message, 408, thrown.headers)
    : c.text("Internal Server Error", 500),
);

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(): Promise<Server> {
  const options = { ...serverOptions, connectionsCheckingInterval: 50 };
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: options }) as Server;
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

type Client = { socket: Socket; said: () => string; ended: Promise<void> };

/** @param localAddress where the connection comes from */
async function open(server: Server, localAddress = "127.0.0.1"): Promise<Client> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  let said = "";
  socket.on("data", (part) => (said += part)).on("error", () => {});
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  return { socket, said: () => said, ended };
}

/** Send a piece every so often until the other side has had enough; how long that took, in milliseconds. */
async function trickle({ socket, ended }: Client, everyMs: number): Promise<number> {
  const begin = Date.now();
  const timer = setInterval(() => socket.writable && socket.write("x"), everyMs);
  await ended;
  clearInterval(timer);
  return Date.now() - begin;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: hearth\r\n\r\n`;
const post = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: hearth\r\nContent-Length: ${length}\r\n\r\n`;

test("answers a request that offers HTTP/2 by HTTP/1.1, and upgrades only to WebSocket", async () => {
  const server = await serve();
  const upgraded: (string | undefined)[] = [];
  server.on("upgrade", ({ headers }, socket) => {
    upgraded.push(headers.upgrade);
    socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  });
  const offer = (name: string, more: string) =>
    `GET / HTTP/1.1\r\nHost: hearth\r\nConnection: Upgrade${more}\r\nUpgrade: ${name}\r\n`;
  const settings = "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n";
  const [h2c, socket] = [await open(server), await open(server)];
  h2c.socket.write(`${offer("h2c", ", HTTP2-Settings")}${settings}\r\n`);
  socket.socket.write(`${offer("WebSocket", "")}\r\n`);
  await Promise.all([h2c.ended, socket.ended]);
  assert.match(h2c.said(), /^HTTP\/1\.1 200 OK\r\n/);
  assert.ok(h2c.said().endsWith("here"), h2c.said());
  assert.match(socket.said(), /^HTTP\/1\.1 101/);
  assert.deepEqual(upgraded, ["WebSocket"]);
});

test("keeps connections for the next requests of Node's fetch", async () => {
  const server = await serve();
  let connections = 0;
  server.on("connection", () => connections++);
  const { port } = server.address() as AddressInfo;
  for (let n = 0; n < 6; n++) assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "here");
  // It may open a second while the first is not quite free.
  assert.ok(connections <= 2, `${connections} connections`);
});

test("limits the time of a header, though none is set for a whole request", async () => {
  const server = await serve();
  assert.equal(server.headersTimeout, 30_000);
  server.headersTimeout = 500;
  const [silent, slow] = [await open(server), await open(server)];
  slow.socket.write("GET / HTTP/1.1\r\nX-Slow: ");
  const times = await Promise.all([trickle(slow, 50), silent.ended.then(() => 0)]);
  assert.ok(times[0] < 5_000, `${times[0]} ms`);
  assert.match(slow.said(), /^HTTP\/1\.1 408/);
});

test("ends a body that trickles, with 408, and leaves one that keeps coming", async () => {
  const server = await serve();
  limitSlowBodies(server, { windowMs: 600, leastBytes: 100 });
  const [slow, steady] = [await open(server), await open(server)];
  slow.socket.write(post("/", 1_000_000));
  steady.socket.write(post("/", 2_000));
  const send = (async () => {
    for (let sent = 0; sent < 2_000; sent += 100) {
      steady.socket.write("y".repeat(100));
      await sleep(80);
    }
  })();
  assert.ok((await trickle(slow, 100)) < 5_000);
  assert.match(slow.said(), /^HTTP\/1\.1 408/);
  await send;
  await sleep(100);
  assert.match(steady.said(), /^HTTP\/1\.1 200[\s\S]*2000$/);
});

test("waits for a body that the server itself has not begun to read", async () => {
  const server = await serve();
  limitSlowBodies(server, { windowMs: 300, leastBytes: 100 });
  const client = await open(server);
  client.socket.write(post("/later", 20));
  client.socket.write("0123456789");
  await sleep(500);
  client.socket.write("0123456789");
  await sleep(400);
  assert.match(client.said(), /^HTTP\/1\.1 200[\s\S]*20$/);
});

test("closes connections beyond the most", async () => {
  const server = await serve();
  server.maxConnections = 2;
  const clients = [await open(server), await open(server), await open(server)];
  await clients[2]?.ended;
  clients[0]?.socket.write(get("/"));
  await sleep(200);
  assert.match(clients[0]?.said() ?? "", /here$/);
});

test("closes one client's connections beyond its share, and leaves room for others", async () => {
  const server = await serve();
  limitClientConnections(server, { perClient: 2, counts: () => true });
  const clients = [await open(server), await open(server), await open(server)];
  await clients[2]?.ended;
  clients[0]?.socket.destroy();
  await clients[0]?.ended;
  await sleep(50);
  const again = await open(server);
  const other = await open(server, "127.0.0.2");
  for (const { socket } of [again, other]) socket.write(get("/"));
  await sleep(200);
  for (const { said } of [again, other]) assert.match(said(), /here$/);
});

test("counts no connections from this machine unless told to", async () => {
  const server = await serve();
  limitClientConnections(server, { perClient: 0 });
  const client = await open(server);
  client.socket.write(get("/"));
  await sleep(200);
  assert.match(client.said(), /here$/);
});

test("answers what is on its way while it drains, and says that the connection ends", async () => {
  const server = await serve();
  const drain = prepareDrain(server);
  const [idle, busy, unused] = [await open(server), await open(server), await open(server)];
  idle.socket.write(get("/"));
  busy.socket.write(get("/slow"));
  await sleep(100);
  assert.match(idle.said(), /here$/);
  await drain.begin();
  // Sent on an idle connection before its client knows that it is to end.
  idle.socket.write(get("/slow"));
  await Promise.all([idle.ended, busy.ended]);
  for (const client of [idle, busy]) assert.match(client.said(), /connection: close[\s\S]*late$/i);
  await assert.rejects(fetch(`http://127.0.0.1:${unused.socket.remotePort as number}/`));
  await drain.idleEnded();
  await unused.ended;
  await drain.wait(1_000);
  assert.equal(server.listening, false);
});

test("answers on connections that wait to be accepted when it begins to drain", async () => {
  const server = await serve();
  const drain = prepareDrain(server);
  const { port } = server.address() as AddressInfo;
  // The kernel completes them; the server accepts one in each iteration of the loop.
  const clients = Array.from({ length: 12 }, () => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.write(get("/").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    return text(socket);
  });
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await drain.begin();
  assert.equal(server.listening, false);
  for (const said of await Promise.all(clients)) assert.match(said, /here$/);
});

test("carries security headers on every answer, errors and what no route writes included; a route's own count", async () => {
  const server = await serve();
  carrySecurityHeaders(server);
  const answers = [get("/"), get("/nowhere"), get("/broken"), get("/page")];
  for (const [i, request] of answers.entries()) {
    const client = await open(server);
    client.socket.write(request);
    while (!client.said().includes("\r\n\r\n")) await sleep(10);
    assert.match(client.said(), /^x-content-type-options: nosniff\r$/im);
    assert.match(client.said(), /^referrer-policy: no-referrer\r$/im);
    const policies = client.said().match(/^content-security-policy: .*(?=\r$)/gim);
    assert.equal(policies?.length, 1);
    assert.match(policies?.[0] ?? "", i === 3 ? /default-src 'self'$/ : /default-src 'none'; frame-ancestors 'none'$/);
  }
});
