// @vitest-environment jsdom

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { HearthError } from "../../../wire/src/errors.ts";
import { queryClient } from "../api/query-client.ts";
import { chooseLanguage, loadTexts, startI18n } from "../i18n/i18n.ts";
import type { KeyHolder } from "../session/session.ts";
import type { Act, Entered } from "./act.ts";
import { DecisionDialog } from "./decision-dialog.tsx";
import { mayDecide } from "./decisions.tsx";
import { type KindName, kindOf, kinds } from "./kinds.ts";
import { redemptions } from "./redemptions.ts";
import { waiting } from "./waiting.ts";

type Schema = { $ref?: string; required?: string[]; properties?: Record<string, Schema> };
type Operation = {
  "x-callers": { roles: string[] };
  parameters: { name: string; in: string }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
};
type Api = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

const api = JSON.parse(readFileSync(join(import.meta.dirname, "../../../openapi.json"), "utf8")) as Api;
const entered: Entered = { reason: "Seen", code: "measurement-error", registry: "ZMB01", first: "1", last: "5" };
const acts = (Object.keys(kinds) as KindName[]).flatMap((kind) => kindOf(kind).acts);
const actOf = (name: Act<unknown>["name"]) => acts.find((act) => act.name === name) as Act<unknown>;

describe("a decision", () => {
  it.each(acts.map((act) => [act.name, act] as const))("%s is offered to the roles that the API accepts", (_, act) => {
    const operation = api.paths[act.route.path]?.[act.route.method];
    expect(operation?.["x-callers"].roles.toSorted()).toEqual([...act.roles].sort());
  });

  it.each(acts.map((act) => [act.name, act] as const))("%s sends the fields that its route requires", (_, act) => {
    const operation = api.paths[act.route.path]?.[act.route.method];
    const { path = {}, body = {} } = act.route.request("ID", entered) as { path?: object; body?: object };
    const inPath = operation?.parameters.filter((each) => each.in === "path").map(({ name }) => name);
    expect(Object.keys(path).sort()).toEqual(inPath?.sort());
    const sent = operation?.requestBody?.content["application/json"].schema;
    const schema = sent?.$ref === undefined ? sent : api.components.schemas[sent.$ref.split("/").at(-1) ?? ""];
    expect(Object.keys(schema?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(body)));
    expect(Object.keys(body)).toEqual(expect.arrayContaining(schema?.required ?? []));
  });

  it("waits in a list exactly where somebody with these roles can decide", () => {
    for (const kind of ["claim", "conversion"] as const) {
      const { roles, states } = waiting[kind];
      for (const state of states) {
        const possible = kindOf(kind).acts.filter((act) => act.isPossible({ status: state, buffer: null }));
        expect(possible.length, `${kind} ${state}`).toBeGreaterThan(0);
        for (const act of possible) expect([...act.roles].sort()).toEqual([...roles].sort());
      }
    }
  });

  it("to give a redemption back is offered to its own supplier only", () => {
    const act = redemptions.acts.find(({ name }) => name === "reverseRedemption");
    const row = { supplierDid: "did:x:shop" } as Parameters<NonNullable<typeof act>["isPossible"]>[0];
    const holder = (supplierDid: string) => ({ role: "supplier", supplierDid }) as KeyHolder;
    if (act === undefined) throw new Error("There is no such act.");
    expect(mayDecide(act, row, holder("did:x:shop"))).toBe(true);
    expect(mayDecide(act, row, holder("did:x:other"))).toBe(false);
  });
});

describe("the dialog of a decision", () => {
  beforeAll(async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
    await startI18n();
    await chooseLanguage("en");
    await loadTexts(["decisions"]);
  });
  afterEach(cleanup);

  /** Show the dialog of an act whose requests `send` answers. */
  function show(name: Act<unknown>["name"], send: Act<unknown>["route"]["send"], id = "ID-1") {
    const act = actOf(name);
    const [onDecided, onClose] = [vi.fn(), vi.fn()];
    render(
      <QueryClientProvider client={queryClient}>
        <MantineProvider env="test">
          <DecisionDialog
            act={{ ...act, route: { ...act.route, send } }}
            id={id}
            facts={{ amount: 12.5, tonnes: 5 }}
            onDecided={onDecided}
            onClose={onClose}
          />
        </MantineProvider>
      </QueryClientProvider>,
    );
    const button = screen.getByRole<HTMLButtonElement>("button", { name: actLabel(name) });
    return { button, onDecided, onClose };
  }
  const actLabel = (name: Act<unknown>["name"]) =>
    ({ approveClaim: "Approve the claim", finaliseConversion: "Finalise the conversion" })[name as "approveClaim"];
  const type = (label: RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

  it("says what is decided and what follows, and needs a reason", async () => {
    const send = vi.fn(async () => ({}));
    const { button, onDecided } = show("approveClaim", send, "CLM-1");
    expect(screen.getByText("Claim CLM-1 is paid.")).toBeTruthy();
    expect(screen.getByText(/paid for 12\.5/)).toBeTruthy();
    expect(button.disabled).toBe(true);
    type(/Reason/, "  The photo shows the delivery.  ");
    fireEvent.click(button);
    await waitFor(() => expect(onDecided).toHaveBeenCalledOnce());
    const [id, given] = send.mock.calls[0] as unknown as [string, Entered];
    expect([id, given.reason]).toEqual(["CLM-1", "The photo shows the delivery."]);
  });

  it("repeats a request without an answer with the same key, and shows a refusal as a sentence", async () => {
    const keys: string[] = [];
    const answers = [
      new HearthError({ status: 0, code: "OFFLINE", message: "" }),
      new HearthError({ status: 409, code: "CONFLICT", message: "Claim CLM-2 is not flagged." }),
      undefined,
    ];
    const { button, onDecided } = show(
      "approveClaim",
      async (_id, _entered, key) => {
        keys.push(key);
        const refused = answers.shift();
        if (refused !== undefined) throw refused;
      },
      "CLM-2",
    );
    type(/Reason/, "Seen");
    fireEvent.click(button);
    await screen.findByRole("alert");
    fireEvent.click(button);
    await screen.findByText("Claim CLM-2 is not flagged.");
    fireEvent.click(button);
    await waitFor(() => expect(onDecided).toHaveBeenCalledOnce());
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it("needs one serial for each tonne of a conversion", async () => {
    const send = vi.fn(async () => ({}));
    const { button, onDecided } = show("finaliseConversion", send);
    type(/Registry/, "ZMB01");
    type(/First serial/, "101");
    type(/Last serial/, "104");
    fireEvent.click(button);
    await screen.findByText(/one for each tonne: 5 t/);
    expect(send).not.toHaveBeenCalled();
    type(/Last serial/, "105");
    fireEvent.click(button);
    await waitFor(() => expect(onDecided).toHaveBeenCalledOnce());
  });
});
