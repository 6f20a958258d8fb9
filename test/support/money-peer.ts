import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

/**
 * What happens to the next call for a transfer.
 * `lost-before`: the connection breaks before the partner has the call; `lost-after`: when it has carried it out.
 * `doubled`: the network delivers the call twice, and the second answer is the one that arrives.
 * `failing`: it answers 500 although it has carried the call out. `refused`: it does nothing and says why. `forbidden`: a wrong key.
 */
export type CallFate = "lost-before" | "lost-after" | "doubled" | "failing" | "refused" | "forbidden";
export type PeerTransfer = {
  reference: string;
  number: string;
  amount: string;
  currency: string;
  paymentId: string;
  status: "PENDING" | "SUCCESSFUL" | "FAILED";
};

/** A peer in the place of MTN MoMo and Airtel Money: it keeps each reference once, as they do, and misbehaves on request. */
export type MoneyPeer = {
  url: string;
  /** Fates of the next calls for a transfer; after them, calls are accepted. */
  fates: CallFate[];
  /** Status that a new transfer has. */
  decision: PeerTransfer["status"];
  /** While true, no question for a status is answered. */
  isSilent: boolean;
  transfers: Map<string, PeerTransfer>;
  /** Each request after signing in, such as `POST /disbursement/v1_0/transfer`. */
  asked: string[];
  /** Bodies of the calls for transfers. */
  bodies: string[];
  headers: IncomingMessage["headers"][];
  tokens: number;
  /** Accept no token that was given before. */
  expireTokens: () => void;
  /** Called when a call for a transfer has arrived, before anything else happens. */
  onCall: () => void | Promise<void>;
  /** Sum of the transfers that succeeded, by payment. */
  paidFor: (paymentId: string) => number;
  close: () => Promise<void>;
};

export async function startMoneyPeer(): Promise<MoneyPeer> {
  let valid = new Set<string>();
  const peer: MoneyPeer = {
    url: "",
    fates: [],
    decision: "SUCCESSFUL",
    isSilent: false,
    transfers: new Map(),
    asked: [],
    bodies: [],
    headers: [],
    tokens: 0,
    expireTokens: () => {
      valid = new Set();
    },
    onCall: () => {},
    paidFor: (paymentId) =>
      [...peer.transfers.values()].filter((each) => each.paymentId === paymentId && each.status === "SUCCESSFUL")
        .length,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const answer = (response: ServerResponse, status: number, body?: object) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(body && JSON.stringify(body));
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const body = await readText(request);
    if (path === "/disbursement/token/" || path === "/auth/oauth2/token") {
      peer.tokens++;
      const token = `token-${peer.tokens}`;
      valid.add(token);
      return answer(response, 200, { access_token: token, token_type: "access_token", expires_in: 3600 });
    }
    peer.asked.push(`${request.method} ${path}`);
    if (!valid.has(request.headers.authorization?.replace("Bearer ", "") ?? "")) return answer(response, 401);
    const isAirtel = path.startsWith("/standard/");
    if (request.method === "GET") return answerStatus(response, path, isAirtel);
    peer.bodies.push(body);
    peer.headers.push(request.headers);
    await peer.onCall();
    return answerCall(request, response, isAirtel ? airtelTransfer(body) : mtnTransfer(request, body), isAirtel);
  });

  function answerCall(request: IncomingMessage, response: ServerResponse, wanted: PeerTransfer, isAirtel: boolean) {
    const fate = peer.fates.shift();
    if (fate === "lost-before") return void request.socket.destroy();
    if (fate === "forbidden") return answer(response, 403, { message: "IP not authorised" });
    if (fate === "refused") {
      const refusal = { code: "PAYEE_NOT_FOUND", message: `Payee ${wanted.number} not found` };
      const airtel = { status: { response_code: "DP00900001012", message: `Number ${wanted.number} is incorrect` } };
      return answer(response, isAirtel ? 200 : 400, isAirtel ? airtel : refusal);
    }
    const isKnown = peer.transfers.has(wanted.reference);
    if (!isKnown) peer.transfers.set(wanted.reference, { ...wanted, status: peer.decision });
    if (fate === "lost-after") return void request.socket.destroy();
    if (fate === "failing") return answer(response, 500, { code: "INTERNAL_PROCESSING_ERROR" });
    if (isKnown || fate === "doubled") {
      const airtel = { status: { response_code: "DP00900001011", message: "Duplicate" } };
      return answer(response, isAirtel ? 200 : 409, isAirtel ? airtel : { code: "RESOURCE_ALREADY_EXIST" });
    }
    const airtel = { status: { response_code: "DP00900001006", message: "In process" } };
    return isAirtel ? answer(response, 200, airtel) : answer(response, 202);
  }

  function answerStatus(response: ServerResponse, path: string, isAirtel: boolean) {
    if (peer.isSilent) return void response.socket?.destroy();
    const reference = path.split("/").at(-1)?.split("?")[0] ?? "";
    const found = peer.transfers.get(reference);
    if (isAirtel) return answer(response, 200, airtelStatus(found));
    if (found === undefined) return answer(response, 404, { code: "RESOURCE_NOT_FOUND" });
    const { amount, currency, paymentId, number, status } = found;
    const payee = { partyIdType: "MSISDN", partyId: number };
    const reason = status === "FAILED" ? { reason: `PAYEE_LIMIT_REACHED for ${number}` } : {};
    const financialTransactionId = status === "SUCCESSFUL" ? { financialTransactionId: "363440463" } : {};
    const transfer = { amount, currency, externalId: paymentId, payee, status };
    return answer(response, 200, { ...transfer, ...financialTransactionId, ...reason });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return peer;
}

function mtnTransfer({ headers }: IncomingMessage, body: string): PeerTransfer {
  const { amount, currency, externalId, payee } = JSON.parse(body);
  const reference = String(headers["x-reference-id"]);
  return { reference, number: payee.partyId, amount, currency, paymentId: externalId, status: "PENDING" };
}

function airtelTransfer(body: string): PeerTransfer {
  const { payee, transaction, reference } = JSON.parse(body);
  const paymentId = `${reference.slice(0, 3)}-${reference.slice(3)}`;
  const { currency, msisdn } = payee;
  return {
    reference: transaction.id,
    number: msisdn,
    amount: String(transaction.amount),
    currency,
    paymentId,
    status: "PENDING",
  };
}

function airtelStatus(found: PeerTransfer | undefined): object {
  if (found === undefined) return { status: { response_code: "DP00900001015", message: "Transaction not found" } };
  const words = { PENDING: "TIP", SUCCESSFUL: "TS", FAILED: "TF" };
  const transaction = { id: found.reference, status: words[found.status], airtel_money_id: "MP1", message: "Said" };
  return { data: { transaction }, status: { response_code: "DP00900001001", message: "Success" } };
}
