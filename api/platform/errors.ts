/** What the sentence of a broken rule names, such as an id or a limit. */
export type RuleValues = Record<string, string | number>;

/**
 * One broken rule. `path` names the field (dots between levels); `rule` is a stable name in kebab case. One rule may have several
 * sentences: `code` names the one in `message`, and `values` what is in it, so that a page can say it in another language.
 */
export type RuleDetail = { path?: string; rule: string; message: string; code?: string; values?: RuleValues };
export type CodedRule = RuleDetail & { code: string; values: RuleValues };

type RuleSentences = Record<string, readonly [rule: string, sentence: string]>;
type NamesIn<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
type ValuesOf<Sentence extends string> = [NamesIn<Sentence>] extends [never]
  ? []
  : [values: Record<NamesIn<Sentence>, string | number>];

/**
 * Define the sentences of rules by their codes. A sentence has the names of its values in braces. Each code that a field record can
 * meet has a text in every language (`wire/src/reason-texts`).
 * @returns a function that states a broken rule; `path` is undefined for the whole request
 */
export function defineRules<const Sentences extends RuleSentences>(sentences: Sentences) {
  return <Code extends keyof Sentences & string>(
    code: Code,
    path: string | undefined,
    ...given: ValuesOf<Sentences[Code][1]>
  ): CodedRule => {
    const [rule, sentence] = sentences[code] as readonly [string, string];
    const values: RuleValues = given[0] ?? {};
    return { ...(path === undefined ? {} : { path }), rule, message: fillIn(sentence, values), code, values };
  };
}

/** Fill in a sentence that has the names of its values in braces. */
export function fillIn(sentence: string, values: RuleValues): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

/** HTTP status of every error code. */
export const statusByCode = {
  INVALID_INPUT: 400,
  RULE_VIOLATION: 400,
  UNAUTHENTICATED: 401,
  INVALID_TOKEN: 401,
  EXPIRED: 401,
  TOO_EARLY: 401,
  WRONG_AUDIENCE: 401,
  ESCALATION: 401,
  REVOKED: 401,
  REPLAYED: 401,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  WRITE_CONFLICT: 409,
  VERSION_LIMIT: 409,
  STALE_MOVE: 409,
  IDEMPOTENCY_CONFLICT: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PRECONDITION_FAILED: 412,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UPSTREAM: 502,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof statusByCode;

export type AppErrorOptions = {
  details?: RuleDetail[];
  cause?: unknown;
  /** Extra response headers, for example `Retry-After` or `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** Further top-level fields of the body, for example the current `head` in a write conflict. */
  extra?: Record<string, unknown>;
};

/** The only error that services throw on purpose. Any other error is a defect and returns 500. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: RuleDetail[];
  readonly headers: Record<string, string> | undefined;
  readonly extra: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers;
    this.extra = options.extra;
  }

  get status(): (typeof statusByCode)[ErrorCode] {
    return statusByCode[this.code];
  }
}

/** Build the error of one broken rule, with its sentence as the message. */
export function brokenRuleError(
  code: ErrorCode,
  broken: RuleDetail,
  options: Omit<AppErrorOptions, "details"> = {},
): AppError {
  return new AppError(code, broken.message, { ...options, details: [broken] });
}

/** Throw if there are broken rules. @throws AppError RULE_VIOLATION that names every one */
export function refuseBrokenRules(
  details: RuleDetail[],
  message = "The request breaks the rules of the scheme.",
): void {
  if (details.length > 0) throw new AppError("RULE_VIOLATION", message, { details });
}
