// Installs the workspace when it is not installed yet, or when the lock file has changed since.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = `${root}node_modules/.cadastre-installed`;
const { packageManager, engines } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Cadastre needs Node ${engines.node}; this is Node ${process.versions.node}.`);
  process.exit(1);
}

const wanted = createHash("sha256")
  .update(readFileSync(`${root}pnpm-lock.yaml`))
  .update(process.versions.modules)
  .digest("hex");

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  console.log("Installing the workspace. The first time, SQLite is compiled: one to two minutes.");
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const pulse = setInterval(() => console.log(`… still installing (${seconds()} s)`), 15_000);
  const status = await new Promise((resolve) => {
    spawn("npx", ["-y", packageManager, "install", "--frozen-lockfile", "--prefer-offline"], {
      cwd: root,
      stdio: "inherit",
      shell: process.platform === "win32",
    }).on("close", resolve);
  });
  clearInterval(pulse);
  if (status !== 0) {
    console.error("The install failed. It needs the npm registry, and for SQLite a C++ compiler, make and");
    console.error(
      "python3 (Debian: apt-get install build-essential python3). Then run the same command again.",
    );
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
  console.log(`Installed in ${seconds()} s.`);
}
