import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Running } from "./processes.ts";

export const hasNginx = (): boolean => spawnSync("nginx", ["-v"]).status === 0;

/**
 * Starts nginx for the files of a folder: one process, with `sendfile`, without an access log.
 *
 * @param scratch folder for its configuration and temporary files
 * @param cores list of cores in the syntax of taskset
 */
export async function startNginx(
  root: string,
  scratch: string,
  cores: string,
): Promise<Pick<Running, "port" | "pid" | "stop">> {
  const port = await freePort();
  const config = join(scratch, "nginx.conf");
  await writeFile(config, configOf(root, scratch, port));
  const child = spawn("taskset", ["-c", cores, "nginx", "-p", scratch, "-c", config], {
    stdio: ["ignore", "ignore", process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit"],
  });
  const ended = once(child, "exit");
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error("nginx did not start: set BENCH_LOG=1 to see why");
    await setTimeout(50);
  }
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const configOf = (root: string, scratch: string, port: number) => `
daemon off;
master_process off;
pid ${scratch}/nginx.pid;
error_log stderr warn;
events { worker_connections 256; }
http {
  sendfile on;
  tcp_nopush on;
  access_log off;
  default_type application/octet-stream;
  keepalive_requests 1000000;
  client_body_temp_path ${scratch}/body;
  proxy_temp_path ${scratch}/proxy;
  fastcgi_temp_path ${scratch}/fastcgi;
  uwsgi_temp_path ${scratch}/uwsgi;
  scgi_temp_path ${scratch}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${root};
  }
}
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
