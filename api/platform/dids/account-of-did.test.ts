import assert from "node:assert/strict";
import { test } from "node:test";
import { privateKeyToAccount } from "viem/accounts";
import { createIssuer } from "../../../test/support/credentials.ts";
import { accountInDid } from "./account-of-did.ts";

const privateKey = Buffer.alloc(32, 7);
const { address, publicKey } = privateKeyToAccount(`0x${privateKey.toString("hex")}`);
const parity = Number.parseInt(publicKey.slice(-1), 16) % 2;
const compressed = `0x0${2 + parity}${publicKey.slice(4, 68)}`;

test("reads one account from each form of DID of its key", () => {
  for (const did of [
    `did:pkh:eip155:1:${address}`,
    `did:pkh:eip155:42220:${address.toLowerCase()}`,
    `did:ethr:${address}`,
    `did:ethr:0xa4ec:${address.toLowerCase()}`,
    `did:ethr:celo:alfajores:${address}`,
    `did:ethr:${compressed}`,
    `did:ethr:0x1:${compressed.toUpperCase().replace("0X", "0x")}`,
    createIssuer({ alg: "ES256K", privateKey }).did,
  ]) {
    assert.equal(accountInDid(did), address, did);
  }
});

test("reads no account from other DIDs", () => {
  for (const did of [
    "did:web:example.org",
    `did:web:example.org:${address}`,
    createIssuer({ privateKey }).did,
    createIssuer({ alg: "ES256", privateKey }).did,
    "did:key:zBroken",
    `did:ethr:0x02${"f".repeat(64)}`,
    `did:pkh:solana:4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZ:${address}`,
    `did:ethr:${address.slice(0, -1)}`,
  ]) {
    assert.equal(accountInDid(did), undefined, did);
  }
});
