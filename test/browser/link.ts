import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** The wire between a browser and a server, which a test can cut. */
export type Link = {
  url: string;
  /** Break every connection that there is; new ones are served. */
  cut: () => void;
  /** Break every connection, and let no new one through until `mend`. */
  sever: () => void;
  /** Let connections through again; to another server of this machine, if it is named. */
  mend: (target?: string) => void;
  close: () => Promise<void>;
};

/** Open a port that passes bytes to and from another one of this machine. */
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
