import { ok } from "@cadastre/server/parts";
import type { IRouter, Request } from "express";
import { z } from "zod";
import { Refused } from "../errors.ts";
import { sendAnswer } from "../http/answer.ts";
import { readJsonBody } from "../http/request-body.ts";
import type { DemoSignIn } from "./sign-in.ts";

/** A name for this machine, with or without a port. Another name may lead here by DNS rebinding. */
const localHost = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

const localPeer = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i;

/** Headers that proxies add, besides `X-Forwarded-…`. */
const proxyHeaders: readonly string[] = ["forwarded", "via", "x-real-ip", "x-client-ip"];

const isForwarded = ({ headers }: Request): boolean =>
  Object.keys(headers).some((name) => name.startsWith("x-forwarded") || proxyHeaders.includes(name));

/** True if the page of this service sends the request, in a browser of this machine. */
const isOfOwnPage = (req: Request): boolean =>
  localPeer.test(req.socket.remoteAddress ?? "") &&
  localHost.test(req.headers.host ?? "") &&
  !isForwarded(req) &&
  req.get("sec-fetch-site") === "same-origin";

const body = z.strictObject({ code: z.string().max(100) });

/**
 * Adds the address that exchanges the code of the demo's sign-in for the demo keys.
 *
 * @param signIn undefined if none is offered: every request is refused
 * @param onSignIn called when the keys were given
 */
export function addSignIn(routes: IRouter, signIn: DemoSignIn | undefined, onSignIn: () => void): void {
  routes.use("/demo-keys", async (req, res, next) => {
    if (req.path !== "/") return next();
    if (req.method !== "POST") throw new Refused("method_not_allowed", { headers: { allow: "POST" } });
    if (signIn === undefined || !isOfOwnPage(req)) throw new Refused("sign_in_unavailable");
    const given = body.safeParse(await readJsonBody(req));
    if (!given.success) throw new Refused("invalid_request", { target: "code" });
    const data = signIn.redeem(given.data.code);
    onSignIn();
    const answer = ok("application/json", JSON.stringify({ data }));
    sendAnswer(res, { ...answer, headers: { "cache-control": "no-store" } });
  });
}
