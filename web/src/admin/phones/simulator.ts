import { errorOf } from "../../../../wire/src/errors.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth, sendRequest } from "../../api/client.ts";

/** A simulator that was made for this page. */
export type Simulator = { id: string; ussdPath: string };
/** What the phone shows. `ends`: the session is over. */
export type Screen = { text: string; ends: boolean };

/** Make a simulator, and end those that are left from before. @throws HearthError where a real gateway is set up */
export async function startSimulator(): Promise<Simulator> {
  const { items } = await hearth.get("/v1/phones/gateways", {});
  for (const { id, kind, revokedAt } of items) {
    if (kind === "simulator" && revokedAt === null) await hearth.delete("/v1/phones/gateways/{id}", { path: { id } });
  }
  const body: Schemas["NewPhoneGateway"] = { name: "Simulator", sms: { kind: "simulator" }, sources: [] };
  const { id, ussdUrl } = await hearth.post("/v1/phones/gateways", { body });
  return { id, ussdPath: new URL(ussdUrl).pathname };
}

/** Send a step as a gateway does: everything that was typed in the session so far. @throws HearthError */
export async function sendStep(
  { ussdPath }: Simulator,
  { sessionId, number, typed }: { sessionId: string; number: string; typed: readonly string[] },
): Promise<Screen> {
  const body = new URLSearchParams({ sessionId, phoneNumber: number, text: typed.join("*") });
  const response = await sendRequest(new Request(new URL(ussdPath, window.location.origin), { method: "POST", body }));
  if (!response.ok) throw await errorOf(response);
  const answer = await response.text();
  return { text: answer.slice(4), ends: !answer.startsWith("CON ") };
}
