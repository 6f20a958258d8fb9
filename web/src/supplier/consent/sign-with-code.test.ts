import { recoverTypedDataAddress } from "viem";
import { expect, it } from "vitest";
import { householdCode } from "../../../../wire/src/household-code.ts";
import { encodeVoucherId } from "../../../../wire/src/ids.ts";
import { authorizationToSign } from "../household-authorization.ts";
import { signWithCode } from "./sign-with-code.ts";

const domain = { chainId: 31337, verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
const terms = { voucherId: encodeVoucherId(17n), supplier: 2, product: 3, amount: 12_500_000n };

it("signs the order with the code's key, whose address is the nonce, and says nothing of the code", async () => {
  const code = householdCode(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
  const consent = await signWithCode(code, terms, domain, 1_800_000_000_000);
  const { nonce, deadline, signature } = consent;
  const typed = authorizationToSign({ ...terms, nonce: BigInt(nonce), deadline }, domain);
  const signer = await recoverTypedDataAddress({ ...typed, signature } as never);
  expect(BigInt(signer)).toBe(BigInt(nonce));
  expect(deadline).toBe(1_800_000_000 + 30 * 86_400);
  expect(Object.keys(consent).sort()).toEqual(["deadline", "nonce", "signature", "type"]);
  expect(await signWithCode(code, terms, domain, 1_800_000_000_000)).toEqual(consent);
});
