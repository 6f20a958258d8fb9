import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** A connection between a browser and a server that a test can cut. */
export type Link = {
  url: string;
  /** Close all connections; new ones are accepted. */
  cut: () => void;
  /** Close all connections, and refuse new ones until `mend`. */
  sever: () => void;
  /** Accept connections again, optionally to another server on this machine. */
  mend: (target?: string) => void;
  close: () => Promise<void>;
};

/** Open a port that forwards to another port on this machine. */
export async function openLink(target: string): Promise<Link> {
  let { port } = new URL(target);
  let isSevered = false;
  const sockets = new Set<Socket>();
  const server = createServer((inward) => {
    if (isSevered) return void inward.destroy();
    const outward = connect(Number(port), "127.0.0.1");
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true).pipe(other);
      // When one side is cut, the other fails too, on purpose.
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
  const sever = () => {
    isSevered = true;
    cut();
  };
  const mend = (other?: string) => {
    isSevered = false;
    if (other !== undefined) ({ port } = new URL(other));
  };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      cut();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut, sever, mend, close };
}
