import pg from "pg";

/** PostgreSQL notices within about 10 s that the machine of the lock's owner no longer responds. */
const keepAlive = "-c tcp_keepalives_idle=4 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3";
/** First half of the lock's key: any fixed number. */
const lockClass = 4_729_312;

/**
 * The lock of the process that writes an index into PostgreSQL. It is an advisory lock: PostgreSQL releases it when the connection
 * ends, also after a kill.
 */
export class WriterLock {
  readonly #client: pg.Client;
  readonly #schema: string;

  private constructor(client: pg.Client, schema: string) {
    this.#client = client;
    this.#schema = schema;
  }

  /** @param onLost called when the connection, and with it the lock, is lost; not after `release` */
  static async connect(databaseUrl: string, schema: string, onLost: (error: Error) => void): Promise<WriterLock> {
    const client = new pg.Client({ connectionString: databaseUrl, keepAlive: true, options: keepAlive });
    client.on("error", onLost);
    await client.connect();
    return new WriterLock(client, schema);
  }

  /** Take the lock if no process has it. */
  async tryTake(): Promise<boolean> {
    const { rows } = await this.#client.query<{ taken: boolean }>(
      "select pg_try_advisory_lock($1, hashtext($2)) as taken",
      [lockClass, this.#schema],
    );
    return rows[0]?.taken === true;
  }

  /** Wait until the lock is free, and take it. */
  async take(): Promise<void> {
    await this.#client.query("select pg_advisory_lock($1, hashtext($2))", [lockClass, this.#schema]);
  }

  /**
   * Release Ponder's own lock of the schema, for which Ponder would wait 25 s after a kill. Call it while holding this lock, so that
   * nobody else writes.
   */
  async releasePonder(): Promise<void> {
    const table = `${this.#client.escapeIdentifier(this.#schema)}._ponder_meta`;
    const { rows } = await this.#client.query("select to_regclass($1) is not null as known", [table]);
    if (rows[0]?.known !== true) return;
    await this.#client.query(
      `update ${table} set value = jsonb_set(value, '{is_locked}', '0') where value ? 'is_locked'`,
    );
  }

  async release(): Promise<void> {
    this.#client.removeAllListeners("error");
    await this.#client.end();
  }
}
