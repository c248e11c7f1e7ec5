import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Express } from "express";
import type { Headers, Reply } from "./ask.ts";

/** Collects what is written to a connection that does not exist. */
class Wire extends Duplex {
  written: Buffer[] = [];
  readonly remoteAddress = "127.0.0.1";

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.written.push(bytes);
    done();
  }

  setTimeout(): this {
    return this;
  }
}

/**
 * Returns a function that has an application answer requests without a body, one after the other, and without a connection: what a socket
 * costs is more than half of many answers.
 *
 * @param app one that listens, so that its messages have classes of their own
 */
export function inProcess(
  app: Express,
): (target: string, headers: Headers, method: string) => Promise<Reply> {
  const Request = app.request.constructor as typeof IncomingMessage;
  const Response = app.response.constructor as typeof ServerResponse;
  const wire = new Wire();
  const socket = wire as unknown as Socket;
  return (target, headers, method) =>
    new Promise((resolve) => {
      const req = new Request(socket);
      // An answer to HTTP/1.0 ends with the connection: its body is sent as it is.
      Object.assign(req, {
        url: target,
        method,
        httpVersion: "1.0",
        httpVersionMajor: 1,
        httpVersionMinor: 0,
      });
      req.headers = { host: "127.0.0.1", ...headers };
      req.complete = true;
      req.push(null);
      const res = new Response(req);
      wire.written = [];
      res.assignSocket(socket);
      res.once("finish", () => {
        res.detachSocket(socket);
        const text = Buffer.concat(wire.written).toString("utf8");
        const reply = {
          status: res.statusCode,
          headers: headersOf(res),
          text: text.slice(text.indexOf("\r\n\r\n") + 4),
        };
        res.destroyed = true;
        res.emit("close");
        resolve(reply);
      });
      app(req, res);
    });
}

const headersOf = (res: ServerResponse): Reply["headers"] => {
  const headers = Object.entries(res.getHeaders());
  return Object.fromEntries(
    headers.map(([name, value]) => [name, typeof value === "number" ? String(value) : value]),
  );
};
