import { spawnSync } from "node:child_process";

/** A network namespace that is linked to this machine, so that a program in it can be cut off. */
export type Namespace = {
  /** Address of this machine as seen from the namespace. */
  readonly outside: string;
  /** Address of the namespace as seen from this machine. */
  readonly inside: string;
  /** Command that starts a program in the namespace. */
  readonly prefix: readonly string[];
  /** Drops all packets between the namespace and this machine, until `join`. Connections are not closed by it. */
  readonly cut: () => void;
  readonly join: () => void;
  readonly remove: () => void;
};

const run = (...input: readonly string[]): boolean =>
  spawnSync("ip", input, { stdio: "ignore" }).status === 0;

function must(...input: readonly string[]): void {
  if (!run(...input)) throw new Error(`ip ${input.join(" ")} failed`);
}

/** Creates a namespace. Undefined if this user may not. */
export function createNamespace(number: number): Namespace | undefined {
  const name = `cadastre${process.pid}n${number}`;
  const link = `cad${process.pid}n${number}`.slice(-15);
  const network = `10.213.${number}`;
  if (!run("netns", "add", name)) return undefined;
  const within = (...input: readonly string[]) => must("-n", name, ...input);
  try {
    must("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
    must("addr", "add", `${network}.1/24`, "dev", link);
    must("link", "set", link, "up");
    within("addr", "add", `${network}.2/24`, "dev", "eth0");
    within("link", "set", "eth0", "up");
    within("link", "set", "lo", "up");
  } catch {
    run("netns", "del", name);
    run("link", "del", link);
    return undefined;
  }
  return {
    outside: `${network}.1`,
    inside: `${network}.2`,
    prefix: ["ip", "netns", "exec", name],
    // This machine's end stays up: without its route, packets would go to a gateway, which may answer.
    cut: () => within("link", "set", "eth0", "down"),
    join: () => within("link", "set", "eth0", "up"),
    remove: () => void run("netns", "del", name),
  };
}
