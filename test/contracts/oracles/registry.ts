import { expect } from "chai";
import { getAddress, keccak256, toHex, zeroAddress, zeroHash } from "viem";
import * as S from "../scheme.ts";
import { as, did, openOracles, oracle, registration } from "./world.ts";

const { networkHelpers } = S.connection;

describe("OracleRegistry: oracles", () => {
  it("registers an oracle, which is found by its DID and its hash", async () => {
    const { oracles, operator, owner, settler, payee } = await networkHelpers.loadFixture(openOracles);
    const accounts = { settler: getAddress(settler.account.address), payee: getAddress(payee.account.address) };
    const second = { ...registration({ settler, payee }), did: "did:key:z6MkSecond", ...accounts };
    const id = keccak256(toHex(second.did));
    const call = oracles.write.register([second, owner.account.address], as(operator));
    await S.emits(call, oracles, "OracleRegistered", [id, getAddress(owner.account.address), second]);
    const found = await oracles.read.oracleByDid([second.did]);
    expect(found).to.deep.equal(await oracles.read.oracleOf([id]));
    expect(found).to.deep.equal({ ...second, owner: getAddress(owner.account.address), pendingOwner: zeroAddress });
    expect((await oracles.read.oracleByDid(["did:key:unknown"])).owner).to.equal(zeroAddress);
  });

  it("refuses a registration that is not by an operator, too long, without an account, or a duplicate", async () => {
    const { oracles, participants, operator, stranger, owner, settler, payee } =
      await networkHelpers.loadFixture(openOracles);
    const at = owner.account.address;
    const fresh = { ...registration({ settler, payee }), did: "did:fresh" };
    const register = (change: Partial<typeof fresh>, by = operator, whom = at) =>
      oracles.write.register([{ ...fresh, ...change }, whom], as(by));
    const strange = [getAddress(stranger.account.address), S.Role.operator];
    await S.reverts(register({}, stranger), participants, "MissingRole", strange);
    const tooLong = (change: Partial<typeof fresh>, length: bigint, limit: bigint) =>
      S.reverts(register(change), oracles, "OracleTextInvalid", [length, limit]);
    await tooLong({ did: "" }, 0n, 256n);
    await tooLong({ did: "d".repeat(257) }, 257n, 256n);
    await tooLong({ apiUrl: "" }, 0n, 512n);
    for (const field of ["apiUrl", "wsUrl", "agentCardUri"]) await tooLong({ [field]: "u".repeat(513) }, 513n, 512n);
    for (const none of [zeroAddress, getAddress(oracles.address)]) {
      await S.reverts(register({}, operator, none), oracles, "OracleAccountInvalid", [none]);
      await S.reverts(register({ payee: none }), oracles, "OracleAccountInvalid", [none]);
    }
    await S.reverts(register({ did }), oracles, "OracleExists", [oracle]);
    await register({ did: "d".repeat(256), apiUrl: "u".repeat(512) });
  });

  it("can be changed only by its owner, each part separately", async () => {
    const { oracles, owner, settler, stranger, operator } = await networkHelpers.loadFixture(openOracles);
    const before = await oracles.read.oracleOf([oracle]);
    const urls = [oracle, "https://a.example", "wss://a.example", "https://a.example/card"] as const;
    await S.emits(oracles.write.setUrls(urls, as(owner)), oracles, "OracleUrlsChanged", [...urls]);
    const terms = [oracle, 7n, 8, 9] as const;
    await S.emits(oracles.write.setTerms(terms, as(owner)), oracles, "OracleTermsChanged", [...terms]);
    const [nobody, paid] = [zeroAddress, getAddress(stranger.account.address)];
    const accounts = oracles.write.setAccounts([oracle, nobody, paid], as(owner));
    await S.emits(accounts, oracles, "OracleAccountsChanged", [oracle, nobody, paid]);
    expect(await oracles.read.oracleOf([oracle])).to.deep.equal({
      ...before,
      apiUrl: urls[1],
      wsUrl: urls[2],
      agentCardUri: urls[3],
      price: 7n,
      freeMessages: 8,
      allowance: 9,
      settler: nobody,
      payee: paid,
    });
    const calls = (id: typeof oracle, by: typeof owner) => [
      oracles.write.setUrls([id, "u", "", ""], as(by)),
      oracles.write.setTerms([id, 0n, 0, 0], as(by)),
      oracles.write.setAccounts([id, zeroAddress, paid], as(by)),
      oracles.write.transferOwnership([id, paid], as(by)),
    ];
    for (const by of [settler, stranger, operator]) {
      const refused = [oracle, getAddress(by.account.address)];
      for (const call of calls(oracle, by)) await S.reverts(call, oracles, "NotOracleOwner", refused);
    }
    for (const call of calls(zeroHash, owner)) await S.reverts(call, oracles, "UnknownOracle", [zeroHash]);
    const emptied = oracles.write.setUrls([oracle, "", "", ""], as(owner));
    await S.reverts(emptied, oracles, "OracleTextInvalid", [0n, 512n]);
    const unpaid = oracles.write.setAccounts([oracle, zeroAddress, zeroAddress], as(owner));
    await S.reverts(unpaid, oracles, "OracleAccountInvalid", [zeroAddress]);
  });

  it("changes its owner in two steps", async () => {
    const { oracles, owner, stranger, operator } = await networkHelpers.loadFixture(openOracles);
    const [from, to] = [getAddress(owner.account.address), getAddress(stranger.account.address)];
    const accept = (by: typeof owner) => oracles.write.acceptOwnership([oracle], as(by));
    await S.reverts(accept(stranger), oracles, "NotPendingOwner", [oracle, to]);
    const offer = oracles.write.transferOwnership([oracle, to], as(owner));
    await S.emits(offer, oracles, "OracleOwnershipOffered", [oracle, from, to]);
    await S.reverts(accept(operator), oracles, "NotPendingOwner", [oracle, getAddress(operator.account.address)]);
    expect((await oracles.read.oracleOf([oracle])).owner).to.equal(from);
    await S.emits(accept(stranger), oracles, "OracleOwnershipTransferred", [oracle, from, to]);
    expect(await oracles.read.oracleOf([oracle])).to.deep.include({ owner: to, pendingOwner: zeroAddress });
    await S.reverts(accept(stranger), oracles, "NotPendingOwner", [oracle, to]);
    const late = oracles.write.setTerms([oracle, 0n, 0, 0], as(owner));
    await S.reverts(late, oracles, "NotOracleOwner", [oracle, from]);
  });
});
