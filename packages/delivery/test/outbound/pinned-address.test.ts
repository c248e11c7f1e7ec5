import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { checkedLookup } from "../../src/outbound/pinned-address.ts";
import { isLoopbackAddress, isPublicAddress } from "../../src/outbound/public-address.ts";

const loopback = { address: "127.0.0.1", family: 4 };
const publicAddress = { address: "93.184.216.34", family: 4 };

/** Returns the status of a request to a name that resolves to `addresses`, by an agent with the look-up. */
async function ask(
  addresses: readonly { address: string; family: number }[],
  isAllowed: (a: string) => boolean,
) {
  const server = createServer((_, to) => void to.end("ok"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ lookup: checkedLookup(isAllowed, async () => addresses) });
  return new Promise<number | undefined>((resolve, reject) => {
    request({ host: "store.example", port, agent }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

test("an agent connects to the addresses that are allowed", async () => {
  expect(await ask([loopback], isLoopbackAddress)).toBe(200);
});

test.each([
  ["one", [loopback]],
  ["one of two", [publicAddress, loopback]],
  ["none", []],
])("it connects to no host of which %s is not public", async (_, addresses) => {
  await expect(ask(addresses, isPublicAddress)).rejects.toThrow("may not be connected to");
});
