import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { languages as consoleLanguages } from "../../../web/src/i18n/languages.ts";
import type { EventMessage, EventType } from "../events/index.ts";
import { languages, noticeTypes, sentenceOf } from "./texts.ts";
import { changesBy, topics } from "./topics.ts";

const now = new Date("2026-03-01T00:00:00Z");
const event = (type: EventType, data: Record<string, unknown>): EventMessage => ({
  id: "evt_1_0_0",
  type,
  occurredAt: now.toISOString(),
  transactionHash: "0x01",
  blockNumber: 1,
  data,
});
const redeemed = (claimDeadline: string) => event("voucher.redeemed", { redemptionId: "RDM-1", claimDeadline });

describe("what a person is notified of", () => {
  it("reminds a supplier two days before a claim is due", () => {
    const [reminder] = changesBy(redeemed("2026-03-15T00:00:00.000Z"), "supplier", ["deadlines"], now);
    assert.deepEqual(reminder, {
      kind: "add",
      eventId: "evt_1_0_0:reminder",
      type: "claim.deadline_near",
      subject: "RDM-1",
      occurredAt: now,
      dueAt: new Date("2026-03-13T00:00:00Z"),
      deadline: "2026-03-15T00:00:00.000Z",
    });
  });

  it("reminds after half of the time when less than four days are left", () => {
    const [reminder] = changesBy(redeemed("2026-03-02T00:00:00.000Z"), "supplier", ["deadlines"], now);
    assert.deepEqual(reminder?.kind === "add" && reminder.dueAt, new Date("2026-03-01T12:00:00Z"));
  });

  it("reminds only who must act, and only of what was chosen", () => {
    const deadline = "2026-03-15T00:00:00.000Z";
    assert.deepEqual(changesBy(redeemed(deadline), "regulator", ["deadlines"], now), []);
    assert.deepEqual(changesBy(redeemed(deadline), "supplier", ["claims"], now), []);
  });

  it("ends the reminder when the claim is filed, or the redemption has ended otherwise", () => {
    for (const type of ["claim.filed", "redemption.reversed", "redemption.lapsed"] as const) {
      const [change] = changesBy(event(type, { redemptionId: "RDM-1" }), "supplier", ["deadlines"], now);
      assert.deepEqual(change, { kind: "end", type: "claim.deadline_near", subject: "RDM-1" }, type);
    }
  });

  it("moves the reminder of a draw that was postponed", () => {
    const later = event("campaign.draw_postponed", { campaignId: "C1", deadline: "2026-03-15T00:00:00.000Z" });
    const changes = changesBy(later, "implementer", ["deadlines"], now);
    assert.deepEqual(
      changes.map(({ kind, subject }) => [kind, subject]),
      [
        ["end", "C1"],
        ["add", "C1"],
      ],
    );
  });

  it("says nothing of events for which nobody has to act", () => {
    assert.deepEqual(changesBy(event("voucher.issued", { voucherId: "V1" }), "admin", topics, now), []);
  });

  it("is said in every language of the console, each sentence and phrase differently", async () => {
    assert.deepEqual(languages, consoleLanguages);
    const texts = await Promise.all(
      languages.map(async (language) => {
        const text = await readFile(new URL(`texts/${language}.json`, import.meta.url), "utf8");
        return JSON.parse(text) as Record<string, Record<string, string>>;
      }),
    );
    const [english = {}] = texts;
    for (const [group, sentences] of Object.entries(english)) {
      for (const [name, sentence] of Object.entries(sentences)) {
        const translated = texts.map((each) => each[group]?.[name] ?? "");
        assert.equal(new Set(translated).size, languages.length, name);
        const valuesIn = (text: string) => text.match(/\{\w+\}/g)?.toSorted() ?? [];
        for (const text of translated) assert.deepEqual(valuesIn(text), valuesIn(sentence), text);
      }
    }
    for (const each of texts) assert.deepEqual(Object.keys(each.sentences ?? {}), Object.keys(english.sentences ?? {}));
  });

  it("has a sentence with the record's id in each language", () => {
    for (const type of noticeTypes) {
      const texts = languages.map((language) =>
        sentenceOf({ type, subject: "RDM-1", deadline: "2026-03-15T00:00:00.000Z" }, language),
      );
      assert.equal(new Set(texts).size, languages.length, type);
      for (const text of texts) assert.doesNotMatch(text, /[{}]/, type);
    }
  });
});
