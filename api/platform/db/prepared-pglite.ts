import {
  type messages,
  PGlite,
  parse,
  protocol,
  type QueryOptions,
  type Results,
  type Transaction,
} from "@electric-sql/pglite";

const { serialize } = protocol;

type Statement = {
  name: string;
  /** PostgreSQL's ids of the parameters' types. */
  parameters: number[];
  /** What tells the columns of its rows; empty for a statement without any. */
  columns: messages.BackendMessage[];
  /** By the process's own clock, in milliseconds. */
  madeAt: number;
};

/** How long a plan is used, in milliseconds: nobody gathers statistics here, so it is made anew for tables that have grown. */
const planMs = 60_000;
/** Most statements that are kept prepared. */
const mostKept = 200;

const preparable = /^\s*(select|insert|update|delete|with)\b/i;
/** What may change the columns of a prepared statement's rows, which it does not survive. */
const changesTables = /^\s*(create|alter|drop)\b/i;

/**
 * PGlite that prepares each statement once and sends it in one message from then on: a small query costs it a quarter to a tenth of
 * what it does with a parse, a plan and six messages each time.
 */
export class PreparedPglite extends PGlite {
  readonly #kept = new Map<string, Statement>();
  /** Names that the database need not know any more. */
  #forgotten: string[] = [];
  #made = 0;

  override async query<T>(text: string, parameters: unknown[] = [], options?: QueryOptions): Promise<Results<T>> {
    if (!canPrepare(text, options)) {
      const results = await super.query<T>(text, parameters, options);
      if (changesTables.test(text)) this.#forgetAll();
      return results;
    }
    await this._checkReady();
    // Both locks, as PGlite's own: no other's transaction is under way, and no other's message.
    return await this._runExclusiveTransaction(async () => {
      const results = await this._runExclusiveQuery(() => this.#run<T>(text, parameters, options));
      await this.syncToFs();
      return results;
    });
  }

  override async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return await super.transaction((transaction) => {
      const query: Transaction["query"] = async (text, parameters = [], options) => {
        if (canPrepare(text, options) && !transaction.closed) {
          return await this._runExclusiveQuery(() => this.#run(text, parameters, options));
        }
        if (changesTables.test(text)) this.#forgetAll();
        return await transaction.query(text, parameters, options);
      };
      return work(Object.create(transaction, { query: { value: query } }) as Transaction);
    });
  }

  override async exec(text: string, options?: QueryOptions): Promise<Results[]> {
    const results = await super.exec(text, options);
    this.#forgetAll();
    return results as Results[];
  }

  async #run<T>(text: string, parameters: unknown[], options: QueryOptions | undefined): Promise<Results<T>> {
    const { name, parameters: types, columns } = this.#find(text) ?? (await this.#prepare(text));
    const values = parameters.map((value, i) => this.#textOf(value, types[i] ?? 0, options));
    const answer = await this.#send([serialize.bind({ statement: name, values }), serialize.execute({})]);
    const { parsers, rowMode } = options ?? {};
    // Beneath, not copied together: there is one for each of PostgreSQL's some hundred types.
    const all = Object.assign(Object.create(this.parsers) as typeof this.parsers, parsers);
    const mode = rowMode === undefined ? {} : { rowMode };
    return parse.parseResults([...columns, ...answer], all, mode)[0] as Results<T>;
  }

  #find(text: string): Statement | undefined {
    const statement = this.#kept.get(text);
    if (statement === undefined || performance.now() - statement.madeAt < planMs) return statement;
    this.#forget(text);
    return undefined;
  }

  #forgetAll(): void {
    for (const text of this.#kept.keys()) this.#forget(text);
  }

  #forget(text: string): void {
    const statement = this.#kept.get(text);
    if (statement === undefined) return;
    this.#kept.delete(text);
    this.#forgotten.push(statement.name);
  }

  async #prepare(text: string): Promise<Statement> {
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= mostKept) this.#forget(oldest);
    const closing = this.#forgotten.splice(0).map((name) => serialize.close({ type: "S", name }));
    this.#made += 1;
    const name = `kept_${this.#made}`;
    const answer = await this.#send([
      ...closing,
      serialize.parse({ name, text }),
      serialize.describe({ type: "S", name }),
    ]);
    const statement = {
      name,
      parameters: parse.parseDescribeStatementResults(answer),
      columns: answer.filter((message) => message.name === "rowDescription"),
      madeAt: performance.now(),
    };
    this.#kept.set(text, statement);
    return statement;
  }

  /** One message to the database, whose answer ends with its being ready for the next even where it refuses. */
  async #send(parts: Uint8Array[]): Promise<messages.BackendMessage[]> {
    return await this.execProtocolStream(Buffer.concat([...parts, serialize.sync()]), { syncToFs: false });
  }

  #textOf(value: unknown, type: number, options: QueryOptions | undefined): string | null {
    if (value === null || value === undefined) return null;
    const serializer = options?.serializers?.[type] ?? this.serializers[type];
    return serializer === undefined ? String(value) : serializer(value);
  }
}

function canPrepare(text: string, options: QueryOptions | undefined): boolean {
  return preparable.test(text) && options?.blob === undefined && options?.paramTypes === undefined;
}
