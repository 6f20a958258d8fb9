import { ulid } from "ulid";
import { AppError } from "../../../platform/errors.ts";
import { changeOracleJson, readOracleJson } from "../host/json-file.ts";
import { roomFolder, type Services } from "../host/services.ts";

/** Something about the user that outlives a conversation. Times are ISO 8601. */
export type Fact = { id: string; text: string; createdAt: string; updatedAt: string };

export const maxFacts = 2_000;
export const maxFactLength = 1_000;

/** The file whose versions are the history of a room's memory. */
export const memoryPath = (roomId: string) => `${roomFolder(roomId)}/memory.json`;

type Memory = { facts: Fact[] };

export async function readFacts(services: Services, roomId: string): Promise<Fact[]> {
  return (await readOracleJson<Memory>(services, memoryPath(roomId)))?.facts ?? [];
}

/** Store a fact; the same text again is the same fact. @throws AppError TOO_LARGE when there are too many */
export async function rememberFact(services: Services, roomId: string, text: string): Promise<Fact> {
  const now = services.clock.now().toISOString();
  const fact: Fact = { id: `MEM-${ulid()}`, text, createdAt: now, updatedAt: now };
  const { facts } = await change(services, roomId, (before) => {
    if (before.some((each) => each.text === text)) return before;
    if (before.length >= maxFacts) throw new AppError("TOO_LARGE", `There are ${maxFacts} facts; forget some first.`);
    return [...before, fact];
  });
  return facts.find((each) => each.text === text) ?? fact;
}

/** @throws AppError NOT_FOUND */
export async function correctFact(services: Services, roomId: string, id: string, text: string): Promise<Fact> {
  const updatedAt = services.clock.now().toISOString();
  let corrected: Fact | undefined;
  await change(services, roomId, (before) =>
    before.map((fact) => {
      if (fact.id !== id) return fact;
      corrected = { ...fact, text, updatedAt };
      return corrected;
    }),
  );
  return corrected ?? unknownFact(id);
}

/** @throws AppError NOT_FOUND */
export async function forgetFact(services: Services, roomId: string, id: string): Promise<void> {
  let found = false;
  await change(services, roomId, (before) => {
    found = before.some((fact) => fact.id === id);
    return before.filter((fact) => fact.id !== id);
  });
  if (!found) unknownFact(id);
}

/** Find the facts that share the most words with the question, best first; without a question all facts, newest first. */
export function findFacts(facts: Fact[], question: string, limit: number): Fact[] {
  const newest = [...facts].reverse();
  const asked = wordsOf(question);
  if (asked.length === 0) return newest.slice(0, limit);
  const score = (fact: Fact) => {
    const held = wordsOf(fact.text);
    return asked.filter((word) => held.some((each) => each.startsWith(word) || word.startsWith(each))).length;
  };
  const scored = newest.map((fact) => ({ fact, points: score(fact) })).filter(({ points }) => points > 0);
  return scored
    .sort((a, b) => b.points - a.points)
    .slice(0, limit)
    .map(({ fact }) => fact);
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];

function change(services: Services, roomId: string, of: (before: Fact[]) => Fact[]): Promise<Memory> {
  return changeOracleJson<Memory>(services, memoryPath(roomId), (current) => ({ facts: of(current?.facts ?? []) }));
}

function unknownFact(id: string): never {
  throw new AppError("NOT_FOUND", `There is no fact "${id}".`);
}
