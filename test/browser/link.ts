import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** The wire between a browser and a server, which a test can cut. */
export type Link = {
  url: string;
  /** Break every connection that there is; new ones are served. */
  cut: () => void;
  close: () => Promise<void>;
};

/** Open a port that passes bytes to and from another one of this machine. */
export async function openLink(target: string): Promise<Link> {
  const { port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((inward) => {
    const outward = connect(Number(port), "127.0.0.1");
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true).pipe(other);
      // A cut connection fails on both sides; that is what it is for.
      one
        .on("error", () => other.destroy())
        .on("close", () => {
          sockets.delete(one);
          other.destroy();
        });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      cut();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut, close };
}
