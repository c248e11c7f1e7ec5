import { execFile } from "node:child_process";

/** Runs a command and returns what it prints, with its warnings. */
export const run = (command, args, cwd) =>
  new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      { cwd, encoding: "utf8", maxBuffer: 2 ** 26, shell: process.platform === "win32" },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout + stderr);
        else reject(new Error(`${command} ${args.join(" ")} failed in ${cwd}\n${stdout}${stderr}`));
      },
    );
  });
