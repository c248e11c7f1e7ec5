import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type Received = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string };

/** A webhook's receiver on loopback. */
export type Receiver = {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Answers a request that has been read. */
  answer: (response: ServerResponse, received: Received) => void;
  readonly stop: () => Promise<void>;
};

export const answerWith =
  (status: number, headers: Readonly<Record<string, string>> = {}): Receiver["answer"] =>
  (response) =>
    void response.writeHead(status, headers).end();

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const receive = (body: string) => {
      const one = { url: request.url ?? "", headers: request.headers, body };
      received.push(one);
      receiver.answer(response, one);
    };
    // A request that is aborted does not count as received.
    text(request).then(receive, () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer: answerWith(204),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
