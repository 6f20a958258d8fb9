import { setTimeout as sleep } from "node:timers/promises";
import PQueue from "p-queue";
import { IndexCopy } from "./index-copy.ts";
import { asText, type Pglite } from "./pglite.ts";
import {
  type Answer,
  answerOf,
  blockOf,
  blockQuestion,
  isOfStatement,
  type Question,
  type Reader,
  StatementError,
} from "./reader.ts";

/** The index does one thing at a time: updating the copy may take a quarter of its time. */
const restsPerWork = 3;
const longestRestMs = 5_000;

/**
 * Read the embedded index through a copy in another thread, created for the first query that needs it. The copy is updated before each
 * query; queries that arrive during an update share the next one. The index itself answers what GraphQL made and the planner finds cheap,
 * such as a page of a list, because it need not be aborted.
 */
export function openEmbeddedReader(index: Pglite, schema: string): Reader {
  const changed = new Set<string>();
  index.onNotification((_, payload) => {
    for (const table of JSON.parse(payload) as string[]) changed.add(table);
  });

  const work = new PQueue({ concurrency: 1 });
  let copy: IndexCopy | undefined;
  let knewAll = false;
  let restUntil = 0;
  let next: Promise<void> | undefined;

  const bringUpToDate = async () => {
    await sleep(Math.max(0, restUntil - performance.now()));
    next = undefined;
    if (copy === undefined || copy.isOver) {
      knewAll = false;
      copy = await IndexCopy.begin(index, schema);
    }
    // Ponder reports changes only after it has caught up with the chain.
    const tells = await tellsChanges(index, schema);
    const tables = knewAll ? new Set(changed) : undefined;
    changed.clear();
    knewAll = tells;
    const begin = performance.now();
    try {
      await copy.refresh((table) => tables === undefined || table === "_ponder_checkpoint" || tables.has(table));
    } catch (error) {
      copy.end();
      throw error;
    } finally {
      restUntil = performance.now() + Math.min((performance.now() - begin) * restsPerWork, longestRestMs);
    }
  };
  /** Resolves when the copy has everything that the index had at the call. */
  const upToDate = (): Promise<void> => {
    next ??= work.add(bringUpToDate);
    return next;
  };

  const ask = async (question: Question): Promise<Answer> => {
    const direct = question.allowance && (await askIndex(index, question, question.allowance));
    if (direct !== undefined) return direct;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await upToDate();
      // Another query may have ended the copy meanwhile.
      const answer = await work.add(async () => (copy?.isOver === false ? copy.ask(question) : undefined));
      if (answer !== undefined) return answer;
    }
    throw new Error("The copy of the index ended again and again");
  };
  const block = async () => {
    const { rows } = await index.query(blockQuestion.replace("from ", `from "${schema}".`));
    return blockOf(String((rows[0] as { newest: string }).newest));
  };
  return { ask, block };
}

type Plan = { "QUERY PLAN": [{ Plan: { "Total Cost": number } }] };

/** Have the index answer a statement that costs no more than its allowance. @throws StatementError when the statement is wrong */
async function askIndex(
  index: Pglite,
  { text, parameters, asLists }: Question,
  allowance: { cost: number },
): Promise<Answer | undefined> {
  try {
    const { rows } = await index.query(`explain (format json) ${text}`, parameters, { serializers: asText });
    allowance.cost -= (rows[0] as Plan)["QUERY PLAN"][0].Plan["Total Cost"];
    if (allowance.cost < 0) return undefined;
    const rowMode = asLists === true ? "array" : "object";
    return answerOf(await index.query(text, parameters, { rowMode, serializers: asText }));
  } catch (error) {
    throw isOfStatement(error) ? new StatementError((error as Error).message) : error;
  }
}

async function tellsChanges(index: Pglite, schema: string): Promise<boolean> {
  const { rows } = await index.query(
    `select exists (select 1 from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and t.tgname = 'live_query') as tells`,
    [schema],
  );
  return (rows[0] as { tells: boolean }).tells;
}
