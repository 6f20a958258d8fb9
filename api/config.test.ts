import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig, redactConfig, secretVariables } from "./config.ts";
import { ConfigError } from "./platform/config-error.ts";

const relayerKey = `0x${"1".repeat(64)}`;
const outside = { RPC_URL: "http://chain:8545", CHAIN_ID: "31337", DEPLOYMENT: "d.json", RELAYER_KEY: relayerKey };

function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems.map(({ path }) => path ?? "");
  }
  return [];
}

test("needs no variable for the embedded default", () => {
  const config = readConfig({});
  assert.equal(config.publicUrl, "http://127.0.0.1:3000");
  assert.deepEqual(
    [config.chain.embedded, config.chain.rpcUrl, config.chain.chainId],
    [true, "http://127.0.0.1:8545", 31_337],
  );
  assert.equal(config.databaseUrl, undefined);
});

test("treats an empty variable as absent", () => {
  assert.deepEqual(problemsOf({ RPC_URL: "", PORT: "" }), []);
});

test("does not load the oracle's key when its variable is set but empty", () => {
  assert.equal(readConfig({}).oracle.mnemonic.kind, "made");
  for (const ORACLE_MNEMONIC of ["", "  "]) assert.equal(readConfig({ ORACLE_MNEMONIC }).oracle.mnemonic.kind, "blank");
  assert.deepEqual(problemsOf({ ORACLE_MNEMONIC: "not a phrase" }), ["ORACLE_MNEMONIC"]);
});

test("names every malformed variable together", () => {
  const env = { PORT: "x", ADMIN_API_KEY: "short", PUBLIC_URL: "nowhere", DATABASE_URL: "mysql://x", TX_WAIT_MS: "-1" };
  assert.deepEqual(problemsOf(env).sort(), ["ADMIN_API_KEY", "DATABASE_URL", "PORT", "PUBLIC_URL", "TX_WAIT_MS"]);
});

test("refuses a URL with a part that would be lost, or would break the URLs that are made of it", () => {
  const names = (env: Record<string, string>) => problemsOf(env).map((path) => path.split(".")[0]);
  for (const name of ["PUBLIC_URL", "PUBLIC_URL_ALIASES", "INDEXER_URL", "OTEL_EXPORTER_OTLP_ENDPOINT"]) {
    assert.deepEqual(names({ [name]: "https://a.example" }), [], name);
    for (const url of ["https://a.example/?b=1", "https://a.example/#b"]) {
      assert.deepEqual(names({ [name]: url }), [name], url);
    }
  }
  assert.deepEqual(names({ LLM_MODEL: "m", LLM_BASE_URL: "https://a.example/v1?b=1" }), ["LLM_BASE_URL"]);
  const beacon = `https://a.example/?b=/${"0".repeat(64)}`;
  assert.deepEqual(names({ DRAW_BEACON_URL: beacon }), ["DRAW_BEACON_URL"]);
  assert.deepEqual(names({ BLOB_URL: "file:///data?b=1" }), ["BLOB_URL"]);
  // The query of these is used.
  const used = {
    RPC_URL: "http://chain:8545/?key=1",
    SMTP_URL: "smtp://localhost?pool=true",
    DATABASE_URL: "postgres://db/hearth?sslmode=disable",
    BLOB_URL: "s3://bucket?region=eu-1",
  };
  const keys = { SCHEME_KEY: "1".repeat(64), SERVICE_KEY: "1".repeat(64), VFS_KEK: "1".repeat(64) };
  const whole = { ...outside, ...keys, ...used, MAIL_FROM: "hearth@a.example" };
  assert.deepEqual(names(whole), []);
  for (const [name, url] of Object.entries(used)) assert.deepEqual(names({ ...whole, [name]: `${url}#b` }), [name]);
});

test("refuses a chain that is half set", () => {
  assert.deepEqual(problemsOf({ RPC_URL: "http://chain" }), ["CHAIN_ID", "DEPLOYMENT", "RELAYER_KEY"]);
  assert.deepEqual(problemsOf({ CHAIN_ID: "5" }), ["RPC_URL", "DEPLOYMENT"]);
  assert.deepEqual(problemsOf(outside), []);
});

test("refuses a plain relayer key on a public network unless it is allowed", () => {
  const celo = { ...outside, CHAIN_ID: "42220" };
  assert.deepEqual(problemsOf(celo), ["RELAYER_KEY"]);
  assert.deepEqual(problemsOf({ ...celo, ALLOW_PLAIN_KEY: "1" }), []);
});

test("takes a signer in place of a role's key, and says what is wrong with its reference", () => {
  const { RELAYER_KEY: _, ...chain } = { ...outside, CHAIN_ID: "42220" };
  const key = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd";
  const address = `0x${"ab".repeat(20)}`;
  const given = {
    RELAYER_SIGNER: `aws-kms:${key}`,
    REGISTRAR_SIGNER: `web3signer:https://u:p@signer?address=${address}`,
  };
  const { roleSigners, roleKeys } = readConfig({ ...chain, ...given }).chain;
  assert.deepEqual([roleSigners.operator, roleSigners.registrar], [given.RELAYER_SIGNER, given.REGISTRAR_SIGNER]);
  assert.equal(roleKeys.operator, undefined);
  assert.doesNotMatch(JSON.stringify(redactConfig(readConfig({ ...chain, ...given }))), /u:p@|111122223333/);
  for (const refused of [
    "vault:key",
    "aws-kms:",
    "aws-kms:a b",
    `aws-kms:${key}?color=red`,
    `aws-kms:${key}?endpoint=nowhere`,
    "web3signer:nowhere",
    "web3signer:https://signer",
    "web3signer:https://signer?address=0x12",
  ]) {
    assert.deepEqual(problemsOf({ ...chain, RELAYER_SIGNER: refused }), ["RELAYER_SIGNER"], refused);
  }
  assert.deepEqual(problemsOf({ ...outside, RELAYER_SIGNER: `aws-kms:${key}` }), ["RELAYER_SIGNER"]);
});

test("reads a secret from the file that NAME_FILE names, also on a public network", () => {
  const folder = mkdtempSync(join(tmpdir(), "hearth-config-"));
  const file = join(folder, "registrar");
  writeFileSync(file, `${relayerKey}\n`);
  const { RELAYER_KEY: _, ...chain } = { ...outside, CHAIN_ID: "42220" };
  const config = readConfig({ ...chain, RELAYER_KEY_FILE: file, REGISTRAR_KEY_FILE: file, DATABASE_URL: "" });
  const { operator, registrar, evaluator } = config.chain.roleKeys;
  assert.deepEqual([operator, registrar, evaluator], [relayerKey, relayerKey, undefined]);
  assert.deepEqual(problemsOf({ ...chain, RELAYER_KEY_FILE: file, EVALUATOR_KEY: relayerKey }), ["EVALUATOR_KEY"]);
  assert.deepEqual(problemsOf({ ...outside, RELAYER_KEY_FILE: file }), ["RELAYER_KEY_FILE"]);
  writeFileSync(file, "");
  assert.deepEqual(problemsOf({ ADMIN_API_KEY_FILE: file }), ["ADMIN_API_KEY_FILE"]);
  rmSync(folder, { recursive: true });
  assert.deepEqual(problemsOf({ ADMIN_API_KEY_FILE: file }), ["ADMIN_API_KEY_FILE"]);
});

test("asks for the keys and the place of files that several machines on one chain and database must share", () => {
  const shared = { ...outside, DATABASE_URL: "postgres://u:p@db/x" };
  assert.deepEqual(problemsOf(shared), ["SCHEME_KEY", "SERVICE_KEY", "BLOB_URL"]);
  const keys = { SCHEME_KEY: "a".repeat(64), SERVICE_KEY: "b".repeat(64) };
  assert.deepEqual(problemsOf({ ...shared, ...keys, BLOB_URL: "" }), ["BLOB_URL"]);
  assert.deepEqual(problemsOf({ ...shared, ...keys, BLOB_URL: "file:///mnt/shared" }), []);
});

test("asks for the secret of relays that are named without a user, and for nothing of no use", () => {
  const relay = JSON.stringify([{ urls: "turn:relay.test" }]);
  const known = JSON.stringify([{ urls: "turn:relay.test", username: "u", credential: "c" }]);
  const secret = { ORACLE_TURN_SECRET: "sixteen or more letters" };
  assert.deepEqual(problemsOf({ ORACLE_ICE_SERVERS: relay }), ["ORACLE_TURN_SECRET"]);
  assert.deepEqual(problemsOf(secret), ["ORACLE_TURN_SECRET"]);
  assert.deepEqual(problemsOf({ ORACLE_ICE_SERVERS: known, ...secret }), ["ORACLE_TURN_SECRET"]);
  assert.deepEqual(problemsOf({ ORACLE_ICE_SERVERS: relay, ...secret }), []);
  assert.deepEqual(problemsOf({ ORACLE_ICE_SERVERS: known }), []);
  for (const wrong of ["relay.test", '[{"urls":"http://x"}]', '[{"urls":"turn:x","password":"p"}]'])
    assert.deepEqual(problemsOf({ ORACLE_ICE_SERVERS: wrong }), ["ORACLE_ICE_SERVERS"]);
});

test("shows no secret in a log or a refusal", () => {
  const secrets = {
    ADMIN_API_KEY: "admin-secret-of-24-characters",
    RELAYER_KEY: relayerKey,
    REGISTRAR_KEY: `0x${"2".repeat(64)}`,
    EVALUATOR_KEY: `0x${"3".repeat(64)}`,
    SCHEME_KEY: "b".repeat(64),
    SEALING_KEY: "1a".repeat(32),
    SEALING_KEYS_PREVIOUS: `${"2b".repeat(32)},${"3c".repeat(32)}`,
    SERVICE_KEY: "c".repeat(64),
    SIGNING_KEY: "9".repeat(64),
    DATABASE_URL: "postgres://u:database-secret@db/x",
    INDEXER_DATABASE_URL: "postgres://u:indexer-secret@db/x",
    INDEXER_READER_DATABASE_URL: "postgres://u:reader-secret@db/x",
    INDEXER_TOKEN: "indexer-token-secret-of-32-characters-or-more",
    SMTP_URL: "smtp://u:mail-secret@mail.test",
    VFS_KEK: "d".repeat(64),
    VFS_KEK_PREVIOUS: `${"e".repeat(64)},${"f".repeat(64)}`,
    ORACLE_MNEMONIC: "test test test test test test test test test test test junk",
    ORACLE_TURN_SECRET: "turn-secret-of-relays",
  };
  const relay = JSON.stringify([{ urls: "turn:relay.test" }]);
  // Signers take the place of keys.
  const signers = ["RELAYER_SIGNER", "REGISTRAR_SIGNER", "EVALUATOR_SIGNER"];
  assert.deepEqual([...Object.keys(secrets), ...signers].sort(), [...secretVariables].sort());
  const shown = JSON.stringify(
    redactConfig(
      readConfig({
        ...outside,
        MAIL_FROM: "h@x.test",
        RPC_URL: "http://chain/v2/url-secret",
        BLOB_URL: "s3://files",
        ORACLE_ICE_SERVERS: relay,
        ...secrets,
      }),
    ),
  );
  for (const secret of [
    ...Object.values(secrets),
    "database-secret",
    "indexer-secret",
    "reader-secret",
    "mail-secret",
    "url-secret",
  ]) {
    assert.ok(!shown.includes(secret), secret);
  }
  assert.throws(
    () => readConfig({ ADMIN_API_KEY: "too-short-secret", RELAYER_KEY: "0xsecret" }),
    (error: Error) => !error.message.includes("secret"),
  );
});

test("takes a mail server only together with a sender", () => {
  const from = "Hearth <hearth@example.org>";
  const { mail } = readConfig({ SMTP_URL: "smtps://mail.test", MAIL_FROM: from });
  assert.deepEqual(mail, { smtpUrl: "smtps://mail.test", from });
  assert.equal(readConfig({}).mail, undefined);
  for (const [given, named] of [
    [{ SMTP_URL: "smtp://mail.test" }, "MAIL_FROM"],
    [{ MAIL_FROM: from }, "SMTP_URL"],
    [{ SMTP_URL: "http://mail.test", MAIL_FROM: from }, "SMTP_URL"],
    [{ SMTP_URL: "smtp://mail.test", MAIL_FROM: "Hearth" }, "MAIL_FROM"],
  ] as const) {
    assert.throws(() => readConfig(given), new RegExp(named));
  }
});
