import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killChildWithParent } from "./parent-watchdog.ts";
import { freePorts } from "./ports.ts";

const find = (): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .concat("/usr/sbin", "/usr/local/sbin", "/usr/local/nginx/sbin")
    .map((folder) => join(folder, "nginx"))
    .find((place) => existsSync(place));

let program = find();

/**
 * Reason to skip a test that needs nginx; undefined when it is there. The long run installs it where it can (Debian, as root).
 */
export function withoutNginx(): string | undefined {
  if (
    program === undefined &&
    process.env.HEARTH_LONG === "1" &&
    process.getuid?.() === 0 &&
    existsSync("/usr/bin/apt-get")
  ) {
    try {
      execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "nginx-light"], { stdio: "pipe" });
    } catch (error) {
      return `nginx-light cannot be installed: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
    }
    program = find();
  }
  return program === undefined ? "This test needs nginx: `apt-get install nginx-light`." : undefined;
}

export type Nginx = {
  url: string;
  /** Its error log, which says why an answer was 502. */
  errors: () => Promise<string>;
  close: () => Promise<void>;
};

/** Start nginx as a load balancer in front of several servers, with the settings of docs/operations.md. */
export async function startNginx(urls: readonly string[]): Promise<Nginx> {
  if (program === undefined) throw new Error("There is no nginx.");
  const [port] = (await freePorts(1)) as [number];
  const folder = await mkdtemp(join(tmpdir(), "hearth-nginx-"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const settings = `
    daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 2048; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
      upstream hearth {
        ${urls.map((url) => `server ${new URL(url).host} max_fails=1 fail_timeout=1s;`).join(" ")}
        keepalive 64; keepalive_timeout 1s;
      }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://hearth;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_next_upstream error timeout;
          proxy_connect_timeout 2s;
        }
      }
    }`;
  const file = join(folder, "nginx.conf");
  await writeFile(file, settings);
  const server: ChildProcess = spawn(program, ["-c", file, "-e", join(folder, "error.log")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  killChildWithParent(server);
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  for (let i = 0; !(await listens(port)); i++) {
    if (server.exitCode !== null || i > 100) throw new Error(`nginx does not listen (${server.exitCode}).`);
    await sleep(50);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    errors: () => readFile(join(folder, "error.log"), "utf8"),
    close: async () => {
      server.kill("SIGQUIT");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
    socket.once("connect", () => socket.end());
  });
}
